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
        result: JobResult,
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
