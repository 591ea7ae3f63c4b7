use super::JobState;

/// The `status` of a record: the four words that clients see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobStatus {
    /// Waiting, at work, or stopping.
    Running,
    /// Ended well.
    Success,
    /// Ended badly.
    Error,
    /// Called off.
    Cancelled,
}

impl JobStatus {
    /// Every status.
    pub const ALL: [Self; 4] = [Self::Running, Self::Success, Self::Error, Self::Cancelled];

    /// The word of the record.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Success => "success",
            Self::Error => "error",
            Self::Cancelled => "cancelled",
        }
    }
}

impl JobState {
    /// The view of this state that clients see; the only place that decides it.
    #[must_use]
    pub fn status(&self) -> JobStatus {
        match self {
            Self::Queued { .. } | Self::Running(_) | Self::Cancelling(_) => JobStatus::Running,
            Self::Succeeded { .. } => JobStatus::Success,
            Self::Failed { .. } => JobStatus::Error,
            Self::Cancelled { .. } => JobStatus::Cancelled,
        }
    }
}
