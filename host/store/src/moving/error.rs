use crate::StoreError;

/// Why rows cannot be brought from one database into another.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// A table has something that the other database has no place for.
    #[error(
        "{what} is in one database only, and it is not empty: bring both up to the same release"
    )]
    OneSided {
        /// The table, or the table and its column.
        what: String,
    },
    /// A table is kept in a way that this release cannot copy.
    #[error("the table {table} cannot be copied: {reason}")]
    Unknown {
        /// The table.
        table: String,
        /// What is unknown about it.
        reason: String,
    },
    /// What is in one database is not what is in the other.
    #[error("the table {table} is not the same in both databases ({here} rows and {there})")]
    Differs {
        /// The table.
        table: String,
        /// Rows in the one that is read.
        here: u64,
        /// Rows in the other.
        there: u64,
    },
    /// A database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for MoveError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}
