//! Whether the store can be used, found out by using it.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::path::Path as Location;
use object_store::{ObjectStore, ObjectStoreExt as _};

use super::error::local;
use super::file_store::Place;
use super::{FileStore, FilesError};

/// Where checks write: a prefix that nothing else has.
pub(super) const CHECKS: &str = "checks";

/// For how long an answer to [`FileStore::answers`] holds: anybody may ask for it.
const ANSWER_HOLDS: Duration = Duration::from_secs(2);

/// What they write.
const CONTENT: &[u8] = b"vocalhost looks whether it can write here";

impl FileStore {
    /// Whether files can be written, read, listed and deleted in the store. `name` is the name of the test file, which nobody else uses at
    /// that moment. The error is a sentence for whoever set the store up; for a folder only its presence is checked.
    pub async fn check(&self, name: &str) -> Result<(), FilesError> {
        let s3 = match &self.place {
            Place::Folder(folder) => {
                let found = tokio::fs::metadata(folder).await;
                return found.map(drop).map_err(|source| local(folder, source));
            }
            Place::Bucket(s3) => s3,
        };
        match write_and_read(&s3.probe, name).await {
            Ok(()) => {
                self.failing.store(false, Ordering::Relaxed);
                Ok(())
            }
            Err(error) => {
                self.failing.store(true, Ordering::Relaxed);
                Err(FilesError::Unusable {
                    reason: s3.explain(&error),
                })
            }
        }
    }

    /// Whether the store answers; it is asked every two seconds at most. A store that failed counts as answering only once a
    /// [check](FileStore::check) under `name` succeeds.
    pub async fn answers(&self, name: &str) -> bool {
        let Place::Bucket(s3) = &self.place else {
            return self.check(name).await.is_ok();
        };
        let mut last = self.last_answer.lock().await;
        if let Some((at, answered)) = *last
            && at.elapsed() < ANSWER_HOLDS
        {
            return answered;
        }
        let answered = if self.is_failing() {
            self.check(name).await
        } else {
            let mut listed = s3.probe.list(Some(&Location::from(CHECKS)));
            let first = listed.try_next().await;
            first.map(drop).map_err(|error| FilesError::Unusable {
                reason: s3.explain(&error),
            })
        };
        if let Err(error) = &answered {
            tracing::warn!(%error, "the file store does not answer");
        }
        *last = Some((Instant::now(), answered.is_ok()));
        answered.is_ok()
    }

    /// Whether the store was last seen to fail by its own fault, and no check has succeeded since.
    #[must_use]
    pub fn is_failing(&self) -> bool {
        self.failing.load(Ordering::Relaxed)
    }

    /// Which bucket the files are in, for people; none when they are in the data folder.
    #[must_use]
    pub fn elsewhere(&self) -> Option<&str> {
        match &self.place {
            Place::Folder(_) => None,
            Place::Bucket(s3) => Some(&s3.place),
        }
    }
}

async fn write_and_read(store: &dyn ObjectStore, name: &str) -> object_store::Result<()> {
    let prefix = Location::from(CHECKS);
    let place = prefix.clone().join(name);
    // Some stores create a missing bucket when something is written to it. That would hide a typing error.
    store.list(Some(&prefix)).try_next().await?;
    store
        .put(&place, Bytes::from_static(CONTENT).into())
        .await?;
    let read = store.get(&place).await?.bytes().await?;
    let listed = store
        .list(Some(&prefix))
        .try_any(|found| std::future::ready(found.location == place))
        .await?;
    store.delete(&place).await?;
    if listed && read == CONTENT {
        return Ok(());
    }
    Err(object_store::Error::Generic {
        store: "S3",
        source: "what was written is not what is there".into(),
    })
}
