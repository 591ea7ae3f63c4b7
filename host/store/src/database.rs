use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use sqlx::PgPool;
use tokio::sync::{Notify, broadcast};

use super::calls::Calls;
use super::changes::{Changed, KEPT_CHANGES};
use super::migrations::newest;
use super::pulse::{self, Pulse};
use super::{DatabaseAddress, StoreError};
use crate::sql::{Alone, Database, Pool, Transaction, query};

/// The name of a server that shares its database with no other server.
const UNNAMED: &str = "only";

/// The database. Cheap to clone; clones share its connections.
#[derive(Debug, Clone)]
pub struct Store {
    database: Database,
    /// The pulse of the database's server, if it is on one.
    pulse: Option<Arc<Pulse>>,
    /// Our name among the servers that share the database.
    node: Arc<str>,
    due: Arc<Notify>,
    changed: broadcast::Sender<Changed>,
    news: Arc<Notify>,
    /// Tells other servers of the database.
    calls: Option<Calls>,
    /// Whether the process listens to what other servers do.
    hears: Arc<AtomicBool>,
}

impl Store {
    /// Opens the database at `address`, and brings its schema up to date; a missing file is created. Refuses a database that a newer
    /// release has written.
    ///
    /// With a server's database, this process follows the clock of that server from then on, see `vocalhost_system::clock`.
    pub async fn open(address: impl Into<DatabaseAddress>) -> Result<Self, StoreError> {
        let database = Database::open(&address.into()).await?;
        let pulse = if database.is_shared() {
            Some(pulse::listen(&database).await?)
        } else {
            None
        };
        let calls = match database.server() {
            Some(pool) => Some(Calls::open(pool.clone()).await?),
            None => None,
        };
        Ok(Self {
            database,
            pulse,
            node: UNNAMED.into(),
            calls,
            hears: Arc::default(),
            due: Arc::new(Notify::new()),
            changed: broadcast::Sender::new(KEPT_CHANGES),
            news: Arc::new(Notify::new()),
        })
    }

    /// The same store for a server of this name, which is unique among those that share the database. By its name a server that starts
    /// again finds the jobs that it had before.
    #[must_use]
    pub fn named(mut self, node: &str) -> Self {
        self.node = node.into();
        self
    }

    /// The name that it has for this server.
    #[must_use]
    pub fn node(&self) -> &str {
        &self.node
    }

    pub(super) fn pulse(&self) -> Option<&Pulse> {
        self.pulse.as_deref()
    }

    /// Whether other servers may use the database at the same time.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.database.is_shared()
    }

    /// Writes a copy of the database as it is now to `file`, which must not exist. Delays nobody. Only a database that is a file itself can
    /// be copied in this way.
    pub async fn snapshot_to(&self, file: &Path) -> Result<(), StoreError> {
        if self.is_shared() {
            return Err(StoreError::NoFile);
        }
        query("VACUUM INTO $1")
            .bind(file.to_string_lossy().into_owned())
            .execute(self.readers())
            .await?;
        Ok(())
    }

    /// The newest version of the schema that this release knows.
    #[must_use]
    pub fn schema() -> i64 {
        newest()
    }

    /// Closes the connections after the statements that are under way.
    pub async fn close(&self) {
        if let Some(calls) = &self.calls {
            calls.finish().await;
        }
        self.database.close().await;
    }

    /// Returns when a job may have become due since the last call. It is only a hint: the caller must look from time to time anyway.
    pub async fn job_due(&self) {
        self.due.notified().await;
    }

    pub(super) fn announce_due_job(&self) {
        self.tell_here_of_due_job();
        if let Some(calls) = &self.calls {
            calls.due();
        }
    }

    pub(super) fn tell_here_of_due_job(&self) {
        self.due.notify_one();
    }

    /// Where the numbers of changed jobs are announced.
    pub(super) fn changed(&self) -> &broadcast::Sender<Changed> {
        &self.changed
    }

    /// There may be something to deliver to webhooks.
    pub(super) fn announce_news(&self) {
        self.news.notify_one();
        if let Some(calls) = &self.calls {
            calls.news();
        }
    }

    /// What tells other servers, when there may be any.
    pub(super) fn calls(&self) -> Option<&Calls> {
        self.calls.as_ref()
    }

    /// Whether the process listens to what other servers do.
    pub(super) fn hears(&self) -> &Arc<AtomicBool> {
        &self.hears
    }

    /// The connections to a server's database.
    pub(super) fn server(&self) -> Option<&PgPool> {
        self.database.server()
    }

    pub(super) fn news(&self) -> &Notify {
        &self.news
    }

    pub(super) async fn writing(&self, alone: Alone) -> Result<Transaction, StoreError> {
        Ok(self.database.writing(alone).await?)
    }

    pub(super) async fn reading(&self) -> Result<Transaction, StoreError> {
        Ok(self.database.reading().await?)
    }

    /// For a single statement that reads.
    pub(super) fn readers(&self) -> &Pool {
        self.database.readers()
    }

    /// For a single statement that writes.
    pub(super) fn writers(&self) -> &Pool {
        self.database.writers()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_full_disk_spoils_no_later_transaction() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("vocalhost.sqlite");
        let store = Store::open(&file).await.expect("an empty folder opens");
        let made = query("CREATE TABLE large (bytes BLOB)");
        made.execute(store.writers()).await.expect("there is room");
        // Until the connection is closed the file may not grow.
        let full = query("PRAGMA max_page_count = 1");
        full.execute(store.writers()).await.expect("is taken");
        let mut transaction = store.writing(Alone::No).await.expect("begins");
        let written = query("INSERT INTO large VALUES (zeroblob(1000000))");
        let written = written.execute(&mut transaction).await;
        written.expect_err("there is no room");
        drop(transaction);
        for _ in 0..2 {
            let mut transaction = store.writing(Alone::No).await.expect("begins");
            let written = query("INSERT INTO large VALUES (zeroblob(1000000))");
            let written = written.execute(&mut transaction).await;
            written.expect("there is room again");
            transaction.commit().await.expect("commits");
        }
    }
}
