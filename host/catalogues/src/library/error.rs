use std::path::PathBuf;

use vocalhost_files::FilesError;
use vocalhost_model::ModelError;
use vocalhost_store::StoreError;
use vocalhost_work::worker::import::ImportFault;

/// Why the models could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The files are no model that can be used, or do not say everything about it.
    #[error(transparent)]
    Import(#[from] ImportFault),
    /// An answer or a file was given that a model of its kind does not have.
    #[error("{}", .what.rule(.kind))]
    Pointless {
        /// What the model is.
        kind: &'static str,
        /// What was said.
        what: OnlySome,
    },
    /// Too many imports are under way; a sentence says whose.
    #[error("{0}")]
    Crowded(String),
    /// A package of this id is there.
    #[error("there is a package {0} already: remove it first, or give this one another id")]
    IdTaken(String),
    /// There is no such package.
    #[error("there is no package {0}")]
    Missing(String),
    /// The package lies in a folder of the settings, which the program must not change.
    #[error("package {id} was not imported but lies in {}: remove it there", .folder.display())]
    NotImported {
        /// The package.
        id: String,
        /// Where it lies.
        folder: PathBuf,
    },
    /// Other models need the package.
    #[error("package {id} is needed by {}", some_of(.by))]
    Needed {
        /// The package.
        id: String,
        /// The titles of those that cannot be used without it.
        by: Vec<String>,
    },
    /// A setting names the package.
    #[error("package {id} is one that the setting `{setting}` names")]
    Named {
        /// The package.
        id: String,
        /// The setting.
        setting: &'static str,
    },
    /// A voice cannot be bound to another content encoder, or not to that one.
    #[error("voice {id} cannot be bound: {reason}")]
    Unbindable {
        /// The voice's number.
        id: i64,
        /// Why.
        reason: String,
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

/// What models of some kinds have and others do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnlySome {
    /// An id that a person chooses.
    Id,
    /// Tags.
    Tags,
    /// A user to whom it alone belongs.
    Owner,
    /// A picture.
    Picture,
    /// A demo.
    Demo,
}

impl OnlySome {
    /// Why a model of this kind has none.
    #[must_use]
    pub fn rule(self, kind: &str) -> String {
        let rule = match self {
            Self::Id => "voices get an id of their own",
            Self::Tags => "only voices have tags",
            Self::Owner => "only voices belong to a user, everything else is everybody's",
            Self::Picture => "only voices have a picture",
            Self::Demo => "only voices have a demo",
        };
        format!("{rule}, and the model is of the kind {kind}")
    }
}

/// The most names that a message lists.
const MOST_NAMES: usize = 5;

/// How many there are, with the names of the first ones.
fn some_of(names: &[String]) -> String {
    let told = names.iter().take(MOST_NAMES).map(String::as_str);
    let told = told.collect::<Vec<_>>().join(", ");
    let more = if names.len() > MOST_NAMES {
        " and others"
    } else {
        ""
    };
    let noun = if names.len() == 1 { "model" } else { "models" };
    format!("{} {noun}: {told}{more}", names.len())
}
