//! A glance at a model that may be imported, in a child process with limits of its own: enough to list it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Resource;
use tokio::process::Command;

use super::child::{self, BESIDE_JOBS, Fault, Look, absolute};
use super::import::ImportFault;
use vocalhost_import::ImportError;
use vocalhost_letters::words::plain;
use vocalhost_sandbox::Walls;

pub use vocalhost_import::{Glance, Seen, SettingsOf};

/// A graph of the largest size is read whole and parsed, which takes some seconds and little more memory than the graph itself. Nothing is
/// written.
const LOOK: Look = Look {
    wall: Duration::from_mins(3),
    limits: &[
        (Resource::Data, 3 << 30),
        (Resource::Cpu, 60),
        (Resource::Fsize, 0),
    ],
    niceness: BESIDE_JOBS,
    max_answer_bytes: 64 << 10,
};

/// The most characters of a reason.
const MAX_SENTENCE: usize = 2_000;

type Answer = child::Answer<Glance, String>;

/// Looks at the model `file` in a child process, `program glance-at-model FILE BESIDE…`, whose empty folder lies in `folder`;
/// `beside` are files that may hold its weights.
pub async fn glance_in_child(
    program: &Path,
    folder: &Path,
    file: &Path,
    beside: &[PathBuf],
) -> Result<Glance, ImportFault> {
    let mut command = Command::new(program);
    command
        .arg("glance-at-model")
        .arg(absolute(file))
        .args(beside.iter().map(|one| absolute(one)));
    let rejected = |reason: &str| ImportFault::Rejected {
        file: None,
        reason: reason.to_owned(),
    };
    let looked: Result<Glance, Fault<String>> = LOOK.ask(command, &folder.join("glance")).await;
    looked.map_err(|fault| match fault {
        Fault::Rejected(reason) => rejected(&reason),
        Fault::TooMuch | Fault::TooLong => {
            rejected("asks for more time or memory than a look at any model takes")
        }
        Fault::Panicked(reason) => {
            tracing::error!(%reason, "a glance at a model ended in a panic");
            rejected("cannot be read")
        }
        Fault::Broken(reason) => ImportFault::Broken(reason),
    })
}

/// The child's side, to be called before anything else in a process of its own: limits this process for good, looks at the file, and
/// gives the line to print.
#[must_use]
pub fn answer(file: &Path, beside: &[PathBuf]) -> String {
    let walls = beside
        .iter()
        .fold(Walls::new().reading(file), |walls, one| walls.reading(one));
    LOOK.answer(walls, || match vocalhost_import::glance(file, beside) {
        Ok(glance) => Answer::Ok(glance),
        Err(ImportError::Refused { reason, .. }) => Answer::Rejected(plain(&reason, MAX_SENTENCE)),
        Err(ImportError::Io { source, .. }) => {
            Answer::Rejected(format!("cannot be read: {source}"))
        }
        // The others are for imports: questions, and unwanted kinds.
        Err(other) => Answer::Broken(other.to_string()),
    })
}
