use std::io::Write as _;
use std::path::Path;

use tempfile::TempPath;

use super::KitError;

/// A file beside `path` that is deleted unless it is moved to its place.
pub(super) fn unfinished(path: &Path) -> Result<TempPath, KitError> {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let file = tempfile::Builder::new()
        .prefix(".vocalhost-")
        // As any program would make it; the user's mask is taken off.
        .permissions(std::fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(|source| failed(path, source))?;
    Ok(file.into_temp_path())
}

/// Puts an unfinished file in its place.
pub(super) fn keep(unfinished: TempPath, path: &Path) -> Result<(), KitError> {
    unfinished
        .persist(path)
        .map_err(|error| failed(path, error.error))
}

/// Writes a file, whole or not at all.
pub fn write_whole(path: &Path, content: &[u8]) -> Result<(), KitError> {
    let written = unfinished(path)?;
    std::fs::File::create(&written)
        .and_then(|mut file| file.write_all(content))
        .map_err(|source| failed(path, source))?;
    keep(written, path)
}

/// Whether a file is called what it will hold.
pub fn check_extension(path: &Path, extension: &'static str) -> Result<(), KitError> {
    if path
        .extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(extension))
    {
        return Ok(());
    }
    Err(KitError::Extension {
        path: path.to_owned(),
        extension,
    })
}

fn failed(path: &Path, source: std::io::Error) -> KitError {
    KitError::File {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_must_promise_what_the_file_holds() {
        assert!(check_extension(Path::new("a/b.WAV"), "wav").is_ok());
        let error = check_extension(Path::new("b.mp3"), "wav").expect_err("another format");
        assert_eq!(error.to_string(), "b.mp3 must end in .wav");
    }

    #[test]
    fn a_file_that_is_given_up_leaves_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        drop(unfinished(&folder.path().join("a.svg")).expect("begun"));
        write_whole(&folder.path().join("b.svg"), b"whole").expect("written");
        let names: Vec<_> = std::fs::read_dir(folder.path())
            .expect("readable")
            .map(|entry| entry.expect("readable").file_name())
            .collect();
        assert_eq!(names, ["b.svg"]);
    }
}
