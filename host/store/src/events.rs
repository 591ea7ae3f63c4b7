use serde_json::{Value, json};

use super::rows::{json as json_column, to_sql};
use super::{Store, StoreError};
use crate::sql::{Transaction, query};
use vocalhost_job::{JobState, Progress};

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
    pub detail: Value,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Created,
        Self::Started,
        Self::Progress,
        Self::Requeued,
        Self::Cancelling,
        Self::Ended,
    ];

    /// The word that is stored.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Started => "started",
            Self::Progress => "progress",
            Self::Requeued => "requeued",
            Self::Cancelling => "cancelling",
            Self::Ended => "ended",
        }
    }
}

impl Store {
    /// The events of a job after number `after`, oldest first, at most `limit`. Events that this release does not
    /// understand are left out.
    pub async fn events(
        &self,
        job_id: i64,
        after: i64,
        limit: u64,
    ) -> Result<Vec<JobEvent>, StoreError> {
        let rows = query(
            "SELECT id, kind, at_us, detail FROM job_events WHERE job_id = $1 AND id > $2 ORDER BY id LIMIT $3",
        )
        .bind(job_id)
        .bind(after)
        .bind(to_sql(limit))
        .fetch_all(self.readers())
        .await?;
        let mut events = Vec::with_capacity(rows.len());
        for row in &rows {
            let id = row.try_get("id")?;
            let word: String = row.try_get("kind")?;
            if let Some(kind) = EventKind::ALL
                .into_iter()
                .find(|kind| kind.as_str() == word)
            {
                events.push(JobEvent {
                    id,
                    job_id,
                    kind,
                    at_us: row.try_get("at_us")?,
                    detail: json_column(row, "detail", "job_events", id)?,
                });
            }
        }
        Ok(events)
    }
}

/// The details that every event has, so that each can be understood without those before it, and `more`.
pub(super) fn standing(state: &JobState, progress: Progress, more: Value) -> Value {
    let mut detail = json!({
        "status": state.status().as_str(),
        "stage": progress.stage,
        "progress": progress.percent,
    });
    if let (Value::Object(detail), Value::Object(more)) = (&mut detail, more) {
        detail.extend(more);
    }
    detail
}

/// Adds an event, within the transaction that makes the change.
pub(super) async fn append(
    transaction: &mut Transaction,
    job_id: i64,
    kind: EventKind,
    detail: &Value,
    at_us: i64,
) -> Result<(), StoreError> {
    query("INSERT INTO job_events (job_id, kind, at_us, detail) VALUES ($1, $2, $3, $4)")
        .bind(job_id)
        .bind(kind.as_str())
        .bind(at_us)
        .bind(detail.to_string())
        .execute(transaction)
        .await?;
    Ok(())
}
