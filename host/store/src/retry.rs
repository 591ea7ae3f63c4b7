use super::StoreError;
use crate::sql::{Transaction, query};

/// Whether a job can be tried again: within the transaction that makes the new one, so that neither a deletion nor the
/// cleanup takes the recording away from under it.
pub(super) async fn check_source(transaction: &mut Transaction, id: i64) -> Result<(), StoreError> {
    let row = query(
        "SELECT ended_at_us IS NOT NULL AS ended, \
         input_key IS NULL OR input_deleted_at_us IS NULL AS has_input FROM jobs WHERE id = $1",
    )
    .locking(transaction)
    .bind(id)
    .fetch_optional(transaction)
    .await?;
    let row = row.ok_or(StoreError::RetryUnknown)?;
    if !row.try_get::<bool>("ended")? {
        return Err(StoreError::RetryRunning);
    }
    if !row.try_get::<bool>("has_input")? {
        return Err(StoreError::RetryWithoutInput);
    }
    Ok(())
}
