use super::rows::from_sql;
use super::{Store, StoreError};
use crate::sql::query;
use vocalhost_job::JobKind;

/// The state of the queue of a kind of job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueState {
    /// The kind.
    pub kind: JobKind,
    /// Jobs that wait.
    pub waiting: u64,
    /// Since when the job waits that has waited longest.
    pub oldest_since_us: Option<i64>,
    /// Jobs at work.
    pub running: u64,
}

impl Store {
    /// What the queues look like, one after the other.
    pub async fn queue_states(&self) -> Result<Vec<QueueState>, StoreError> {
        let mut transaction = self.reading().await?;
        let mut states = Vec::with_capacity(JobKind::ALL.len());
        for kind in JobKind::ALL {
            let row = query(
                "SELECT (SELECT CAST(COALESCE(SUM(waiting), 0) AS BIGINT) FROM lines WHERE kind = $1) AS waiting, \
                 (SELECT MIN(queued_since_us) FROM jobs WHERE kind = $1 AND state = 'queued') AS oldest, \
                 (SELECT COUNT(*) FROM jobs WHERE kind = $1 AND state IN ('running', 'cancelling')) AS running",
            )
            .bind(kind.as_str())
            .fetch_one(&mut transaction)
            .await?;
            states.push(QueueState {
                kind,
                waiting: from_sql(row.try_get("waiting")?),
                oldest_since_us: row.try_get("oldest")?,
                running: from_sql(row.try_get("running")?),
            });
        }
        Ok(states)
    }
}
