use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;
use vocalhost_sandbox::Walls;

use super::walls;

/// A limit that a child sets for itself: which one, and how much.
pub(super) type Limit = (Resource, u64);

/// The niceness of a child that may work for minutes: jobs run beside it.
pub(super) const BESIDE_JOBS: i32 = 10;

/// A look that takes next to nothing.
pub(super) const LIGHT: Look = Look {
    wall: Duration::from_secs(20),
    limits: &[(Resource::Cpu, 10)],
    niceness: 0,
    max_answer_bytes: 64 << 10,
};

/// The status that a Rust program ends with after a panic.
const PANICKED: i32 = 101;

/// A look at something that a stranger sent, in a child with limits of its own that prints one line.
pub(super) struct Look {
    /// The longest time that the caller waits.
    pub(super) wall: Duration,
    /// The limits of the child. In addition, a child that is killed leaves no core dump.
    pub(super) limits: &'static [Limit],
    /// The niceness of the child.
    pub(super) niceness: i32,
    /// The longest answer of the child.
    pub(super) max_answer_bytes: usize,
}

/// The line of a child that found a `T`, or refuses what it looked at for the reasons `R`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Answer<T, R> {
    Ok(T),
    Rejected(R),
    /// The answer is longer than allowed.
    TooLong,
    /// A fault of ours.
    Broken(String),
}

/// Why a child found nothing.
#[derive(Debug)]
pub(super) enum Fault<R> {
    /// What it looked at cannot be used.
    Rejected(R),
    /// It took too much time or memory.
    TooMuch,
    /// The answer is longer than allowed.
    TooLong,
    /// The child panicked.
    Panicked(String),
    /// The look itself failed, which says nothing about the file.
    Broken(String),
}

impl Look {
    /// Runs a child, whose side is [`Look::answer`], in an empty folder of its own `beside` the file: a relative name that a stranger wrote
    /// leads to nothing there. Paths that the child is given are absolute.
    pub(super) async fn ask<T: DeserializeOwned, R: DeserializeOwned>(
        &self,
        mut command: Command,
        beside: &Path,
    ) -> Result<T, Fault<R>> {
        let folder = empty_folder(beside);
        let folder = folder.map_err(|error| Fault::Broken(format!("no folder: {error}")))?;
        command
            .current_dir(folder.path())
            .env("TMPDIR", folder.path());
        walls::tell(&mut command);
        // One byte more than an answer may have, to recognise an answer that was cut.
        let look = one_line(command, self.max_answer_bytes as u64 + 1);
        match tokio::time::timeout(self.wall, look).await {
            Ok(Ok((status, line))) => understand(status, &line),
            Ok(Err(error)) => Err(Fault::Broken(error.to_string())),
            Err(_) => Err(Fault::TooMuch),
        }
    }

    /// The child's side, to be called before anything else in a process of its own: limits this process for good, raises the walls around
    /// it and its folder, looks, and returns the line to print.
    pub(super) fn answer<T: Serialize, R: Serialize>(
        &self,
        walls: Walls,
        look: impl FnOnce() -> Answer<T, R>,
    ) -> String {
        self.answer_unwalled(|| {
            let own = std::env::current_dir();
            let own = own.map_err(|error| format!("there is no folder: {error}"));
            let raised = own.and_then(|own| {
                let raised = walls::raise(&walls.writing(&own));
                raised.map_err(|error| error.to_string())
            });
            match raised {
                Ok(_) => look(),
                Err(reason) => Answer::Broken(reason),
            }
        })
    }

    /// The same without walls.
    pub(super) fn answer_unwalled<T: Serialize, R: Serialize>(
        &self,
        look: impl FnOnce() -> Answer<T, R>,
    ) -> String {
        // Without it the child is only less considerate.
        let _ = rustix::process::nice(self.niceness);
        let answer = match self.limit_this_process() {
            Ok(()) => look(),
            // Without limits nothing is read.
            Err(error) => Answer::Broken(format!("the limits cannot be set: {error}")),
        };
        let line = as_line(&answer);
        if line.len() <= self.max_answer_bytes {
            return line;
        }
        as_line(&Answer::<T, R>::TooLong)
    }

    /// Limits this process for good, and ties it to its parent.
    fn limit_this_process(&self) -> std::io::Result<()> {
        super::die_with_parent();
        for (resource, most) in self.limits.iter().chain(&[(Resource::Core, 0)]) {
            let limit = Rlimit {
                current: Some(*most),
                maximum: Some(*most),
            };
            setrlimit(*resource, limit)?;
        }
        Ok(())
    }
}

/// The absolute form of a path. Where the system does not say which folder this process is in, the path stays as it was.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn empty_folder(beside: &Path) -> std::io::Result<TempDir> {
    let beside = absolute(beside);
    let within = beside.parent().unwrap_or(&beside);
    tempfile::Builder::new().prefix("look-").tempdir_in(within)
}

fn as_line<T: Serialize, R: Serialize>(answer: &Answer<T, R>) -> String {
    serde_json::to_string(answer).unwrap_or_else(|error| format!("{{\"broken\":\"{error}\"}}"))
}

/// Runs a child that prints one line: how it ended, and at most `max_bytes` of what it printed.
async fn one_line(mut command: Command, max_bytes: u64) -> std::io::Result<(ExitStatus, Vec<u8>)> {
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

fn understand<T: DeserializeOwned, R: DeserializeOwned>(
    status: ExitStatus,
    line: &[u8],
) -> Result<T, Fault<R>> {
    match serde_json::from_slice(line) {
        Ok(Answer::Ok(found)) => Ok(found),
        Ok(Answer::Rejected(reason)) => Err(Fault::Rejected(reason)),
        Ok(Answer::TooLong) => Err(Fault::TooLong),
        Ok(Answer::Broken(reason)) => Err(Fault::Broken(reason)),
        // Killed by a signal: that of a limit, or the abort after an allocation that a limit refused.
        Err(_) if status.code().is_none() => Err(Fault::TooMuch),
        Err(error) if status.code() == Some(PANICKED) => Err(Fault::Panicked(error.to_string())),
        Err(error) => Err(Fault::Broken(format!(
            "the child ended with {status} and no answer: {error}"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_child_that_a_limit_ended_speaks_against_what_it_saw_and_one_that_failed_does_not() {
        use std::os::unix::process::ExitStatusExt as _;

        let ended = |raw| understand::<(), String>(ExitStatus::from_raw(raw), b"");
        assert!(matches!(ended(9), Err(Fault::TooMuch)));
        assert!(matches!(ended(1 << 8), Err(Fault::Broken(_))));
        assert!(matches!(ended(PANICKED << 8), Err(Fault::Panicked(_))));
    }

    #[test]
    fn what_the_child_says_arrives() {
        let hear = |answer: &Answer<u32, String>| {
            understand(ExitStatus::default(), as_line(answer).as_bytes())
        };
        assert!(matches!(hear(&Answer::Ok(7)), Ok(7)));
        let refused: Result<u32, Fault<String>> = hear(&Answer::Rejected("no".to_owned()));
        assert!(matches!(refused, Err(Fault::Rejected(reason)) if reason == "no"));
        assert!(matches!(hear(&Answer::TooLong), Err(Fault::TooLong)));
    }
}
