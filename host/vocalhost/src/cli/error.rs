use std::path::{Path, PathBuf};

use crate::app::AppError;
use crate::backup::BackupError;
use crate::moving::MovingError;
use vocalhost_catalogues::library::LibraryError;
use vocalhost_catalogues::shelf::{EffectLimit, ShelfError};
use vocalhost_config::LoadError;
use vocalhost_effects::PluginError;
use vocalhost_files::FilesError;
use vocalhost_kit::KitError;
use vocalhost_model::ModelError;
use vocalhost_observe::log::LogError;
use vocalhost_pipeline::PipelineError;
use vocalhost_registry::{KeyError, RegistryError};
use vocalhost_store::StoreError;
use vocalhost_work::worker;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// The settings cannot be put in force.
    #[error(transparent)]
    Settings(#[from] LoadError),
    /// The log cannot be set up.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The server cannot run.
    #[error(transparent)]
    App(#[from] AppError),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The effects cannot be loaded.
    #[error(transparent)]
    Effects(#[from] PluginError),
    /// The installed effects cannot be read or changed.
    #[error(transparent)]
    Shelf(ShelfError),
    /// The models cannot be read or changed.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// A backup cannot be made or restored.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// An installation cannot be moved.
    #[error(transparent)]
    Moving(#[from] MovingError),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The author's kit could not look at an effect.
    #[error(transparent)]
    Kit(#[from] KitError),
    /// A model package cannot be used.
    #[error(transparent)]
    Models(#[from] ModelError),
    /// A recording cannot be taken apart.
    #[error(transparent)]
    Pipeline(#[from] PipelineError),
    /// The worker had to stop.
    #[error(transparent)]
    Worker(#[from] worker::WorkerError),
    /// A chain that was to be saved would be of no use.
    #[error("the chain is refused:\n{0}")]
    Chain(String),
    /// A new effect cannot be begun.
    #[error(transparent)]
    New(#[from] vocalhost_kit::new::NewError),
    /// A module cannot be made into a component.
    #[error(transparent)]
    Wrap(#[from] vocalhost_kit::wrap::WrapError),
    /// A registry cannot be used, or not for this.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A key cannot be made or used.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The system refused something that a command cannot do without.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// Why.
        source: std::io::Error,
    },
    /// A file or folder that was named cannot be used.
    #[error("{what} {}: {source}", file.display())]
    File {
        /// What was tried, such as `cannot read`.
        what: &'static str,
        /// With which one.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is there already.
    #[error("there is a {0} already")]
    Taken(String),
    /// The arguments make no sense together, or one breaks a rule that only the settings know.
    #[error("{0}")]
    Usage(String),
    /// It cannot be done now.
    #[error("{0}")]
    WrongState(String),
    /// There is no such thing.
    #[error("there is no {0}")]
    Missing(String),
    /// Something would keep a server from its work; the list says what.
    #[error("problems that were found: {0}")]
    Unwell(usize),
    /// An effect breaks rules of the interface; the report says which.
    #[error("checks that failed: {0}")]
    Unfit(usize),
}

impl From<ShelfError> for CliError {
    /// A wrong limit was given as an argument, by another name than in requests.
    fn from(error: ShelfError) -> Self {
        let ShelfError::Limit { limit, wanted } = error else {
            return Self::Shelf(error);
        };
        let argument = match limit {
            EffectLimit::MemoryBytes => "--memory-bytes",
            EffectLimit::WorkPerAudio => "--work-per-audio",
        };
        Self::Usage(format!("{argument} must be {wanted}"))
    }
}

impl CliError {
    /// Names the file in what the system says of it; `what` is what was tried, such as `cannot read`.
    pub fn of_file<'a>(
        what: &'static str,
        file: &'a Path,
    ) -> impl Fn(std::io::Error) -> Self + Copy + 'a {
        move |source| Self::File {
            what,
            file: file.to_owned(),
            source,
        }
    }

    /// The status that the program ends with: 2 when it was called wrongly, which wrong settings are, and 1 otherwise.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        match self {
            Self::Settings(_)
            | Self::Usage(_)
            | Self::App(AppError::Settings(_))
            | Self::Registry(RegistryError::Reference(_)) => 2,
            Self::Kit(error) if error.is_wrong_usage() => 2,
            Self::Log(_)
            | Self::App(_)
            | Self::Store(_)
            | Self::Effects(_)
            | Self::Shelf(_)
            | Self::Library(_)
            | Self::Backup(_)
            | Self::Moving(_)
            | Self::Files(_)
            | Self::Kit(_)
            | Self::Models(_)
            | Self::Pipeline(_)
            | Self::Worker(_)
            | Self::Chain(_)
            | Self::New(_)
            | Self::Wrap(_)
            | Self::Registry(_)
            | Self::Key(_)
            | Self::System { .. }
            | Self::File { .. }
            | Self::Taken(_)
            | Self::WrongState(_)
            | Self::Missing(_)
            | Self::Unwell(_)
            | Self::Unfit(_) => 1,
        }
    }
}
