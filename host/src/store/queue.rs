use super::{JobRecord, Store, StoreError};
use crate::job::{Failure, JobKind, JobResult, Progress};

/// What a free worker is ready to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Kinds of job.
    pub kinds: Vec<JobKind>,
    /// Random, never used before.
    pub lease_token: String,
    /// How long the lease holds.
    pub lease_us: i64,
    /// How many jobs of one user may run at a time.
    pub max_running_per_user: u64,
}

/// A job that was claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedJob {
    /// The job, now running.
    pub record: JobRecord,
    /// What to show when reporting on it.
    pub lease: Lease,
    /// The package of the voice that it asks for, when the voice is still known.
    pub voice_package_id: Option<String>,
}

/// The right to report on a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The job.
    pub job_id: i64,
    /// The token of this claim.
    pub token: String,
}

/// What became of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handled {
    /// It was recorded, and the job goes on as it was asked to.
    Recorded,
    /// It was recorded, and the job is to be stopped.
    Cancelling,
    /// The lease was lost: nothing was recorded, and what was made must be dropped.
    LeaseLost,
}

impl Store {
    /// Claims the next job that is due, if there is one.
    pub async fn claim(
        &self,
        claim: &Claim,
        now_us: i64,
    ) -> Result<Option<ClaimedJob>, StoreError> {
        let _ = (claim, now_us);
        unimplemented!()
    }

    /// Extends the lease to `now_us + lease_us`.
    pub async fn renew(
        &self,
        lease: &Lease,
        lease_us: i64,
        now_us: i64,
    ) -> Result<Handled, StoreError> {
        let _ = (lease, lease_us, now_us);
        unimplemented!()
    }

    /// Records how far the job is.
    pub async fn report_progress(
        &self,
        lease: &Lease,
        progress: &Progress,
        now_us: i64,
    ) -> Result<Handled, StoreError> {
        let _ = (lease, progress, now_us);
        unimplemented!()
    }

    /// Ends the job in `success`.
    pub async fn complete(
        &self,
        lease: &Lease,
        result: &JobResult,
        now_us: i64,
    ) -> Result<Handled, StoreError> {
        let _ = (lease, result, now_us);
        unimplemented!()
    }

    /// Ends the job in `error`.
    pub async fn fail(
        &self,
        lease: &Lease,
        failure: &Failure,
        now_us: i64,
    ) -> Result<Handled, StoreError> {
        let _ = (lease, failure, now_us);
        unimplemented!()
    }
}
