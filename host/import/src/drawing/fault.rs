//! Why a checkpoint does not become a graph.

use std::path::Path;

use crate::torch::TorchError;
use crate::{ImportError, Question};

/// Why a checkpoint does not become a graph.
#[derive(Debug)]
pub(crate) enum DrawFault {
    /// It cannot be used.
    Refused(String),
    /// It seems whole, but is something else than what is looked for.
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
