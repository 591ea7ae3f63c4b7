//! A look at a model that somebody wants to import, in a child process with limits of its own: the server itself reads
//! nothing of it. The child makes a package of it and tries it out.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::Resource;
use serde::{Deserialize, Serialize};
use tokio::process::Command;

use super::child::{Limit, limit_this_process, one_line};
use super::trial;
use crate::import::{self, ImportError, ImportRequest};
use crate::model::{Catalog, Kind, ModelError, Package, Runtime};

pub use crate::import::{Answers, Question, Why};

/// How long whoever imports waits for the look, at the most. The child's own limit is usually nearer.
const WALL_LIMIT: Duration = Duration::from_mins(4);

/// Processor time of the child, in seconds, all threads together: hashing and writing a gigabyte takes some of them, and the
/// trial of a large separator on a slow machine some dozens.
const CPU_LIMIT_S: u64 = 180;

/// Private writable memory of the child: the largest file that a package may have, a copy of it in the inference library, and
/// what a run needs beside.
const MEMORY_BYTES: u64 = 6 << 30;

/// The largest file that the child writes: none of a package may be larger.
const FILE_BYTES: u64 = 1 << 30;

/// The limits of the child. One that is ended leaves no copy of its memory on the disk.
const LIMITS: [Limit; 4] = [
    (Resource::Data, MEMORY_BYTES),
    (Resource::Cpu, CPU_LIMIT_S),
    (Resource::Fsize, FILE_BYTES),
    (Resource::Core, 0),
];

/// How much the child steps back behind others: jobs go on beside it.
const NICENESS: i32 = 10;

/// The status that a Rust program ends with after a panic.
const PANICKED: i32 = 101;

/// The longest answer of the child: sentences about what was found, or questions.
const MAX_ANSWER_BYTES: usize = 256 << 10;

/// What the child is to do. It lies in a file beside the package that is to be.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ImportOrder {
    /// The files of one model; the first one is the model itself.
    pub files: Vec<PathBuf>,
    /// What a person said about it.
    pub answers: Answers,
    /// An empty folder, which becomes the package.
    pub target: PathBuf,
    /// The day of the import, `YYYY-MM-DD`.
    pub today: String,
    /// Folders of model packages, where a voice finds what it needs.
    pub models_dirs: Vec<PathBuf>,
    /// The ONNX Runtime library; `None` looks in the usual places.
    pub onnxruntime: Option<PathBuf>,
}

/// What a model turned out to be. Its package lies in the target folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// The package's id.
    pub id: String,
    /// What it is for.
    pub kind: Kind,
    /// The family that it belongs to, as manifests name it.
    pub family: String,
    /// What was found, a sentence each.
    pub found: Vec<String>,
}

/// Why a model was not imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportFault {
    /// The files cannot be used; whoever imports them may read why.
    #[error("{reason}")]
    Rejected {
        /// The position of the file among those of the order, if it is the fault of one.
        file: Option<usize>,
        /// What is wrong.
        reason: String,
    },
    /// The files do not say everything, or what a person said cannot be taken.
    #[error("still to be said about it: {}", names(.0))]
    Missing(Vec<Question>),
    /// The look itself failed, which says nothing about the model.
    #[error("cannot look at a model: {0}")]
    Broken(String),
}

fn names(questions: &[Question]) -> String {
    let names: Vec<&str> = questions.iter().map(|one| one.name.as_str()).collect();
    names.join(", ")
}

/// The one line that the child prints.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Ok(Findings),
    Rejected { file: Option<usize>, reason: String },
    Missing(Vec<Question>),
    Broken(String),
}

/// Makes a package of a model in a child process, `program import-model ORDER`, where `order_file` is written first.
pub async fn import_in_child(
    program: &Path,
    order: &ImportOrder,
    order_file: &Path,
) -> Result<Findings, ImportFault> {
    let broken = |error: &dyn std::fmt::Display| ImportFault::Broken(error.to_string());
    let text = serde_json::to_vec(order).map_err(|error| broken(&error))?;
    let written = tokio::fs::write(order_file, text).await;
    written.map_err(|error| broken(&error))?;
    let mut command = Command::new(program);
    command.arg("import-model").arg(order_file);
    // One byte more than an answer has tells an answer that was cut.
    let look = one_line(command, MAX_ANSWER_BYTES as u64 + 1);
    match tokio::time::timeout(WALL_LIMIT, look).await {
        Ok(Ok((status, line))) => understand(status, &line),
        Ok(Err(error)) => Err(broken(&error)),
        Err(_) => Err(too_much()),
    }
}

fn understand(status: ExitStatus, line: &[u8]) -> Result<Findings, ImportFault> {
    match serde_json::from_slice(line) {
        Ok(Answer::Ok(findings)) => Ok(findings),
        Ok(Answer::Rejected { file, reason }) => Err(ImportFault::Rejected { file, reason }),
        Ok(Answer::Missing(questions)) => Err(ImportFault::Missing(questions)),
        Ok(Answer::Broken(reason)) => Err(ImportFault::Broken(reason)),
        // It was ended by a signal: that of a limit, or that of an allocation which a limit refused.
        Err(_) if status.code().is_none() => Err(too_much()),
        // A panic: a mistake of ours, but about this file, and sending it again will not help.
        Err(error) if status.code() == Some(PANICKED) => {
            tracing::error!(%error, "looking at a model ended in a panic");
            Err(ImportFault::Rejected {
                file: None,
                reason: "the model cannot be read".to_owned(),
            })
        }
        Err(error) => Err(ImportFault::Broken(format!(
            "the child ended with {status} and no answer: {error}"
        ))),
    }
}

fn too_much() -> ImportFault {
    ImportFault::Rejected {
        file: None,
        reason: "the model asks for more time or memory than looking at one and trying it takes"
            .to_owned(),
    }
}

/// The child's side, to be called before anything else in a process of its own: limits this process for good, makes a
/// package, tries it out, and returns the line to print.
#[must_use]
pub fn answer(order_file: &Path) -> String {
    // Without it the look is only less polite.
    let _ = rustix::process::nice(NICENESS);
    let answer = match (limit_this_process(&LIMITS), read(order_file)) {
        (Ok(()), Ok(order)) => make(&order),
        // Without limits the files are not touched.
        (Err(error), _) => Answer::Broken(format!("the limits cannot be set: {error}")),
        (_, Err(reason)) => Answer::Broken(reason),
    };
    let line = serde_json::to_string(&answer)
        .unwrap_or_else(|error| format!("{{\"broken\":\"{error}\"}}"));
    if line.len() <= MAX_ANSWER_BYTES {
        return line;
    }
    r#"{"rejected":{"file":null,"reason":"there is more to say about the model than anybody would read"}}"#.to_owned()
}

fn read(order_file: &Path) -> Result<ImportOrder, String> {
    let text = std::fs::read(order_file).map_err(|error| error.to_string())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

fn make(order: &ImportOrder) -> Answer {
    let request = ImportRequest {
        files: &order.files,
        answers: &order.answers,
        target: &order.target,
        today: &order.today,
    };
    let mut found = match import::import(&request) {
        Ok(imported) => imported.found,
        Err(error) => return refusal(order, error),
    };
    let package = match Package::open(&order.target).and_then(|package| {
        package.verify()?;
        Ok(package)
    }) {
        Ok(package) => package,
        Err(error) => return rejected(order, None, &error.to_string()),
    };
    let runtime = match Runtime::load(order.onnxruntime.as_deref()) {
        Ok(runtime) => runtime,
        Err(error) => return Answer::Broken(error.to_string()),
    };
    let models = Catalog::open(&order.models_dirs);
    let scratch = order.target.with_extension("trial");
    match trial::run(&runtime, &package, &models, &scratch) {
        Ok(said) => found.extend(said),
        Err(error @ (ModelError::LibraryMissing { .. } | ModelError::LibraryUnusable { .. })) => {
            return Answer::Broken(error.to_string());
        }
        Err(error) => return rejected(order, None, &error.to_string()),
    }
    Answer::Ok(findings(&package, found))
}

fn findings(package: &Package, found: Vec<String>) -> Findings {
    let manifest = package.manifest();
    let family = serde_json::to_value(manifest.family).ok();
    let family = family.and_then(|family| family.as_str().map(str::to_owned));
    Findings {
        id: manifest.id.clone(),
        kind: manifest.kind,
        family: family.unwrap_or_default(),
        found,
    }
}

fn refusal(order: &ImportOrder, error: ImportError) -> Answer {
    let position = |file: &Path| order.files.iter().position(|one| one == file);
    match error {
        ImportError::Refused { file, reason } => rejected(order, position(&file), &reason),
        ImportError::Missing { questions } => Answer::Missing(questions),
        ImportError::Io { file, source } => match position(&file) {
            // Not even a file of a wrong kind fails to be read; one of the order that does was not there.
            Some(position) => rejected(order, Some(position), &source.to_string()),
            None => Answer::Broken(format!("{}: {source}", file.display())),
        },
    }
}

/// A refusal in words for whoever sent the model, who need not know where it lies.
fn rejected(order: &ImportOrder, file: Option<usize>, reason: &str) -> Answer {
    let mut reason = reason.to_owned();
    if let Ok(target) = order.target.canonicalize() {
        reason = reason.replace(&format!("{}/", target.display()), "");
    }
    reason = reason.replace(&format!("{}/", order.target.display()), "");
    Answer::Rejected { file, reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_that_a_limit_ended_speaks_against_the_model_and_one_that_failed_does_not() {
        use std::os::unix::process::ExitStatusExt as _;

        let by_signal = understand(ExitStatus::from_raw(9), b"");
        assert!(matches!(by_signal, Err(ImportFault::Rejected { .. })));
        let by_itself = understand(ExitStatus::from_raw(1 << 8), b"");
        assert!(matches!(by_itself, Err(ImportFault::Broken(_))));
    }

    #[test]
    fn what_the_child_says_arrives() {
        let question = Question {
            name: "n_fft".to_owned(),
            why: Why::Unsaid,
            text: "The length of the transform.".to_owned(),
            allowed: vec!["6144".to_owned()],
        };
        let line = serde_json::to_vec(&Answer::Missing(vec![question.clone()])).expect("plain");
        match understand(ExitStatus::default(), &line) {
            Err(ImportFault::Missing(questions)) => assert_eq!(questions, [question]),
            other => panic!("{other:?}"),
        }
    }
}
