use std::io;
use std::path::{Path, PathBuf};

/// Why a backup cannot be made or restored.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The folder that a backup goes to, or comes back to, has something in it.
    #[error("{0} is not empty")]
    NotEmpty(PathBuf),
    /// The folder that a backup goes to lies in what it is a backup of.
    #[error("{0} lies in the data folder: a backup goes somewhere else")]
    Inside(PathBuf),
    /// There is no list of files, so it is no backup or one that was never finished.
    #[error("{0} is no complete backup: it has no backup.json")]
    Incomplete(PathBuf),
    /// The list is not understood.
    #[error("the list of the backup is not understood: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// The list names something that a backup does not have.
    #[error("the list of the backup names {0:?}, which does not belong into a backup")]
    Strange(String),
    /// The backup was made by a newer release.
    #[error(
        "the backup has {what} {found}, but this release only knows up to {known}: restore it with the release that made it, or a newer one"
    )]
    Newer {
        /// What is newer.
        what: &'static str,
        /// What the backup has.
        found: i64,
        /// What this release knows.
        known: i64,
    },
    /// The backup has no recordings and results, because they lay in a bucket.
    #[error("the backup has no files, they lie in {0}: name their bucket by `files`")]
    FilesElsewhere(String),
    /// The backup has recordings and results, which would lie where nobody looks for them.
    #[error(
        "the backup has the files of a data folder, but `files` names {0}: restore it without that setting"
    )]
    FilesNotThere(String),
    /// A file is not what it was when the backup was made.
    #[error("{0} is damaged: its size or checksum is not that of the list")]
    Damaged(PathBuf),
    /// The system refused something.
    #[error("{path}: {source}")]
    System {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Says where the system refused something.
pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> BackupError + '_ {
    move |source| BackupError::System {
        path: path.to_owned(),
        source,
    }
}
