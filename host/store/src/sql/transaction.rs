use sqlx::{Error, PgPool, Postgres, Sqlite};

use super::postgres::in_time;
use super::query;

/// Statements that are applied together or not at all. Without `commit` they are not.
pub(crate) enum Transaction {
    Sqlite(sqlx::Transaction<'static, Sqlite>),
    Postgres(sqlx::Transaction<'static, Postgres>),
}

/// The lock of a writing transaction, which keeps others out between its reads and its writes. In `SQLite` only one transaction writes at a
/// time anyway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alone {
    /// It looks at nothing but the rows that it changes.
    No,
    /// It counts what a user has.
    User(i64),
    /// It looks at what everybody has.
    Everybody,
    /// It counts the deliveries to webhooks that are being made.
    Deliverers,
}

/// The classes of advisory locks. All users of a database share one space of lock numbers: the upper bits hold the class, the others what
/// is locked.
const USERS: i64 = 1 << 48;
const EVERYBODY: i64 = 2 << 48;
const DELIVERERS: i64 = 3 << 48;

impl Alone {
    fn key(self) -> Option<i64> {
        match self {
            Self::No => None,
            Self::User(id) => Some(USERS | id),
            Self::Everybody => Some(EVERYBODY),
            Self::Deliverers => Some(DELIVERERS),
        }
    }
}

impl Transaction {
    /// Begins a transaction in a task of its own: sqlx 0.9 leaves a transaction open when the caller stops waiting half-way, as a request
    /// does whose client has gone.
    pub(super) async fn begin(pool: &PgPool, how: &'static str) -> Result<Self, Error> {
        let pool = pool.clone();
        let begun = tokio::spawn(async move { in_time(pool.begin_with(how)).await }).await;
        Ok(Self::Postgres(begun.map_err(|_| Error::WorkerCrashed)??))
    }

    /// Waits until no other transaction holds the same.
    pub(super) async fn be_alone(&mut self, alone: Alone) -> Result<(), Error> {
        if let Some(key) = alone.key() {
            let lock = query("SELECT pg_advisory_xact_lock($1)").bind(key);
            lock.execute(self).await?;
        }
        Ok(())
    }

    /// Makes it count.
    pub(crate) async fn commit(self) -> Result<(), Error> {
        match self {
            Self::Sqlite(transaction) => transaction.commit().await,
            Self::Postgres(transaction) => in_time(transaction.commit()).await,
        }
    }

    /// Whether others write at the same time, so that rows must be locked when they are read to be changed.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }
}
