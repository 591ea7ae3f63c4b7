use std::path::Path;
use std::time::Duration;

use sqlx::Connection as _;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

use crate::StoreError;
use crate::migrations::bring_file_up_to_date;

/// How long a statement waits for another process, such as the command line, to let go of the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Connections for reading: enough that a slow list delays nobody, few enough that they cost nothing.
const READERS: u32 = 4;

/// Opens a file, creates it if it is missing, and brings its schema up to date. Returns the connection that writes and those that read.
///
/// One connection writes, so that a transaction never fails because another one of ours was faster; the others read from snapshots and wait
/// for nobody.
pub(super) async fn open(file: &Path) -> Result<(SqlitePool, SqlitePool), StoreError> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // A completion that was answered must survive a power cut, not only a crash of the server.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT);
    let writer = pool(1).connect_with(options).await?;
    bring_file_up_to_date(&writer, file).await?;
    let read_only = SqliteConnectOptions::new()
        .filename(file)
        .read_only(true)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT);
    let readers = pool(READERS).connect_with(read_only).await?;
    Ok((writer, readers))
}

fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .min_connections(1)
        .max_connections(connections)
        .idle_timeout(None)
        .max_lifetime(None)
        // When the disk is full, SQLite itself rolls back. Our own rollback then fails, and the library takes the transaction to be open
        // for good. Such a connection is closed, and another one opened in its place.
        .before_acquire(|connection, _| Box::pin(async { Ok(!connection.is_in_transaction()) }))
}
