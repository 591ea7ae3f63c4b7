//! Recordings, and places for results, looked at before anything is loaded or written over.

use std::path::Path;

use crate::cli::CliError;

/// Looks for the recording before anything is loaded.
pub fn check_recording(path: &Path) -> Result<(), CliError> {
    if path.is_file() {
        return Ok(());
    }
    if path.is_dir() {
        let what = format!("{} is a folder, not a recording", path.display());
        return Err(CliError::WrongState(what));
    }
    Err(CliError::Missing(format!("recording {}", path.display())))
}

/// Looks whether a file can be where the result is wanted, before anything is loaded.
pub fn check_place(path: &Path) -> Result<(), CliError> {
    let is_folder = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    let folder = if is_folder { Some(path) } else { path.parent() };
    match folder.filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        Some(folder) => Err(CliError::Missing(format!("folder {}", folder.display()))),
        None => Ok(()),
    }
}

/// Refuses to write a result over the recording that it is made of.
pub fn check_apart(recording: &Path, result: &Path) -> Result<(), CliError> {
    match (recording.canonicalize(), result.canonicalize()) {
        (Ok(recording), Ok(result)) if recording == result => {
            let what = format!(
                "{} is the recording itself and would be written over: name another place",
                result.display()
            );
            Err(CliError::WrongState(what))
        }
        _ => Ok(()),
    }
}
