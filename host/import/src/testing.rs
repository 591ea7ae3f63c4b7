//! Imports as the tests of this crate make them.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::{Answers, ImportError, ImportRequest, Imported, import};
use vocalhost_model::Kind;

/// Imports these files into the folder `target`, with nothing said about them, where only `only` is wanted.
pub(crate) fn import_into(
    target: &Path,
    files: &[PathBuf],
    only: Option<Kind>,
) -> Result<Imported, ImportError> {
    import(&ImportRequest {
        files,
        answers: &Answers::default(),
        target,
        today: "2026-11-28",
        only,
        identities: &[],
    })
}

/// The same into a folder of its own.
pub(crate) fn imported(
    files: &[PathBuf],
    only: Option<Kind>,
) -> (Result<Imported, ImportError>, TempDir) {
    let target = tempfile::tempdir().expect("a temporary folder");
    (import_into(target.path(), files, only), target)
}

/// Why these files are refused.
pub(crate) fn refusal(files: &[PathBuf]) -> String {
    match imported(files, None).0 {
        Err(ImportError::Refused { reason, .. }) => reason,
        other => panic!("not refused: {other:?}"),
    }
}
