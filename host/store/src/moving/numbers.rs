//! The numbers that were given to rows, including rows that are gone.

use super::MoveError;
use super::tables::{Kind, Table};
use crate::sql::{Transaction, query};

/// The column that numbers are given in.
const ID: &str = "id";

/// Has the numbers of a table go on where they were.
pub(super) async fn go_on(
    table: &Table,
    from: &mut Transaction,
    to: &mut Transaction,
) -> Result<(), MoveError> {
    let numbered = matches!(table.key[..], [only] if table.columns[only].name == ID
        && table.columns[only].kind == Kind::Integer);
    if !numbered {
        return Ok(());
    }
    let given = if from.is_shared() {
        "SELECT pg_sequence_last_value(pg_get_serial_sequence($1, 'id')::regclass) AS last"
    } else {
        "SELECT seq AS last FROM sqlite_sequence WHERE name = $1"
    };
    let given = query(given).bind(&table.name).fetch_optional(from).await?;
    let given: Option<i64> = given.map(|row| row.try_get("last")).transpose()?.flatten();
    let Some(given) = given else {
        return Ok(());
    };
    let to_be_set: &[&'static str] = if to.is_shared() {
        &["SELECT setval(pg_get_serial_sequence($1, 'id'), $2)"]
    } else {
        // The table of numbers has a row once one was given.
        &[
            "DELETE FROM sqlite_sequence WHERE name = $1 AND seq <= $2",
            "INSERT INTO sqlite_sequence (name, seq) SELECT $1, $2 \
             WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = $1)",
        ]
    };
    for text in to_be_set {
        let statement = query(text).bind(&table.name).bind(given);
        statement.execute(&mut *to).await?;
    }
    Ok(())
}
