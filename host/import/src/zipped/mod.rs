//! Archives (ZIP) in which voices are handed around: a checkpoint or a graph, its index perhaps, and what else was lying there.
//!
//! Two files at most are unpacked, under names of our own making, into a folder that goes when the import is over. Everything
//! else is passed over and reported; archives in the archive are not opened.

mod choice;
mod listing;
#[cfg(test)]
mod tests;
mod unpack;

use std::path::{Path, PathBuf};

use vocalhost_letters::words::quoted;

use super::kind::{FileKind, kind_of};
use super::package::at;
use super::{Answers, ImportError, ImportRequest, Imported, given};
use choice::{Choice, choose};
use listing::{Listed, Opened, Wares};

/// The most files that are named of those that are passed over.
const MAX_NAMED: usize = 8;

/// Makes a package of the model in an archive; `None` when the only file is no archive, or is one that torch wrote.
pub(super) fn import(request: &ImportRequest<'_>) -> Option<Result<Imported, ImportError>> {
    let [file] = request.files else {
        return None;
    };
    match kind_of(file) {
        Ok(FileKind::Archive) => {}
        // Whoever sorts files by their kinds says what is wrong.
        Ok(_) | Err(_) => return None,
    }
    match listing::open(file) {
        Ok(Opened::Torch | Opened::Unlisted) => None,
        Ok(Opened::Wares(wares)) => Some(of_wares(request, file, &wares)),
        Err(reason) => Some(Err(refused(file, reason))),
    }
}

fn of_wares(
    request: &ImportRequest<'_>,
    file: &Path,
    wares: &Wares,
) -> Result<Imported, ImportError> {
    let choice = choose(&wares.listed).map_err(|reason| refused(file, reason))?;
    for listed in choice.taken() {
        unpack::check(wares, listed).map_err(|reason| refused(file, named(listed, &reason)))?;
    }
    let folder = tempfile::tempdir().map_err(at(&std::env::temp_dir()))?;
    let mut files = Vec::new();
    for (listed, place) in choice.taken().zip(["model", "index"]) {
        // Whatever their names are made into, the two are not the same.
        let target = folder.path().join(place);
        std::fs::create_dir(&target).map_err(at(&target))?;
        let target = target.join(unpack::tame(&listed.name));
        unpack::unpack(wares, listed, &target).map_err(|fault| match fault {
            unpack::Fault::Damaged(reason) => refused(file, named(listed, &reason)),
            unpack::Fault::Io(error) => at(&target)(error),
        })?;
        files.push(target);
    }
    // A name given to untitled models was chosen without knowing this file's own.
    let answers = Answers {
        untitled: None,
        ..request.answers.clone()
    };
    let unpacked = ImportRequest {
        files: &files,
        answers: &answers,
        ..*request
    };
    let mut imported =
        given::import(&unpacked).map_err(|error| outside(error, file, &files, &choice))?;
    imported.found.splice(0..0, told(&choice));
    Ok(imported)
}

/// What was found in the archive, a sentence each.
fn told(choice: &Choice<'_>) -> Vec<String> {
    let model = quoted(&choice.model.name);
    let mut said = vec![match choice.index {
        Some(index) => format!(
            "From an archive (ZIP): {model} and its index {}.",
            quoted(&index.name)
        ),
        None => format!("From an archive (ZIP): {model}."),
    }];
    if !choice.others.is_empty() {
        said.push(format!(
            "Passed over in the archive: {}.",
            names(&choice.others)
        ));
    }
    said
}

/// Names of files in the archive, the first of many.
fn names(listed: &[&Listed]) -> String {
    let first = listed.iter().take(MAX_NAMED);
    let first: Vec<String> = first.map(|one| quoted(&one.name)).collect();
    match listed.len().saturating_sub(MAX_NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// The error of an unpacked file as one of the archive, which is what people gave.
fn outside(
    error: ImportError,
    archive: &Path,
    files: &[PathBuf],
    choice: &Choice<'_>,
) -> ImportError {
    let ImportError::Refused { file, reason } = error else {
        return error;
    };
    let at_fault = files
        .iter()
        .zip(choice.taken())
        .find(|(one, _)| **one == file);
    let reason = at_fault.map_or(reason.clone(), |(_, listed)| named(listed, &reason));
    refused(archive, reason)
}

fn named(listed: &Listed, reason: &str) -> String {
    format!("its file {} {reason}", quoted(&listed.name))
}

fn refused(file: &Path, reason: String) -> ImportError {
    ImportError::Refused {
        file: file.to_owned(),
        reason,
    }
}
