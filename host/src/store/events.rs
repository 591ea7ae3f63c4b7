use super::{Store, StoreError};

/// What happened to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// It was accepted.
    Created,
    /// Work on it started.
    Started,
    /// It went on.
    Progress,
    /// It was put back into the queue.
    Requeued,
    /// It was told to stop.
    Cancelling,
    /// It ended, one way or another.
    Ended,
}

/// One entry of a job's history.
#[derive(Debug, Clone, PartialEq)]
pub struct JobEvent {
    /// Its number over all jobs; grows with time.
    pub id: i64,
    /// The job.
    pub job_id: i64,
    /// What happened.
    pub kind: EventKind,
    /// When.
    pub at_us: i64,
    /// What there is to say about it.
    pub detail: serde_json::Value,
}

impl Store {
    /// The events of a job after number `after`, oldest first, at most `limit`.
    pub async fn events(
        &self,
        job_id: i64,
        after: i64,
        limit: u64,
    ) -> Result<Vec<JobEvent>, StoreError> {
        let _ = (job_id, after, limit);
        unimplemented!()
    }
}
