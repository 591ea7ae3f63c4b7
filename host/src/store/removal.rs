use sqlx::Row as _;

use super::{Expired, Store, StoreError};
use crate::job::JobKind;

/// What became of the wish to delete a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovalOutcome {
    /// There is no such job.
    Unknown,
    /// It has not ended.
    Running,
    /// It is gone, and these files may go.
    Removed(Expired),
}

impl Store {
    /// Forgets a job that has ended, with its events. A voice that it made stays.
    pub async fn remove_job(&self, kind: JobKind, id: i64) -> Result<RemovalOutcome, StoreError> {
        let mut transaction = self.writing().await?;
        let row = sqlx::query(
            "SELECT id, input_key, backing_key, ended_at_us IS NOT NULL AS ended FROM jobs \
             WHERE id = $1 AND kind = $2",
        )
        .bind(id)
        .bind(kind.as_str())
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(row) = row else {
            return Ok(RemovalOutcome::Unknown);
        };
        if !row.try_get::<bool, _>("ended")? {
            return Ok(RemovalOutcome::Running);
        }
        sqlx::query("DELETE FROM jobs WHERE id = $1")
            .bind(id)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        self.announce_change(id);
        Ok(RemovalOutcome::Removed(Expired::of(&row)?))
    }
}
