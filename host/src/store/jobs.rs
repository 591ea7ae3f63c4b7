use super::{Store, StoreError};
use crate::job::{JobKind, JobSpec, JobState, JobStatus, Progress};

/// A job to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct NewJob {
    /// Whose it is.
    pub user_id: i64,
    /// What it is to do.
    pub spec: JobSpec,
    /// The client's own notes, echoed in the record.
    pub metadata: Option<serde_json::Value>,
    /// The request that made it.
    pub request_id: String,
    /// The job that this one tries again.
    pub retry_of: Option<i64>,
    /// The recording.
    pub input: StoredInput,
    /// How many jobs may wait.
    pub limits: QueueLimits,
}

/// How many jobs may wait for a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueLimits {
    /// Of one user.
    pub max_queued_per_user: u64,
    /// Of all users.
    pub max_queue: u64,
}

impl Default for QueueLimits {
    /// The documented defaults of `max_queued_per_user` and `max_queue`.
    fn default() -> Self {
        Self {
            max_queued_per_user: 100,
            max_queue: 10_000,
        }
    }
}

/// A recording that was uploaded and looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredInput {
    /// Where it lies in the file store.
    pub key: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its content, lower-case hex.
    pub sha256: String,
    /// Its format: `wav`, `mp3`, `flac`.
    pub format: String,
    /// Its channels.
    pub channels: u32,
    /// Its sample rate.
    pub sample_rate_hz: u32,
    /// Its length, when it is known before decoding.
    pub duration_s: Option<f64>,
}

/// A job as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRecord {
    /// Its number; never given twice.
    pub id: i64,
    /// Whose it is.
    pub user_id: i64,
    /// Its kind.
    pub kind: JobKind,
    /// What it is to do.
    pub spec: JobSpec,
    /// Where it stands.
    pub state: JobState,
    /// How far it is.
    pub progress: Progress,
    /// When it was accepted.
    pub created_at_us: i64,
    /// When it was accepted, and again when work on it started.
    pub started_at_us: i64,
    /// When it ended.
    pub ended_at_us: Option<i64>,
    /// How many jobs of its kind are before it in the order of acceptance, counted from 1 for the next one; only while
    /// it waits.
    pub queue_position: Option<u64>,
    /// The client's own notes.
    pub metadata: Option<serde_json::Value>,
    /// The job that this one tries again.
    pub retry_of: Option<i64>,
    /// The request that made it.
    pub request_id: String,
    /// The recording.
    pub input: StoredInput,
}

/// Which jobs to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobQuery {
    /// Whose.
    pub user_id: i64,
    /// Of which kind.
    pub kind: JobKind,
    /// With which status only.
    pub status: Option<JobStatus>,
    /// Newest first.
    pub descending: bool,
    /// Counts from 1.
    pub page: u64,
    /// Rows on a page.
    pub per_page: u64,
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// What is on the page.
    pub rows: Vec<T>,
    /// How many rows there are on all pages.
    pub total: u64,
}

impl Store {
    /// Accepts a job: its row and its first event, in one transaction that also checks the limits.
    pub async fn create_job(&self, new: &NewJob, now_us: i64) -> Result<JobRecord, StoreError> {
        let _ = (new, now_us);
        unimplemented!()
    }

    /// The job of this kind with this number, whoever owns it.
    pub async fn job(&self, kind: JobKind, id: i64) -> Result<Option<JobRecord>, StoreError> {
        let _ = (kind, id);
        unimplemented!()
    }

    /// A page of a user's jobs, in the order of acceptance.
    pub async fn jobs(&self, query: &JobQuery) -> Result<Page<JobRecord>, StoreError> {
        let _ = query;
        unimplemented!()
    }
}
