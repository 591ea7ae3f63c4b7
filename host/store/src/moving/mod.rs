//! Copying all rows of one database into another, of either kind: from a file to a server when an installation grows, and back.
//!
//! The tables and columns are read from the databases themselves, so that what a later release adds is moved as well.

mod error;
mod numbers;
mod rows;
mod tables;

pub use error::MoveError;

use std::fmt;

use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgConnection};

use self::rows::{Seen, clear, insert, page, seen};
use self::tables::{Table, tables_of};
use crate::sql::{Alone, Transaction, query};
use crate::{DatabaseAddress, Store, StoreError};

/// What came along of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedTable {
    /// Its name.
    pub name: String,
    /// How many rows it has.
    pub rows: u64,
}

impl fmt::Display for MovedTable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {} rows", self.name, self.rows)
    }
}

/// Tables that have rows in every database that was ever used: the first start makes a user, finds models and enters effects.
const FIRST_FILLED: [&str; 4] = ["users", "effects", "voice_models", "audit_log"];

/// Connections of our own programs, except the one that asks.
const OTHERS: &str = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() \
     AND application_name LIKE 'vocalhost%' AND pid <> pg_backend_pid()";

impl Store {
    /// How many connections servers and commands have to the database at `address` now. For a file this is unknown: the lock of its folder
    /// says more.
    pub async fn users_of(address: &DatabaseAddress) -> Result<u64, StoreError> {
        let DatabaseAddress::Server(address) = address else {
            return Ok(0);
        };
        let options: PgConnectOptions = address.parse()?;
        let mut connection = PgConnection::connect_with(&options).await?;
        let others: i64 = sqlx::query_scalar(OTHERS)
            .fetch_one(&mut connection)
            .await?;
        connection.close().await?;
        Ok(u64::try_from(others).unwrap_or(0))
    }

    /// Whether no server has worked on the database yet.
    pub async fn is_unused(&self) -> Result<bool, StoreError> {
        let mut transaction = self.reading().await?;
        for name in FIRST_FILLED {
            if Table::has_rows(name, &mut transaction).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Copies every row into the database of `other`, replacing what a new database contains, in one transaction there: everything is
    /// copied or nothing. The copy is read again and compared before the commit. Numbers that were given once are not given again there.
    /// `progress` is told of each finished table.
    pub async fn copy_rows_to(
        &self,
        other: &Store,
        mut progress: impl FnMut(&MovedTable),
    ) -> Result<Vec<MovedTable>, MoveError> {
        let mut from = self.reading().await?;
        let mut to = other.writing(Alone::Everybody).await?;
        without_limits(&mut from).await?;
        without_limits(&mut to).await?;
        let tables = common(&mut from, &mut to).await?;
        // Whatever refers to something goes before it.
        for table in tables.iter().rev() {
            clear(table, &mut to).await?;
        }
        let mut moved = Vec::with_capacity(tables.len());
        for table in &tables {
            let mut sent = Seen::default();
            while let Some(rows) = page(table, sent.last(), &mut from).await? {
                insert(table, &rows, &mut to).await?;
                sent.add(table, &rows);
            }
            numbers::go_on(table, &mut from, &mut to).await?;
            moved.push((table, sent.end()));
        }
        // Only now: a trigger may change rows of another table.
        let mut done = Vec::with_capacity(moved.len());
        for (table, sent) in moved {
            let arrived = seen(table, &mut to).await?;
            let table = compared(table, &sent, &arrived)?;
            progress(&table);
            done.push(table);
        }
        to.commit().await?;
        Ok(done)
    }

    /// Compares every row with those of the database of `other`.
    pub async fn compare_rows_with(&self, other: &Store) -> Result<Vec<MovedTable>, MoveError> {
        let mut here = self.reading().await?;
        let mut there = other.reading().await?;
        without_limits(&mut here).await?;
        without_limits(&mut there).await?;
        let mut same = Vec::new();
        for table in common(&mut here, &mut there).await? {
            let (ours, theirs) = (
                seen(&table, &mut here).await?,
                seen(&table, &mut there).await?,
            );
            same.push(compared(&table, &ours, &theirs)?);
        }
        Ok(same)
    }
}

fn compared(
    table: &Table,
    sent: &(u64, String),
    arrived: &(u64, String),
) -> Result<MovedTable, MoveError> {
    if sent != arrived {
        return Err(MoveError::Differs {
            table: table.name.clone(),
            here: sent.0,
            there: arrived.0,
        });
    }
    Ok(MovedTable {
        name: table.name.clone(),
        rows: sent.0,
    })
}

/// The tables that both databases have, with the columns that both have, ordered so that none comes before a table that it refers to. A
/// table that only one side has must be empty: nothing is lost silently.
async fn common(here: &mut Transaction, there: &mut Transaction) -> Result<Vec<Table>, MoveError> {
    let mut ours = tables_of(here).await?;
    let mut theirs = tables_of(there).await?;
    for (tables, others, on) in [(&ours, &theirs, &mut *here), (&theirs, &ours, &mut *there)] {
        for table in tables {
            let other = others.iter().find(|other| other.name == table.name);
            table.must_fit(other, on).await?;
        }
    }
    ours.retain(|table| theirs.iter().any(|other| other.name == table.name));
    theirs.retain(|table| ours.iter().any(|other| other.name == table.name));
    for table in &mut ours {
        table
            .refers
            .retain(|name| theirs.iter().any(|other| other.name == *name));
    }
    tables::in_order(ours)
}

/// A transaction that moves an installation may wait longer for the other side than that of a server.
async fn without_limits(transaction: &mut Transaction) -> Result<(), StoreError> {
    if transaction.is_shared() {
        for limit in [
            "SET LOCAL idle_in_transaction_session_timeout = 0",
            "SET LOCAL statement_timeout = 0",
        ] {
            query(limit).execute(&mut *transaction).await?;
        }
    }
    Ok(())
}
