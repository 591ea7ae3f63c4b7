use std::io;
use std::path::PathBuf;

use vocalhost_audio::{DecodeError, EncodeError, StageError};
use vocalhost_effects::PluginError;

/// Why the kit could not look at an effect.
#[derive(Debug, thiserror::Error)]
pub enum KitError {
    /// Something that is not `NAME=VALUE`.
    #[error("--set {given:?}: write NAME=VALUE")]
    Assignment {
        /// As it was given.
        given: String,
    },
    /// The effect has no such parameter.
    #[error("{effect} has no parameter {name:?}; it has {known}")]
    UnknownParameter {
        /// The effect's id.
        effect: String,
        /// As it was given.
        name: String,
        /// The ids of all parameters.
        known: String,
    },
    /// A value that the parameter does not take.
    #[error("{parameter}: {given:?} {reason}; it takes {accepted}")]
    Value {
        /// The parameter's id.
        parameter: String,
        /// As it was given.
        given: String,
        /// What is wrong with it: "is not a number".
        reason: String,
        /// What would be legal, with unit and default.
        accepted: String,
    },
    /// A parameter set twice.
    #[error("{parameter} is set twice")]
    Twice {
        /// The parameter's id.
        parameter: String,
    },
    /// The effect has no such preset.
    #[error("{effect} has no preset {name:?}; it has {known}")]
    UnknownPreset {
        /// The effect's id.
        effect: String,
        /// As it was given.
        name: String,
        /// The ids of all presets.
        known: String,
    },
    /// The result would be written over the recording.
    #[error("the result cannot replace its own recording {path}")]
    OwnInput {
        /// The file.
        path: PathBuf,
    },
    /// A file name whose ending promises another format.
    #[error("{path} must end in .{extension}")]
    Extension {
        /// The file.
        path: PathBuf,
        /// What is written.
        extension: &'static str,
    },
    /// The recording cannot be read.
    #[error("{path}: {source}")]
    Decode {
        /// The recording.
        path: PathBuf,
        /// Why.
        source: DecodeError,
    },
    /// The result cannot be written.
    #[error("{path}: {source}")]
    Encode {
        /// The result.
        path: PathBuf,
        /// Why.
        source: EncodeError,
    },
    /// A file cannot be written or put in its place.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The picture could not be made into a file.
    #[error("the picture cannot be written: {0}")]
    Picture(String),
    /// The effect failed while it worked.
    #[error(transparent)]
    Stage(#[from] StageError),
    /// The effect cannot be loaded or started.
    #[error(transparent)]
    Effect(#[from] PluginError),
}

impl KitError {
    /// Whether the fault lies in how the command was put, and nothing was tried.
    #[must_use]
    pub fn is_wrong_usage(&self) -> bool {
        match self {
            Self::Assignment { .. }
            | Self::UnknownParameter { .. }
            | Self::Value { .. }
            | Self::Twice { .. }
            | Self::UnknownPreset { .. }
            | Self::OwnInput { .. }
            | Self::Extension { .. } => true,
            Self::Decode { .. }
            | Self::Encode { .. }
            | Self::File { .. }
            | Self::Picture(_)
            | Self::Stage(_)
            | Self::Effect(_) => false,
        }
    }
}
