use serde::de::DeserializeOwned;

use super::StoreError;
use crate::sql::Row;

/// A column of JSON that must be there.
pub(super) fn json<T: DeserializeOwned>(
    row: &Row,
    column: &str,
    table: &'static str,
    id: i64,
) -> Result<T, StoreError> {
    optional_json(row, column, table, id)?
        .ok_or_else(|| damaged(table, id, &format!("{column} is empty")))
}

/// A column of JSON that may be NULL.
pub(super) fn optional_json<T: DeserializeOwned>(
    row: &Row,
    column: &str,
    table: &'static str,
    id: i64,
) -> Result<Option<T>, StoreError> {
    row.try_get::<Option<String>>(column)?
        .map(|text| serde_json::from_str(&text))
        .transpose()
        .map_err(|error| damaged(table, id, &format!("{column}: {error}")))
}

pub(super) fn damaged(table: &'static str, row: i64, reason: &str) -> StoreError {
    StoreError::Damaged {
        table,
        row,
        reason: reason.to_owned(),
    }
}

/// SQL has no unsigned numbers. A number that is too large for it is larger than anything stored.
pub(super) fn to_sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The other way round: counts and sizes are never negative.
pub(super) fn from_sql(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
