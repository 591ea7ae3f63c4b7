//! The MP3 that goes with a file of a result, made from that file in a child process with limits of its own.

use std::path::Path;
use std::time::Duration;

use rustix::process::Resource;
use tokio::process::Command;

use super::child::{Answer, Fault, Look, absolute};
use vocalhost_job::FileContent;
use vocalhost_pipeline::{PipelineError, make_lossy};
use vocalhost_sandbox::Walls;

/// Processor time: enough for a day of sound, where a minute takes half a second. Files: that day at 192 kbit/s.
const LOOK: Look = Look {
    wall: Duration::from_mins(30),
    limits: &[
        (Resource::As, 512 << 20),
        (Resource::Cpu, 900),
        (Resource::Fsize, 2 << 30),
    ],
    niceness: 0,
    max_answer_bytes: 64 << 10,
};

/// Why there is no MP3.
#[derive(Debug, thiserror::Error)]
#[error("cannot make the lossy file: {0}")]
pub(crate) struct LossyFailed(String);

/// Makes the MP3 `target` from a file of ours in a child process, `program make-lossy SOURCE TARGET`. The target already exists, and is
/// empty: the child may write nothing else in its folder. It may be read while it grows: see [`make_lossy`].
pub(crate) async fn make_in_child(
    program: &Path,
    source: &Path,
    target: &Path,
) -> Result<FileContent, LossyFailed> {
    let mut command = Command::new(program);
    command
        .arg("make-lossy")
        .args([source, target].map(absolute));
    LOOK.ask(command, source).await.map_err(|fault| {
        LossyFailed(match fault {
            Fault::Rejected(reason) | Fault::Panicked(reason) | Fault::Broken(reason) => reason,
            Fault::TooMuch | Fault::TooLong => "it took too much time or memory".to_owned(),
        })
    })
}

/// The child's side, to be called before anything else in a process of its own: limits this process for good, makes the file, and
/// returns the line to print.
#[must_use]
pub fn answer(source: &Path, target: &Path) -> String {
    let walls = Walls::new().reading(source).writing(target);
    LOOK.answer(walls, || match make_lossy(source, target) {
        Ok(content) => Answer::Ok(content),
        Err(error @ PipelineError::Decode(_)) => Answer::Rejected(error.to_string()),
        Err(error) => Answer::Broken(error.to_string()),
    })
}
