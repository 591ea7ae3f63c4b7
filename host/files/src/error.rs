use std::path::PathBuf;

/// What can go wrong with stored files.
#[derive(Debug, thiserror::Error)]
pub enum FilesError {
    /// There is no file under this key.
    #[error("there is no file {key}")]
    NotFound {
        /// The key.
        key: String,
    },
    /// The key is not one that a file can have.
    #[error("{key:?} is not a key of a file: {reason}")]
    Key {
        /// The key.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A local file could not be read or written.
    #[error("cannot read or write {path}: {source}")]
    Local {
        /// The local file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The store itself failed.
    #[error("the file store failed: {0}")]
    Store(object_store::Error),
}
