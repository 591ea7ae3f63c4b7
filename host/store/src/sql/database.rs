use sqlx::{Error, PgPool, SqlitePool};

use super::{Alone, Transaction, postgres, sqlite};
use crate::{DatabaseAddress, StoreError};

/// The connections to a database. Cheap to clone; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Database {
    writers: Pool,
    readers: Pool,
}

/// Connections for statements that are run by themselves.
#[derive(Debug, Clone)]
pub(crate) enum Pool {
    Sqlite(SqlitePool),
    Postgres(PgPool),
}

impl Pool {
    async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres(pool) => pool.close().await,
        }
    }
}

impl Database {
    /// Opens the database at `address`, and brings its schema up to date.
    pub(crate) async fn open(address: &DatabaseAddress) -> Result<Self, StoreError> {
        Ok(match address {
            DatabaseAddress::File(file) => {
                let (writer, readers) = sqlite::open(file).await?;
                Self {
                    writers: Pool::Sqlite(writer),
                    readers: Pool::Sqlite(readers),
                }
            }
            DatabaseAddress::Server(address) => {
                let pool = Pool::Postgres(postgres::open(address).await?);
                Self {
                    writers: pool.clone(),
                    readers: pool,
                }
            }
        })
    }

    /// Begins a transaction that writes.
    pub(crate) async fn writing(&self, alone: Alone) -> Result<Transaction, Error> {
        match &self.writers {
            // Takes the write lock at once: a transaction that starts as a reader cannot always become a writer.
            Pool::Sqlite(pool) => Ok(Transaction::Sqlite(
                pool.begin_with("BEGIN IMMEDIATE").await?,
            )),
            Pool::Postgres(pool) => {
                let mut transaction = Transaction::begin(pool, "BEGIN").await?;
                transaction.be_alone(alone).await?;
                Ok(transaction)
            }
        }
    }

    /// Begins a transaction whose reads all see the same state of the database.
    pub(crate) async fn reading(&self) -> Result<Transaction, Error> {
        match &self.readers {
            Pool::Sqlite(pool) => Ok(Transaction::Sqlite(pool.begin().await?)),
            Pool::Postgres(pool) => {
                Transaction::begin(pool, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await
            }
        }
    }

    /// For a single statement that reads.
    pub(crate) fn readers(&self) -> &Pool {
        &self.readers
    }

    /// For a single statement that writes.
    pub(crate) fn writers(&self) -> &Pool {
        &self.writers
    }

    /// Whether other servers may use it.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.writers, Pool::Postgres(_))
    }

    /// Whether it was let go of.
    pub(crate) fn is_closed(&self) -> bool {
        match &self.writers {
            Pool::Sqlite(pool) => pool.is_closed(),
            Pool::Postgres(pool) => pool.is_closed(),
        }
    }

    /// The connections to a server's database, for what only a server can.
    pub(crate) fn server(&self) -> Option<&PgPool> {
        match &self.writers {
            Pool::Sqlite(_) => None,
            Pool::Postgres(pool) => Some(pool),
        }
    }

    /// Closes the connections after the statements that are under way.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.writers.close().await;
    }
}
