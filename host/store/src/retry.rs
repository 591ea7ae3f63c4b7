use sqlx::{Row as _, SqliteConnection};

use super::StoreError;

/// Whether a job can be tried again: within the transaction that makes the new one, so that neither a deletion nor the
/// cleanup takes the recording away from under it.
pub(super) async fn check_source(
    connection: &mut SqliteConnection,
    id: i64,
) -> Result<(), StoreError> {
    let row = sqlx::query(
        "SELECT ended_at_us IS NOT NULL AS ended, \
         input_key IS NULL OR input_deleted_at_us IS NULL AS has_input FROM jobs WHERE id = $1",
    )
    .bind(id)
    .fetch_optional(connection)
    .await?;
    let row = row.ok_or(StoreError::RetryUnknown)?;
    if !row.try_get::<bool, _>("ended")? {
        return Err(StoreError::RetryRunning);
    }
    if !row.try_get::<bool, _>("has_input")? {
        return Err(StoreError::RetryWithoutInput);
    }
    Ok(())
}
