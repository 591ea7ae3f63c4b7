//! Why a file of weights is not read.

use thiserror::Error;

/// What to do with a checkpoint that is no voice: its classes would have to be run to know its graph.
pub(crate) const AS_ONNX: &str = "any other model is imported as its export to ONNX";

/// Why a file of torch is not read.
#[derive(Debug, Error)]
pub(crate) enum TorchError {
    /// It cannot be used, or must not be.
    #[error("{0}")]
    Refused(String),
    /// The system failed to read it.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl TorchError {
    pub(super) fn refused(reason: String) -> Self {
        Self::Refused(reason)
    }

    pub(super) fn damaged(reason: &str) -> Self {
        Self::Refused(format!("is damaged: {reason}"))
    }
}
