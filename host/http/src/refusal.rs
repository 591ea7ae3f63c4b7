use std::io;

use hyper::StatusCode;

use crate::FieldError;
use crate::body::BodyFault;

/// Why a request could not be read. A client may be told everything in it, except for [`Self::Failed`].
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The body is of a wrong type.
    #[error("the Content-Type must be {wanted}")]
    MediaType {
        /// The type that is wanted.
        wanted: &'static str,
    },
    /// What is wrong with the body.
    #[error("the request has {} mistakes", .0.len())]
    Invalid(Vec<FieldError>),
    /// The body did not arrive in time.
    #[error("the body did not arrive in time")]
    TooSlow,
    /// It conflicts with what is there already.
    #[error("{detail}")]
    Conflict {
        /// For programs.
        code: &'static str,
        /// What it conflicts with.
        detail: String,
    },
    /// A resumable upload cannot go on like this.
    #[error("{detail}")]
    Upload {
        /// The status that the protocol has for it.
        status: StatusCode,
        /// For programs.
        code: &'static str,
        /// What is in the way.
        detail: String,
    },
    /// The server's own disk failed.
    #[error(transparent)]
    Failed(#[from] io::Error),
}

impl Refusal {
    /// One mistake in one field.
    pub(crate) fn field(field: &str, rule: &'static str, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError::new(field, rule, message)])
    }

    /// The body has more bytes than it may.
    pub(crate) fn too_large(field: &str, max_bytes: u64, message: String) -> Self {
        let mistake = FieldError::new(field, "size", message);
        Self::Invalid(vec![mistake.with("maxBytes", max_bytes)])
    }
}

impl From<BodyFault> for Refusal {
    fn from(fault: BodyFault) -> Self {
        match fault {
            BodyFault::TooSlow => Self::TooSlow,
            BodyFault::HeaderTooLong | BodyFault::Broken => {
                Self::field("body", "complete", "The body is not complete.")
            }
        }
    }
}
