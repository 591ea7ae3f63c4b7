//! Networks drawn as graphs from our own description of them, with the dimensions and the weights that a checkpoint has. Nothing of the
//! checkpoint is run.

mod groups;
mod layers;
mod matrices;
mod parts;
mod recurrent;
mod weights;

use std::path::Path;

use super::torch::TorchError;
use super::{ImportError, Question};
pub(crate) use groups::EPSILON;
pub(crate) use layers::Layers;
pub(crate) use parts::Window;
pub(crate) use recurrent::{LSTM_GATES, in_lstm_order};
pub(crate) use vocalhost_onnx::{Attribute, DataType, Edge, Length, Network};
pub(crate) use weights::{Weights, without_wrapping};

/// Channels of so many bins and frames, `[1, channels, bins, frames]`.
#[derive(Debug, Clone)]
pub(crate) struct Plane {
    pub(crate) edge: Edge,
    pub(crate) channels: u64,
    pub(crate) bins: u64,
    pub(crate) frames: u64,
}

/// Why a checkpoint does not become a graph.
#[derive(Debug)]
pub(crate) enum DrawFault {
    /// It cannot be used.
    Refused(String),
    /// It is whole, as far as can be seen, and something else than what is looked for.
    Other(String),
    /// It does not say everything.
    Question(Question),
    /// It could not be read.
    Io(std::io::Error),
}

impl DrawFault {
    /// The refusal with a reason, which is the rest of a sentence about the file.
    pub(crate) fn refused(reason: String) -> Self {
        Self::Refused(reason)
    }

    /// The error as the whole import has it.
    pub(crate) fn of(self, file: &Path) -> ImportError {
        let file = file.to_owned();
        match self {
            Self::Refused(reason) | Self::Other(reason) => ImportError::Refused { file, reason },
            Self::Question(question) => ImportError::Missing {
                questions: vec![question],
            },
            Self::Io(source) => ImportError::Io { file, source },
        }
    }
}

impl From<TorchError> for DrawFault {
    fn from(error: TorchError) -> Self {
        match error {
            TorchError::Refused(reason) => Self::Refused(reason),
            TorchError::Io(error) => Self::Io(error),
        }
    }
}
