use std::io;
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};

/// Runs a command with its output shown; a failure names it.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {}", name(command)))?;
    if !status.success() {
        bail!("`{}` failed ({status})", line(command));
    }
    Ok(())
}

/// Runs a command and keeps its output; `None` when there is no such program.
pub fn capture(command: &mut Command) -> Result<Option<Output>> {
    match command.output() {
        Ok(output) => Ok(Some(output)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("cannot start {}", name(command))),
    }
}

/// Becomes the command, so that signals reach the server itself.
#[cfg(unix)]
pub fn replace_with(mut command: Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    let error = command.exec();
    Err(error).with_context(|| format!("cannot start {}", name(&command)))
}

/// Runs the command to its end, where a process cannot become another.
#[cfg(not(unix))]
pub fn replace_with(mut command: Command) -> Result<()> {
    run(&mut command)
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}

fn line(command: &Command) -> String {
    let arguments = command
        .get_args()
        .map(|argument| argument.to_string_lossy());
    std::iter::once(command.get_program().to_string_lossy())
        .chain(arguments)
        .collect::<Vec<_>>()
        .join(" ")
}
