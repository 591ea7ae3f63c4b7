use std::path::Path;

use super::FilesError;
use super::error::local;

/// Deletes the staging files under `folder`: the local store names them like the file that they will become, followed
/// by `#` and a number, and hides them from its lists.
pub(super) fn sweep(folder: &Path) -> Result<(), FilesError> {
    let entries = std::fs::read_dir(folder).map_err(|source| local(folder, source))?;
    for entry in entries {
        let entry = entry.map_err(|source| local(folder, source))?;
        let path = entry.path();
        let kind = entry.file_type().map_err(|source| local(&path, source))?;
        if kind.is_dir() {
            sweep(&path)?;
        } else if entry.file_name().to_str().is_some_and(is_staging_name) {
            std::fs::remove_file(&path).map_err(|source| local(&path, source))?;
        }
    }
    Ok(())
}

fn is_staging_name(name: &str) -> bool {
    name.split_once('#').is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
