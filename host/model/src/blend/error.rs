use std::path::PathBuf;

use super::check::TooMuch;
use super::family::FamilyMismatch;
use crate::ModelError;

/// Why voices cannot be blended.
#[derive(Debug, thiserror::Error)]
pub enum BlendError {
    /// Not two to four voices.
    #[error("a blend is made of two to four voices, not of {0}")]
    Count(usize),
    /// The shares do not add up to 1.
    #[error("the shares of a blend must be 0 or more and add up to 1, they add up to {0}")]
    Shares(f64),
    /// The voices are of different families.
    #[error(transparent)]
    Family(#[from] FamilyMismatch),
    /// One voice cannot hold what they bring along together.
    #[error(transparent)]
    Size(#[from] TooMuch),
    /// The graphs differ in more than their weights.
    #[error("{first} and {other} cannot be blended, their graphs differ: {reason}")]
    Differs {
        /// Title of the voice that the others are compared with.
        first: String,
        /// Title of the voice that does not fit.
        other: String,
        /// The first difference.
        reason: String,
    },
    /// The graph of a voice cannot be read.
    #[error("{voice}: {reason}")]
    Graph {
        /// Title of the voice.
        voice: String,
        /// What is wrong.
        reason: String,
    },
    /// A package is damaged, or the result is not a valid one.
    #[error(transparent)]
    Package(#[from] ModelError),
    /// The manifest of the blend cannot be written as TOML.
    #[error("the manifest of the blend cannot be written: {0}")]
    Manifest(#[from] toml::ser::Error),
    /// A file of the blend cannot be written.
    #[error("{}: {source}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}
