//! Rows of any table, a page at a time.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

use super::MoveError;
use super::tables::{Kind, Table};
use crate::sql::{Row, Transaction, Value, query_about};

/// Rows of a page.
const PAGE_ROWS: usize = 500;

/// The most values of one statement in `SQLite` (32,766 since 3.32), with some room; `PostgreSQL` allows twice as many.
const MOST_VALUES: usize = 30_000;

/// What was read of a table so far.
#[derive(Default)]
pub(super) struct Seen {
    rows: u64,
    digest: Sha256,
    last: Option<Vec<Value>>,
}

impl Seen {
    /// The key of the last row.
    pub(super) fn last(&self) -> Option<&[Value]> {
        self.last.as_deref()
    }

    /// Counts the rows of a page.
    pub(super) fn add(&mut self, table: &Table, rows: &[Vec<Value>]) {
        for value in rows.iter().flatten() {
            // With its length or width, so that no two rows look the same.
            match value {
                Value::Integer(Some(value)) => self.put(b'i', &value.to_be_bytes()),
                Value::Real(Some(value)) => self.put(b'r', &value.to_bits().to_be_bytes()),
                Value::Flag(Some(value)) => self.put(b'f', &[u8::from(*value)]),
                Value::Text(Some(value)) => self.put(b't', value.as_bytes()),
                Value::Integer(None)
                | Value::Real(None)
                | Value::Flag(None)
                | Value::Text(None) => {
                    self.put(b'n', &[]);
                }
            }
        }
        self.rows += rows.len() as u64;
        if let Some(last) = rows.last() {
            let key = table.key.iter().map(|place| last[*place].clone());
            self.last = Some(key.collect());
        }
    }

    fn put(&mut self, kind: u8, bytes: &[u8]) {
        self.digest.update([kind]);
        self.digest.update((bytes.len() as u64).to_be_bytes());
        self.digest.update(bytes);
    }

    /// How many rows there were, and SHA-256 over all of them.
    pub(super) fn end(self) -> (u64, String) {
        let digest = base16ct::lower::encode_string(&self.digest.finalize());
        (self.rows, digest)
    }
}

/// All of a table, read to its end.
pub(super) async fn seen(table: &Table, on: &mut Transaction) -> Result<(u64, String), MoveError> {
    let mut seen = Seen::default();
    while let Some(rows) = page(table, seen.last(), on).await? {
        seen.add(table, &rows);
    }
    Ok(seen.end())
}

/// The next rows after the one with the key `after`, in the order of the key; none at the end.
pub(super) async fn page(
    table: &Table,
    after: Option<&[Value]>,
    on: &mut Transaction,
) -> Result<Option<Vec<Vec<Value>>>, MoveError> {
    let key = table.names(table.key.iter().copied());
    let mut text = format!(
        "SELECT {} FROM {}",
        table.names(0..table.columns.len()),
        table.name
    );
    if let Some(after) = after {
        let marks: Vec<String> = (1..=after.len()).map(|n| format!("${n}")).collect();
        // Writing to a text cannot fail.
        let _ = write!(text, " WHERE ({key}) > ({})", marks.join(", "));
    }
    let _ = write!(text, " ORDER BY {key} LIMIT {PAGE_ROWS}");
    let mut statement = query_about(text);
    for value in after.into_iter().flatten() {
        statement = statement.bind(value.clone());
    }
    let rows = statement.fetch_all(on).await?;
    if rows.is_empty() {
        return Ok(None);
    }
    let rows: Result<Vec<_>, _> = rows.iter().map(|row| values(table, row)).collect();
    Ok(Some(rows?))
}

fn values(table: &Table, row: &Row) -> Result<Vec<Value>, sqlx::Error> {
    let columns = table.columns.iter().enumerate();
    let read = columns.map(|(place, column)| {
        Ok(match column.kind {
            Kind::Integer => Value::Integer(row.try_get(place)?),
            Kind::Real => Value::Real(row.try_get(place)?),
            Kind::Flag => Value::Flag(row.try_get(place)?),
            Kind::Text => Value::Text(row.try_get(place)?),
        })
    });
    read.collect()
}

/// Writes rows.
pub(super) async fn insert(
    table: &Table,
    rows: &[Vec<Value>],
    on: &mut Transaction,
) -> Result<(), MoveError> {
    let width = table.columns.len();
    let at_a_time = (MOST_VALUES / width).max(1);
    for rows in rows.chunks(at_a_time) {
        let mut text = format!(
            "INSERT INTO {} ({}) VALUES ",
            table.name,
            table.names(0..width)
        );
        let tuples: Vec<String> = (0..rows.len())
            .map(|row| {
                let marks = (1..=width).map(|column| format!("${}", row * width + column));
                format!("({})", marks.collect::<Vec<_>>().join(", "))
            })
            .collect();
        text.push_str(&tuples.join(", "));
        let mut statement = query_about(text);
        for value in rows.iter().flatten() {
            statement = statement.bind(value.clone());
        }
        statement.execute(&mut *on).await?;
    }
    Ok(())
}

/// Deletes all rows.
pub(super) async fn clear(table: &Table, on: &mut Transaction) -> Result<(), MoveError> {
    let all = query_about(format!("DELETE FROM {}", table.name));
    all.execute(on).await?;
    Ok(())
}
