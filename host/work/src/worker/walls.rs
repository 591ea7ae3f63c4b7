//! The walls around children: which of them are required, and what a child may reach.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::{Deserialize, Serialize};
use tokio::process::Command;
use vocalhost_sandbox::{Report, Sandbox, SandboxError, Walls};

use super::child::{self, Fault, LIGHT};
use super::import::ImportOrder;

/// The variable that passes the choice on to a child. It is also that of the setting itself.
const VARIABLE: &str = "VOCALHOST_SANDBOX";

/// The depth to which links are followed in a folder of models: the packages, and the files in them.
const LINK_DEPTH: usize = 2;

/// What was chosen for the children of this process.
static CHOSEN: Mutex<Option<Sandbox>> = Mutex::new(None);

/// Sets which walls the children of this process must have from now on.
pub fn choose(sandbox: Sandbox) {
    if let Ok(mut chosen) = CHOSEN.lock() {
        *chosen = Some(sandbox);
    }
}

/// Passes the choice on to a child, which otherwise goes by its own environment.
pub(super) fn tell(command: &mut Command) {
    if let Ok(chosen) = CHOSEN.lock()
        && let Some(sandbox) = *chosen
    {
        command.env(VARIABLE, sandbox.as_str());
    }
}

/// Raises the walls around this child.
///
/// # Errors
/// When a layer is missing and all are required.
pub(super) fn raise(walls: &Walls) -> Result<Report, SandboxError> {
    let told = std::env::var(VARIABLE).ok();
    let told = told.and_then(|word| word.parse().ok());
    walls.raise(told.unwrap_or_default())
}

/// Lets a child read folders of models. Links in them are resolved when the walls are raised.
pub(super) fn reading_models(walls: Walls, folders: &[PathBuf]) -> Walls {
    let mut linked = Vec::new();
    for folder in folders {
        follow(folder, LINK_DEPTH, &mut linked);
    }
    let all = folders.iter().chain(&linked);
    all.fold(walls, |walls, path| walls.reading(path))
}

fn follow(folder: &Path, depth: usize, linked: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_symlink() {
            linked.extend(path.canonicalize());
        }
        if depth > 1 && path.is_dir() {
            follow(&path, depth - 1, linked);
        }
    }
}

/// Lets a child load the inference library, and the files beside it: the parts for its providers, and their own libraries.
pub(super) fn reading_library(walls: Walls, library: Option<&Path>) -> Walls {
    let found = vocalhost_model::Runtime::locate(library).ok();
    match found.as_deref().and_then(Path::parent) {
        Some(folder) => walls.reading(folder),
        None => walls,
    }
}

/// What an import may reach. To read: the files of the model, and what a trial of a voice needs. To write: the folder that the package is
/// made in, with the trial's beside it.
pub(super) fn of_import(order: &ImportOrder) -> Walls {
    let files = order.files.iter();
    let walls = files.fold(Walls::new(), |walls, file| walls.reading(file));
    let walls = reading_models(walls, &order.models_dirs);
    let walls = reading_library(walls, order.onnxruntime.as_deref());
    walls.writing(order.target.parent().unwrap_or(&order.target))
}

/// What a child found out about the walls that it raised.
#[derive(Debug, Serialize, Deserialize)]
struct Found {
    report: Report,
}

/// Has a child, `program check-walls`, raise all walls and report which of them stand. Its folder is made in `within`.
///
/// # Errors
/// When there is no such child.
pub async fn check_in_child(program: &Path, within: &Path) -> Result<Report, String> {
    let mut command = Command::new(program);
    command.arg("check-walls");
    let found: Result<Found, Fault<String>> = LIGHT.ask(command, &within.join("walls")).await;
    match found {
        Ok(found) => Ok(found.report),
        Err(Fault::Rejected(reason) | Fault::Panicked(reason) | Fault::Broken(reason)) => {
            Err(reason)
        }
        Err(Fault::TooMuch | Fault::TooLong) => Err("it took too much time or memory".to_owned()),
    }
}

/// The child's side: raises the walls, and gives the line to print.
#[must_use]
pub fn answer() -> String {
    LIGHT.answer_unwalled(|| {
        // A missing layer is part of the answer, not an error.
        match Walls::new().raise(Sandbox::Auto) {
            Ok(report) => child::Answer::<_, String>::Ok(Found { report }),
            Err(error) => child::Answer::Broken(error.to_string()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_folders_of_models_are_followed_to_files_and_packages() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("it is there");
        let (models, elsewhere) = (root.join("models"), root.join("elsewhere"));
        for one in [&models.join("own"), &elsewhere] {
            std::fs::create_dir_all(one).expect("a folder");
        }
        std::fs::write(elsewhere.join("graph.onnx"), "graph").expect("written");
        let link = |to: &Path, at: &Path| std::os::unix::fs::symlink(to, at).expect("a link");
        link(&elsewhere, &models.join("package"));
        link(
            &elsewhere.join("graph.onnx"),
            &models.join("own/graph.onnx"),
        );
        let mut linked = Vec::new();
        follow(&models, LINK_DEPTH, &mut linked);
        linked.sort();
        assert_eq!(linked, [elsewhere.clone(), elsewhere.join("graph.onnx")]);
    }
}
