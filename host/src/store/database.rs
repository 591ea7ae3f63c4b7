use std::path::Path;

use super::StoreError;

/// The database. Cheap to clone; clones share its connections.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) writer: sqlx::SqlitePool,
    pub(super) readers: sqlx::SqlitePool,
}

impl Store {
    /// Opens the database file `database`, makes it when it is not there, and brings its schema up to date.
    pub async fn open(database: &Path) -> Result<Self, StoreError> {
        let _ = database;
        unimplemented!()
    }
}
