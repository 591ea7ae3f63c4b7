use std::path::PathBuf;

use crate::files::FilesError;
use crate::model::ModelError;
use crate::store::StoreError;
use crate::worker::import::ImportFault;

/// Why the models could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The files are no model that can be used, or do not say everything about it.
    #[error(transparent)]
    Import(#[from] ImportFault),
    /// It is another kind of model than was wanted.
    #[error("it is no voice, but a model of the kind {kind}")]
    NoVoice {
        /// What it is.
        kind: &'static str,
    },
    /// A package of this id is there.
    #[error("there is a package {0} already: remove it first, or give this one another id")]
    IdTaken(String),
    /// There is no such package.
    #[error("there is no package {0}")]
    Missing(String),
    /// The package lies in a folder of the settings, which is not for the program to change.
    #[error("package {id} was not imported but lies in {}: remove it there", .folder.display())]
    NotImported {
        /// The package.
        id: String,
        /// Where it lies.
        folder: PathBuf,
    },
    /// A folder or file of the data folder cannot be read or written.
    #[error("cannot read or write {}: {source}", .path.display())]
    Io {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A blocking task was lost.
    #[error("the work was interrupted: {0}")]
    Interrupted(#[from] tokio::task::JoinError),
    /// A package does not open.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The database failed, or refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
}
