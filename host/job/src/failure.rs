use serde::{Deserialize, Serialize};

/// Why a job ended in `error`: what its record shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// For programs.
    pub code: FailureCode,
    /// For people; says nothing about the inside of the server.
    pub message: String,
    /// Whether the same request may succeed when it is tried again.
    pub retryable: bool,
}

/// The kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// The input is damaged; the message says where.
    InputDamaged,
    /// An effect trapped, ran out of its limits or returned nonsense; the message names it.
    EffectFailed,
    /// An effect refused its settings; the message is the effect's own.
    EffectRefused,
    /// The voice model, or one it needs, is gone or unusable.
    ModelUnavailable,
    /// The model failed on this input.
    ModelFailed,
    /// The voices of a blend cannot be blended; the message says what is in the way.
    ModelsDiffer,
    /// No voice can be trained on the recordings; the message lists all that is in the way, with figures.
    RecordingsUnfit,
    /// The job ran longer than its limit.
    Timeout,
    /// The worker used more memory than its limit.
    OutOfMemory,
    /// The job left less room on the disk than has to stay free.
    OutOfSpace,
    /// The worker died under this job three times.
    WorkerDied,
    /// A fault of ours; the log has the cause.
    Internal,
}

impl Failure {
    /// The disk has no room for the job, as seen before it began or while it ran.
    #[must_use]
    pub fn out_of_space() -> Self {
        Self::new(
            FailureCode::OutOfSpace,
            "The server has not enough room on its disk for the job.",
        )
    }

    /// A failure with the `retryable` that its code implies.
    #[must_use]
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        let retryable = match code {
            FailureCode::InputDamaged
            | FailureCode::EffectFailed
            | FailureCode::EffectRefused
            | FailureCode::ModelsDiffer
            | FailureCode::RecordingsUnfit => false,
            FailureCode::ModelUnavailable
            | FailureCode::ModelFailed
            | FailureCode::Timeout
            | FailureCode::OutOfMemory
            | FailureCode::OutOfSpace
            | FailureCode::WorkerDied
            | FailureCode::Internal => true,
        };
        Self {
            code,
            message: message.into(),
            retryable,
        }
    }
}
