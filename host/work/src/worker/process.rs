use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tempfile::TempDir;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::frame::{self, FrameError};
use super::protocol::{Order, Report, WorkOrder};
use super::walls;

/// How to start a worker.
#[derive(Debug, Clone)]
pub struct WorkerCommand {
    /// The program; usually this one.
    pub program: PathBuf,
    /// Its arguments; paths among them are absolute.
    pub arguments: Vec<OsString>,
    /// Where each worker gets a folder of its own, which is its current and its temporary folder. It is empty at first, so that a relative
    /// name that a stranger wrote leads to nothing, and is deleted with the worker however that ends. Made if it is missing.
    pub temporary: PathBuf,
    /// How long it may take to report that it is ready.
    pub start_limit: Duration,
}

/// Why there is no worker.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The program could not be started.
    #[error("cannot start {program}: {source}")]
    Spawn {
        /// The program.
        program: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The worker's own folder cannot be made.
    #[error("cannot make a folder in {folder}: {source}")]
    Folder {
        /// Where.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It did not report in time.
    #[error("the worker did not report within {} s", limit.as_secs())]
    TooSlow {
        /// The time that it had.
        limit: Duration,
    },
    /// It ended, or said something else.
    #[error("the worker did not get ready: {reason}")]
    NotReady {
        /// What happened.
        reason: String,
    },
}

/// A worker that runs. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct WorkerProcess {
    child: Child,
    orders: ChildStdin,
    reports: ChildStdout,
    /// For the log and for the watch over its memory.
    pub(crate) pid: u32,
    /// How many jobs it has had.
    pub(super) jobs: u32,
    /// Where the scratch folder of its current job belongs.
    lent: Option<PathBuf>,
    /// Dropped after `child`, which writes into it.
    temporary: TempDir,
}

impl WorkerProcess {
    /// Starts a worker and waits until it is ready.
    pub(crate) async fn start(command: &WorkerCommand) -> Result<Self, StartError> {
        let spawn_error = |source| StartError::Spawn {
            program: command.program.clone(),
            source,
        };
        let temporary = temporary_folder(&command.temporary)?;
        let mut child = command_line(command)
            .current_dir(temporary.path())
            .env("TMPDIR", temporary.path())
            .spawn()
            .map_err(spawn_error)?;
        let (Some(orders), Some(reports), Some(pid)) =
            (child.stdin.take(), child.stdout.take(), child.id())
        else {
            return Err(spawn_error(std::io::ErrorKind::BrokenPipe.into()));
        };
        let mut worker = Self {
            child,
            orders,
            reports,
            pid,
            jobs: 0,
            lent: None,
            temporary,
        };
        match tokio::time::timeout(command.start_limit, worker.report()).await {
            Ok(Ok(Report::Ready)) => {
                tracing::debug!(pid, "worker ready");
                Ok(worker)
            }
            Ok(Ok(other)) => {
                worker.kill().await;
                Err(StartError::NotReady {
                    reason: format!("it reported {other:?}"),
                })
            }
            Ok(Err(error)) => Err(StartError::NotReady {
                reason: worker.kill_and_tell(&error).await,
            }),
            Err(_) => {
                worker.kill().await;
                Err(StartError::TooSlow {
                    limit: command.start_limit,
                })
            }
        }
    }

    /// Gives it an order.
    pub(crate) async fn order(&mut self, order: &Order) -> Result<(), FrameError> {
        frame::send(&mut self.orders, order).await
    }

    /// Moves the scratch folder of a job into the worker's own folder, and returns the order with the paths there. The worker sees no other
    /// job's files.
    pub(super) fn lend(&mut self, order: WorkOrder) -> std::io::Result<WorkOrder> {
        let place = self.place();
        std::fs::rename(&order.scratch, &place)?;
        self.lent = Some(order.scratch.clone());
        Ok(order.moved_to(&place))
    }

    /// Moves the scratch folder back to where the server looks for the results.
    pub(super) fn give_back(&mut self) {
        let Some(scratch) = self.lent.take() else {
            return;
        };
        if let Err(error) = std::fs::rename(self.place(), &scratch) {
            tracing::warn!(folder = %scratch.display(), %error, "cannot take a scratch folder back");
        }
    }

    /// A further folder for files that the worker is given. Made if it is missing.
    pub(crate) fn folder(&self) -> std::io::Result<PathBuf> {
        let place = self.place();
        std::fs::create_dir_all(&place)?;
        Ok(place)
    }

    /// Splits it into the pipes for orders and reports, for a caller that sends orders while it waits for reports, and the process, which
    /// is killed on drop.
    pub(crate) fn apart(self) -> (ChildStdin, ChildStdout, LiveProcess) {
        let process = LiveProcess {
            child: self.child,
            _temporary: self.temporary,
        };
        (self.orders, self.reports, process)
    }

    fn place(&self) -> PathBuf {
        self.temporary.path().join("job")
    }

    /// Waits for its next report.
    pub(crate) async fn report(&mut self) -> Result<Report, FrameError> {
        frame::receive(&mut self.reports).await
    }

    /// Whether it still runs.
    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills it and waits until it is gone, so that it no longer writes into the scratch folder.
    pub(crate) async fn kill(mut self) {
        if let Err(error) = self.child.kill().await {
            tracing::warn!(pid = self.pid, %error, "cannot kill a worker");
        }
        self.give_back();
    }

    /// Kills it and says how it ended: an error on the pipe is often only a consequence of that.
    pub(crate) async fn kill_and_tell(mut self, error: &FrameError) -> String {
        // It closed its pipe, so it is ending by itself: its own exit status says more than our signal would.
        let by_itself = matches!(error, FrameError::Closed);
        if by_itself
            && let Ok(Ok(status)) = tokio::time::timeout(LAST_BREATH, self.child.wait()).await
        {
            self.give_back();
            return format!("it ended ({status})");
        }
        self.kill().await;
        error.to_string()
    }
}

/// A process whose pipes are used elsewhere. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct LiveProcess {
    child: Child,
    /// Dropped after `child`, which writes into it.
    _temporary: TempDir,
}

impl LiveProcess {
    /// Kills it and waits until it is gone.
    pub(crate) async fn kill(mut self) {
        if let Err(error) = self.child.kill().await {
            tracing::warn!(%error, "cannot kill the worker of a live conversion");
        }
    }
}

/// How long a process that closed its pipe may take to end.
const LAST_BREATH: Duration = Duration::from_secs(1);

fn temporary_folder(within: &Path) -> Result<TempDir, StartError> {
    let made = std::fs::create_dir_all(within).and_then(|()| {
        tempfile::Builder::new()
            .prefix("worker-")
            .tempdir_in(within)
    });
    made.map_err(|source| StartError::Folder {
        folder: within.to_owned(),
        source,
    })
}

fn command_line(command: &WorkerCommand) -> Command {
    let mut line = Command::new(&command.program);
    line.args(&command.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .kill_on_drop(true);
    // A process group of its own: Ctrl-C in a terminal is for the server, which then ends its workers in good order.
    #[cfg(unix)]
    line.process_group(0);
    walls::tell(&mut line);
    line
}
