use serde::{Deserialize, Serialize};

/// What a job is doing, as its record says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobStage {
    /// Waiting for a worker.
    Queued,
    /// Reading the input; effects before the model run in the same pass.
    Decoding,
    /// Running effects.
    Effects,
    /// Running the model.
    Inference,
    /// Writing the result files.
    Encoding,
    /// Nothing is left to do.
    Done,
}

impl JobStage {
    /// The word of the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Decoding => "decoding",
            Self::Effects => "effects",
            Self::Inference => "inference",
            Self::Encoding => "encoding",
            Self::Done => "done",
        }
    }

    /// The stage named `word`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [
            Self::Queued,
            Self::Decoding,
            Self::Effects,
            Self::Inference,
            Self::Encoding,
            Self::Done,
        ]
        .into_iter()
        .find(|stage| stage.as_str() == word)
    }
}

/// How far a job has come.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// What it is doing.
    pub stage: JobStage,
    /// Share of the whole job, 0 to 100; never falls within an attempt.
    pub percent: f64,
}
