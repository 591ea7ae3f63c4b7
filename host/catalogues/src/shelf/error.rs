use vocalhost_files::FilesError;
use vocalhost_store::StoreError;

/// Why the effects could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum ShelfError {
    /// There is no effect of this name.
    #[error("there is no effect {0}")]
    Missing(String),
    /// The name stands for several versions, but the change applies to one.
    #[error("there are several versions of {id}, name one: {}", .versions.join(", "))]
    SeveralVersions {
        /// The effect's id.
        id: String,
        /// What to write instead.
        versions: Vec<String>,
    },
    /// The component is no effect that works here.
    #[error("{0}")]
    Rejected(String),
    /// The id is that of a built-in effect.
    #[error("{id} is a name of the built-in effects: give the effect an id of your own")]
    Reserved {
        /// The id that the component gives itself.
        id: String,
    },
    /// The id belongs to another maker's effect.
    #[error("{id} is an effect of {theirs:?}: one of {ours:?} cannot have the same id")]
    IdTaken {
        /// The id.
        id: String,
        /// Who made the one that is there.
        theirs: String,
        /// Who made the one that was to be installed.
        ours: String,
    },
    /// The id belongs to somebody else, as far as signatures say.
    #[error(
        "{0}: it is installed when `vocalhost effect install --trust` or `POST /admin/effects?trust=true` says so"
    )]
    Distrusted(String),
    /// The id has another component under the same version.
    #[error(
        "{id} {version} is here already with another component, sha256:{digest}: give the new one a new version, or remove the old one first"
    )]
    VersionTaken {
        /// The id.
        id: String,
        /// The version.
        version: String,
        /// The digest of the one that is there.
        digest: String,
    },
    /// Built-in effects cannot be removed.
    #[error("{id} is part of the program and cannot be removed; it can be disabled")]
    BuiltIn {
        /// The id.
        id: String,
    },
    /// A limit that makes no sense.
    #[error("{} must be {wanted}", .limit.as_str())]
    Limit {
        /// Which limit.
        limit: EffectLimit,
        /// What it may be.
        wanted: String,
    },
    /// The inspection of a component failed, which says nothing about the component.
    #[error("{0}")]
    Inspection(String),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file store failed.
    #[error(transparent)]
    Files(#[from] FilesError),
}

/// A limit that an effect can have of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectLimit {
    /// Bytes of its memory.
    MemoryBytes,
    /// Seconds of work for each second of audio.
    WorkPerAudio,
}

impl EffectLimit {
    /// Its name in requests.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MemoryBytes => "memoryBytes",
            Self::WorkPerAudio => "workPerAudio",
        }
    }
}
