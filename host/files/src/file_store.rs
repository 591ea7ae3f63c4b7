use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::local::LocalFileSystem;
use object_store::path::Path as Location;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt as _};
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncWriteExt as _;

use super::bucket::Bucket;
use super::copy::{Copy, pieces_of};
use super::credentials::Environment;
use super::error::local;
use super::s3::{Download, S3};
use super::{FilesError, upload};

/// The folder of the store inside the data folder.
const FOLDER: &str = "files";

/// Files by key. Cheap to clone.
///
/// Keys are `/`-separated: `inputs/<random>.<ext>`, `results/<job>/<lease token>/<name>.<ext>`, `results/<job>/heard/…` and
/// `training/<job>/…` for tests and checkpoints of a voice in training, `voices/<job>/<lease token>/<name>` for the package of a voice that
/// a job made, `imports/<package id>/…` for an imported package and for pictures and demos beside a package,
/// `live/<conversion>/<random>.wav` for recordings of a live conversion, `effects/<digest>.wasm`, and `uploads/<id>/<offset>-<random>` for
/// a piece of an upload. When a call that publishes returns, the file is on disk (not only in the system's cache) or in the bucket.
#[derive(Debug, Clone)]
pub struct FileStore {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) place: Place,
    /// Whether the store was last seen to fail by its own fault.
    pub(super) failing: Arc<AtomicBool>,
    /// When it was last asked whether it answers, and whether it did.
    pub(super) last_answer: Arc<tokio::sync::Mutex<Option<(Instant, bool)>>>,
}

/// Where the files are.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// In a folder of this machine.
    Folder(PathBuf),
    /// In a bucket, which may fail while this program goes on.
    Bucket(Arc<S3>),
}

/// A file as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// Its key.
    pub key: String,
    /// Its size.
    pub bytes: u64,
    /// When it was published, in microseconds since the Unix epoch.
    pub published_at_us: i64,
}

/// Where the component of an installed effect lies.
#[must_use]
pub fn component_key(digest: &str) -> String {
    format!("effects/{digest}.wasm")
}

/// Where everything lies that work on a job made; each lease has a folder of its own below.
#[must_use]
pub fn results_prefix(job_id: i64) -> String {
    format!("results/{job_id}")
}

/// Where tests of a voice in training lie, for all attempts together: each goes on where the one before was cut off.
#[must_use]
pub fn heard_prefix(job_id: i64) -> String {
    format!("{}/heard", results_prefix(job_id))
}

/// Where the checkpoints of a training lie.
#[must_use]
pub fn training_prefix(job_id: i64) -> String {
    format!("training/{job_id}")
}

/// Where the package of a voice that a job made lies, in a folder for each lease.
#[must_use]
pub fn packages_prefix(job_id: i64) -> String {
    format!("voices/{job_id}")
}

/// Where a recording of a live conversion lies. `token` is unique.
#[must_use]
pub fn live_key(id: i64, token: &str) -> String {
    format!("live/{id}/{token}.wav")
}

/// Where the pieces of an upload in several requests lie.
#[must_use]
pub fn upload_prefix(upload_id: &str) -> String {
    format!("uploads/{upload_id}")
}

/// Where the piece of an upload that begins at `offset` lies. `token` is unique, so that no two write to one file.
#[must_use]
pub fn piece_key(upload_id: &str, offset: u64, token: &str) -> String {
    format!("{}/{offset}-{token}", upload_prefix(upload_id))
}

impl FileStore {
    /// The store in `data_folder/files`, which is made when it is not there.
    pub fn open(data_folder: &Path) -> Result<Self, FilesError> {
        let folder = data_folder.join(FOLDER);
        std::fs::create_dir_all(&folder).map_err(|source| local(&folder, source))?;
        let store = LocalFileSystem::new_with_prefix(&folder)
            .map_err(FilesError::Store)?
            // Without it a power cut can leave a result that is recorded but has no files.
            .with_fsync(true)
            .with_automatic_cleanup(true);
        Ok(Self {
            store: Arc::new(store),
            place: Place::Folder(folder),
            failing: Arc::default(),
            last_answer: Arc::default(),
        })
    }

    /// The store in a bucket; `environment` looks up where its credentials are. Nothing is asked of it yet: see
    /// [`FileStore::check`].
    pub fn in_bucket(bucket: &Bucket, environment: Environment<'_>) -> Result<Self, FilesError> {
        let (s3, store) = S3::open(bucket, environment).map_err(|error| FilesError::Unusable {
            reason: format!("cannot use {}: {error}", bucket.address),
        })?;
        Ok(Self {
            store: Arc::new(store),
            place: Place::Bucket(Arc::new(s3)),
            failing: Arc::default(),
            last_answer: Arc::default(),
        })
    }

    /// The same store for work that nobody waits for: requests that fail by the store's fault are retried for minutes instead of seconds.
    #[must_use]
    pub fn patient(&self) -> Self {
        let Place::Bucket(s3) = &self.place else {
            return self.clone();
        };
        Self {
            store: Arc::new(s3.patient.clone()),
            ..self.clone()
        }
    }

    /// A link with which anybody can read the file for a while, straight from the store. None when only this program hands files out. Does
    /// not check that the file is there.
    pub async fn link(
        &self,
        key: &str,
        download: &Download<'_>,
        lasts: Duration,
    ) -> Result<Option<String>, FilesError> {
        let Place::Bucket(s3) = &self.place else {
            return Ok(None);
        };
        let link = s3.link(&location(key)?, download, lasts).await;
        Ok(Some(link.map_err(|error| self.failed(key, error))?))
    }

    /// Copies the local file to `key`. The file appears whole or not at all.
    pub async fn publish(&self, local_file: &Path, key: &str) -> Result<(), FilesError> {
        self.publish_unless(local_file, key, &|| false)
            .await
            .map(|_| ())
    }

    /// The same, unless `stopped` says meanwhile that the file is no longer wanted. Returns whether the file is there.
    ///
    /// Whoever deletes the file afterwards must stop the call in this way: one that is dropped may still be about to give the file its name
    /// on another thread.
    pub async fn publish_unless(
        &self,
        local_file: &Path,
        key: &str,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<bool, FilesError> {
        let location = location(key)?;
        let source = tokio::fs::File::open(local_file)
            .await
            .map_err(|source| local(local_file, source))?;
        let Place::Folder(root) = &self.place else {
            let upload = upload::Upload {
                files: self,
                path: local_file,
                key,
                location,
                stopped,
            };
            return upload.run(source).await;
        };
        let copy = Copy {
            source: source.into_std().await,
            target: root.join(location.to_string()),
            root: root.clone(),
        };
        copy.run(stopped).await
    }

    /// Copies the file under `key` to the local file `local`.
    pub async fn fetch_to(&self, key: &str, local_file: &Path) -> Result<(), FilesError> {
        self.fetch(key, local_file, &mut |_| {}).await
    }

    /// As [`FileStore::fetch_to`]; returns the SHA-256 of what came, lower-case hex.
    pub async fn fetch_hashed(&self, key: &str, local_file: &Path) -> Result<String, FilesError> {
        let mut hasher = Sha256::new();
        self.fetch(key, local_file, &mut |piece| hasher.update(piece))
            .await?;
        Ok(base16ct::lower::encode_string(&hasher.finalize()))
    }

    async fn fetch(
        &self,
        key: &str,
        local_file: &Path,
        look: &mut (dyn FnMut(&[u8]) + Send),
    ) -> Result<(), FilesError> {
        let found = self
            .store
            .get(&location(key)?)
            .await
            .map_err(|error| self.failed(key, error))?;
        let whole = found.meta.size;
        let mut fetched = 0;
        let mut target = tokio::fs::File::create(local_file)
            .await
            .map_err(|source| local(local_file, source))?;
        let mut pieces = pieces_of(found);
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| self.failed(key, error))?;
            fetched += piece.len() as u64;
            look(&piece);
            target
                .write_all(&piece)
                .await
                .map_err(|source| local(local_file, source))?;
        }
        target
            .flush()
            .await
            .map_err(|source| local(local_file, source))?;
        if fetched == whole {
            return Ok(());
        }
        Err(FilesError::Cut {
            key: key.to_owned(),
            fetched,
            whole,
        })
    }

    /// All of the file under `key`, which must be one that fits into memory.
    pub async fn read(&self, key: &str) -> Result<Vec<u8>, FilesError> {
        let found = self.store.get(&location(key)?).await;
        let found = found.map_err(|error| self.failed(key, error))?;
        let bytes = found
            .bytes()
            .await
            .map_err(|error| self.failed(key, error))?;
        Ok(bytes.into())
    }

    /// The size of the file under `key` in bytes.
    pub async fn size(&self, key: &str) -> Result<u64, FilesError> {
        let found = self.store.head(&location(key)?).await;
        Ok(found.map_err(|error| self.failed(key, error))?.size)
    }

    /// The bytes `range` of the file under `key`, in pieces. A range that goes beyond the end is cut there.
    pub async fn read_range(
        &self,
        key: &str,
        range: Range<u64>,
    ) -> Result<BoxStream<'static, Result<Bytes, FilesError>>, FilesError> {
        if range.is_empty() {
            // The store refuses an empty range; whether the file is there still has to be found out.
            self.size(key).await?;
            return Ok(futures_util::stream::empty().boxed());
        }
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            ..GetOptions::default()
        };
        let found = self
            .store
            .get_opts(&location(key)?, options)
            .await
            .map_err(|error| self.failed(key, error))?;
        let (key, files) = (key.to_owned(), self.clone());
        Ok(pieces_of(found)
            .map_err(move |error| files.failed(&key, error))
            .boxed())
    }

    /// Deletes the file under `key`, if there is one.
    pub async fn delete(&self, key: &str) -> Result<(), FilesError> {
        match self.store.delete(&location(key)?).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.failed(key, error)),
        }
    }

    /// Deletes every file whose key lies under `prefix`, a whole path segment.
    pub async fn delete_prefix(&self, prefix: &str) -> Result<(), FilesError> {
        let mut files = self.list(prefix)?;
        while let Some(file) = files.next().await {
            self.delete(&file?.key).await?;
        }
        Ok(())
    }

    /// Deletes the results of a forgotten job, and those of its recordings that nobody else needs. Tries everything and returns the first
    /// error; the cleanup finds what could not be deleted.
    pub async fn delete_job(&self, job_id: i64, input_keys: &[String]) -> Result<(), FilesError> {
        let mut deleted = self.delete_prefix(&results_prefix(job_id)).await;
        deleted = deleted.and(self.delete_prefix(&training_prefix(job_id)).await);
        for key in input_keys {
            deleted = deleted.and(self.delete(key).await);
        }
        deleted
    }

    /// Every file whose key lies under `prefix`, a whole path segment.
    pub fn list(
        &self,
        prefix: &str,
    ) -> Result<BoxStream<'static, Result<StoredFile, FilesError>>, FilesError> {
        let within = location(prefix)?;
        let (prefix, files) = (prefix.to_owned(), self.clone());
        Ok(self
            .store
            .list(Some(&within))
            .map_ok(|meta| StoredFile {
                key: meta.location.to_string(),
                bytes: meta.size,
                published_at_us: meta.last_modified.timestamp_micros(),
            })
            .map_err(move |error| files.failed(&prefix, error))
            .boxed())
    }

    /// Deletes unfinished copies that a crash left. Only for a server that has just started: it cannot tell them from copies under way. In
    /// a bucket, a rule of the bucket does this.
    pub async fn sweep_unfinished(&self) -> Result<(), FilesError> {
        let Place::Folder(folder) = &self.place else {
            return Ok(());
        };
        let folder = folder.clone();
        tokio::task::spawn_blocking(move || super::unfinished::sweep(&folder))
            .await
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
    }

    /// What an error of the store means for a file.
    pub(super) fn failed(&self, key: &str, error: object_store::Error) -> FilesError {
        match error {
            object_store::Error::NotFound { .. } => FilesError::NotFound {
                key: key.to_owned(),
            },
            error => self.at_fault(error),
        }
    }

    /// The meaning of an error of the store that is not about a file. A bucket that fails may work later, and counts as failing until a
    /// check succeeds.
    pub(super) fn at_fault(&self, error: object_store::Error) -> FilesError {
        match &self.place {
            Place::Folder(_) => FilesError::Store(error),
            Place::Bucket(s3) => {
                self.failing.store(true, Ordering::Relaxed);
                FilesError::Unavailable {
                    place: s3.place.clone(),
                    source: error,
                }
            }
        }
    }
}

/// Keys are ours, but a wrong one must never lead out of the store's folder.
pub(super) fn location(key: &str) -> Result<Location, FilesError> {
    let parsed = Location::parse(key).map_err(|error| FilesError::Key {
        key: key.to_owned(),
        reason: error.to_string(),
    })?;
    if parsed.as_ref().is_empty() {
        return Err(FilesError::Key {
            key: key.to_owned(),
            reason: "it is empty".to_owned(),
        });
    }
    Ok(parsed)
}
