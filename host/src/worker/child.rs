use std::process::{ExitStatus, Stdio};

use tokio::io::AsyncReadExt as _;
use tokio::process::Command;

/// A limit that a child sets for itself: which one, and how much.
pub(super) type Limit = (rustix::process::Resource, u64);

/// Runs a child that prints one line: how it ended, and at most `max_bytes` of what it printed.
pub(super) async fn one_line(
    mut command: Command,
    max_bytes: u64,
) -> std::io::Result<(ExitStatus, Vec<u8>)> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .kill_on_drop(true)
        .spawn()?;
    let mut line = Vec::new();
    if let Some(answer) = child.stdout.take() {
        answer.take(max_bytes).read_to_end(&mut line).await?;
    }
    Ok((child.wait().await?, line))
}

/// Limits this process for good, and ties it to its parent.
pub(super) fn limit_this_process(limits: &[Limit]) -> std::io::Result<()> {
    use rustix::process::{Rlimit, setrlimit};

    super::die_with_parent();
    for (resource, most) in limits {
        let limit = Rlimit {
            current: Some(*most),
            maximum: Some(*most),
        };
        setrlimit(*resource, limit)?;
    }
    Ok(())
}
