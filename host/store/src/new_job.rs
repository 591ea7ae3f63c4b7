//! Jobs to be made, and how many there may be.

use super::audit::Actor;
use super::idempotency::Completion;
use super::job_rows::{JobTies, StoredInput};
use vocalhost_job::JobSpec;

/// A job to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    /// Whose it is.
    pub user_id: i64,
    /// What it is to do.
    pub spec: JobSpec,
    /// The client's own notes, echoed in the record.
    pub metadata: Option<serde_json::Value>,
    /// Its priority among the user's own waiting jobs: larger is sooner.
    pub priority: i32,
    /// The request that made it.
    pub request_id: String,
    /// The job that this one retries; it must have ended, and its recording must still be there.
    pub retry_of: Option<i64>,
    /// The recording; a blend has none.
    pub input: Option<StoredInput>,
    /// Its links to other systems.
    pub ties: JobTies,
    /// How many jobs may wait.
    pub limits: QueueLimits,
    /// The request under an idempotency key that is completed with the job.
    pub completes: Option<Completion>,
    /// What the audit log says of it; `None` notes nothing.
    pub deed: Option<JobDeed>,
}

/// What the audit log says of a job that is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobDeed {
    /// Who wants it.
    pub actor: Actor,
    /// The operation by which.
    pub operation: &'static str,
    /// The address of the jobs of its kind, below which it will be.
    pub collection: String,
}

/// How many jobs may wait for a worker, and what a user may use unless the user has limits of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueLimits {
    /// Of one user.
    pub max_queued_per_user: u64,
    /// Of all users.
    pub max_queue: u64,
    /// Bytes that a user's files may take up; 0 means no limit.
    pub storage_quota_bytes: u64,
    /// Minutes of audio that a user may give in; 0 means no limit.
    pub audio_minutes_quota: u64,
    /// Trainings of voices that a user may begin on a day; 0 means no limit.
    pub trainings_per_day: u64,
}

impl Default for QueueLimits {
    /// The documented defaults.
    fn default() -> Self {
        Self {
            max_queued_per_user: 100,
            max_queue: 10_000,
            storage_quota_bytes: 0,
            audio_minutes_quota: 0,
            trainings_per_day: 5,
        }
    }
}
