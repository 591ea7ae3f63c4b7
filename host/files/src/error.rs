use std::path::{Path, PathBuf};

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
    /// A bucket cannot be used as it is set up.
    #[error("{reason}")]
    Unusable {
        /// A sentence for whoever set it up.
        reason: String,
    },
    /// The store of a bucket did not do what was asked, through a fault of its own or of the network: it may work later.
    #[error("the file store {place} failed: {source}")]
    Unavailable {
        /// Which bucket where.
        place: String,
        /// What happened.
        source: object_store::Error,
    },
    /// Less of a file came than there is.
    #[error("only {fetched} of {whole} bytes of {key} came from the file store")]
    Cut {
        /// The file's key.
        key: String,
        /// What came.
        fetched: u64,
        /// What there is.
        whole: u64,
    },
    /// The store itself failed.
    #[error("the file store failed: {0}")]
    Store(object_store::Error),
}

impl FilesError {
    /// Whether the same call may succeed later without any change here: the store is another program on other machines.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Unavailable { .. } | Self::Cut { .. } => true,
            Self::NotFound { .. }
            | Self::Key { .. }
            | Self::Local { .. }
            | Self::Unusable { .. }
            | Self::Store(_) => false,
        }
    }
}

/// What is wrong with a local file.
pub(super) fn local(path: &Path, source: std::io::Error) -> FilesError {
    FilesError::Local {
        path: path.to_owned(),
        source,
    }
}
