use std::io;
use std::path::PathBuf;

use vocalhost_files::FilesError;
use vocalhost_store::{MoveError, StoreError};

/// Why an installation cannot be moved.
#[derive(Debug, thiserror::Error)]
pub enum MovingError {
    /// What it is to be moved to has something in it that this move has not put there.
    #[error("{0} is in use already: name an empty place, or move away what is there")]
    Used(String),
    /// Somebody else works on the database.
    #[error("vocalhost has {connections} connections to {place}: stop every server first")]
    InUse {
        /// The database.
        place: String,
        /// How many connections there are.
        connections: u64,
    },
    /// A file did not arrive as it was sent.
    #[error("the file {0} is not the same where it was copied to: try again")]
    Damaged(String),
    /// The rows cannot be copied.
    #[error("cannot copy the database: {0}")]
    Rows(#[from] MoveError),
    /// A database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The note of what was begun is not understood.
    #[error("{path} is not understood: {source}")]
    Note {
        /// The note.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// The system refused something.
    #[error("{path}: {source}")]
    System {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}
