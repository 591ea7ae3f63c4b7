//! What may keep a server from starting.

use std::io;
use std::path::PathBuf;

use vocalhost_catalogues::library::LibraryError;
use vocalhost_catalogues::shelf::ShelfError;
use vocalhost_effects::PluginError;
use vocalhost_files::FilesError;
use vocalhost_hooks::TlsError;
use vocalhost_http::ServeError;
use vocalhost_model::ModelError;
use vocalhost_store::StoreError;
use vocalhost_work::scheduler::LockError;

/// Why the server could not start.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// The data folder cannot be used.
    #[error("cannot use the data folder {folder}: {source}")]
    DataFolder {
        /// The folder, or the path in it.
        folder: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another server works in the data folder, or it cannot be locked.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A layer of the sandbox is missing, and the settings require all.
    #[error("the setting `sandbox` is `required`, but {0}")]
    Sandbox(String),
    /// The program cannot find itself, so it could start no workers.
    #[error("cannot find the program's own file: {0}")]
    Program(io::Error),
    /// A blocking task was lost.
    #[error("the start was interrupted: {0}")]
    Interrupted(#[from] tokio::task::JoinError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The system gave no random numbers.
    #[error("cannot draw a random name: {0}")]
    Randomness(io::Error),
    /// The effects cannot be loaded.
    #[error(transparent)]
    Effects(#[from] PluginError),
    /// The effects cannot be entered into the database.
    #[error(transparent)]
    Shelf(#[from] ShelfError),
    /// The models cannot be read or entered into the database.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The settings and the models do not go together.
    #[error("{0}")]
    Settings(String),
    /// The workers would find no inference library.
    #[error(transparent)]
    Runtime(#[from] ModelError),
    /// Webhooks could not be sent.
    #[error(transparent)]
    Webhooks(#[from] TlsError),
    /// The server cannot listen.
    #[error(transparent)]
    Serve(#[from] ServeError),
}
