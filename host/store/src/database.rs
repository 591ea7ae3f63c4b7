use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{Connection as _, Sqlite, SqliteConnection, Transaction};
use tokio::sync::{Notify, broadcast};

use super::StoreError;
use super::changes::KEPT_CHANGES;
use super::migrations::MIGRATOR;

/// How long a statement waits for another process, such as the command line, to let go of the database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Connections for reading: enough that a slow list holds up nobody, few enough that they cost nothing.
const READERS: u32 = 4;

/// The database. Cheap to clone; clones share its connections.
///
/// One connection writes, so that a transaction never fails because another one of ours was faster; the others read
/// from snapshots and wait for nobody.
#[derive(Debug, Clone)]
pub struct Store {
    writer: SqlitePool,
    readers: SqlitePool,
    due: Arc<Notify>,
    changed: broadcast::Sender<i64>,
    news: Arc<Notify>,
}

impl Store {
    /// Opens the database file `database`, makes it when it is not there, and brings its schema up to date. Refuses a
    /// database that a newer release has written.
    pub async fn open(database: &Path) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(database)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // A completion that was answered must survive a power cut, not only a crash of the server.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY_TIMEOUT);
        let writer = pool(1).connect_with(options).await?;
        refuse_newer(&writer, database).await?;
        MIGRATOR.run(&writer).await?;

        let read_only = SqliteConnectOptions::new()
            .filename(database)
            .read_only(true)
            .foreign_keys(true)
            .busy_timeout(BUSY_TIMEOUT);
        let readers = pool(READERS).connect_with(read_only).await?;
        Ok(Self {
            writer,
            readers,
            due: Arc::new(Notify::new()),
            changed: broadcast::Sender::new(KEPT_CHANGES),
            news: Arc::new(Notify::new()),
        })
    }

    /// Writes a copy of the database, as it is at this moment, to `file`, which must not be there. Holds up nobody.
    pub async fn snapshot_to(&self, file: &Path) -> Result<(), StoreError> {
        sqlx::query("VACUUM INTO $1")
            .bind(file.to_string_lossy().into_owned())
            .execute(&self.readers)
            .await?;
        Ok(())
    }

    /// The newest version of the schema that this release knows.
    #[must_use]
    pub fn schema() -> i64 {
        MIGRATOR.iter().map(|one| one.version).max().unwrap_or(0)
    }

    /// Lets go of the database after the statements that are under way.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    /// Returns when a job may have become due since the last call. It only hints: whoever waits must look by
    /// themselves from time to time.
    pub async fn job_due(&self) {
        self.due.notified().await;
    }

    pub(super) fn announce_due_job(&self) {
        self.due.notify_one();
    }

    /// Where numbers of changed jobs are called out.
    pub(super) fn changed(&self) -> &broadcast::Sender<i64> {
        &self.changed
    }

    /// There may be something to deliver to webhooks.
    pub(super) fn announce_news(&self) {
        self.news.notify_one();
    }

    pub(super) fn news(&self) -> &Notify {
        &self.news
    }

    pub(super) async fn writing(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        // Taking the lock at once: a transaction that starts as a reader cannot always become a writer.
        Ok(self.writer.begin_with("BEGIN IMMEDIATE").await?)
    }

    pub(super) async fn reading(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        Ok(self.readers.begin().await?)
    }

    /// For a single statement that reads.
    pub(super) fn readers(&self) -> &SqlitePool {
        &self.readers
    }

    /// For a single statement that writes.
    pub(super) fn writer(&self) -> &SqlitePool {
        &self.writer
    }
}

/// The number of the row that the last statement of this connection inserted.
pub(super) async fn last_row_id(connection: &mut SqliteConnection) -> Result<i64, StoreError> {
    Ok(sqlx::query_scalar("SELECT last_insert_rowid()")
        .fetch_one(connection)
        .await?)
}

fn pool(connections: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .min_connections(1)
        .max_connections(connections)
        .idle_timeout(None)
        .max_lifetime(None)
        // When the disk is full SQLite itself rolls back; rolling back once more fails then, and the library believes the
        // transaction to be open for good. Such a connection is closed, and another one opened in its place.
        .before_acquire(|connection, _| Box::pin(async { Ok(!connection.is_in_transaction()) }))
}

async fn refuse_newer(writer: &SqlitePool, database: &Path) -> Result<(), StoreError> {
    let has_history: bool = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '_sqlx_migrations')",
    )
    .fetch_one(writer)
    .await?;
    if !has_history {
        return Ok(());
    }
    let found: Option<i64> = sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations")
        .fetch_one(writer)
        .await?;
    let found = found.unwrap_or(0);
    let known = Store::schema();
    if found > known {
        return Err(StoreError::Newer {
            path: database.to_owned(),
            found,
            known,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_disk_spoils_no_later_transaction() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("vocalhost.sqlite");
        let store = Store::open(&file).await.expect("an empty folder opens");
        let made = sqlx::query("CREATE TABLE large (bytes BLOB)");
        made.execute(store.writer()).await.expect("there is room");
        // Until the connection is closed the file may not grow any more.
        let full = sqlx::query("PRAGMA max_page_count = 1");
        full.execute(store.writer()).await.expect("is taken");
        let mut transaction = store.writing().await.expect("begins");
        let written = sqlx::query("INSERT INTO large VALUES (zeroblob(1000000))");
        let written = written.execute(&mut *transaction).await;
        written.expect_err("there is no room");
        drop(transaction);
        for _ in 0..2 {
            let mut transaction = store.writing().await.expect("begins");
            let written = sqlx::query("INSERT INTO large VALUES (zeroblob(1000000))");
            let written = written.execute(&mut *transaction).await;
            written.expect("there is room again");
            transaction.commit().await.expect("commits");
        }
    }
}
