use super::{Failure, JobResult};

/// Where a job stands. Times are microseconds since the Unix epoch, by the database's clock.
#[derive(Debug, Clone, PartialEq)]
pub enum JobState {
    /// Accepted and waiting. A claim moves it to `Running`, a cancel to `Cancelled`.
    Queued {
        /// When it was accepted, or put back.
        since_us: i64,
        /// Not to be claimed before this.
        not_before_us: i64,
    },
    /// A worker has it. Its report moves it to `Succeeded`, `Failed` or back to `Queued`; a lease that ran out
    /// moves it to `Queued` or `Failed`.
    Running(Run),
    /// A worker has it and was told to stop.
    Cancelling(Run),
    /// It ended well.
    Succeeded {
        /// What it made.
        result: Box<JobResult>,
        /// When.
        at_us: i64,
    },
    /// It ended badly.
    Failed {
        /// Why.
        failure: Failure,
        /// When.
        at_us: i64,
    },
    /// It was called off.
    Cancelled {
        /// When.
        at_us: i64,
    },
}

/// One claim of a job by a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Counts claims, from 1.
    pub attempt: u32,
    /// Random; whoever reports on the job must show it.
    pub lease_token: String,
    /// When the lease runs out unless it is renewed.
    pub lease_until_us: i64,
}

impl Run {
    /// The same claim with another end of its lease.
    #[must_use]
    pub(crate) fn until(&self, lease_until_us: i64) -> Self {
        Self {
            lease_until_us,
            ..self.clone()
        }
    }
}

impl JobState {
    /// The name that is stored and logged.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Queued { .. } => "queued",
            Self::Running(_) => "running",
            Self::Cancelling(_) => "cancelling",
            Self::Succeeded { .. } => "succeeded",
            Self::Failed { .. } => "failed",
            Self::Cancelled { .. } => "cancelled",
        }
    }

    /// The claim under which a worker has the job now.
    #[must_use]
    pub fn run(&self) -> Option<&Run> {
        match self {
            Self::Running(run) | Self::Cancelling(run) => Some(run),
            Self::Queued { .. }
            | Self::Succeeded { .. }
            | Self::Failed { .. }
            | Self::Cancelled { .. } => None,
        }
    }

    /// When the job ended.
    #[must_use]
    pub fn ended_at_us(&self) -> Option<i64> {
        match self {
            Self::Succeeded { at_us, .. }
            | Self::Failed { at_us, .. }
            | Self::Cancelled { at_us } => Some(*at_us),
            Self::Queued { .. } | Self::Running(_) | Self::Cancelling(_) => None,
        }
    }
}
