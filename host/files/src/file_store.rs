use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::local::LocalFileSystem;
use object_store::path::Path as Location;
use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt as _};
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncWriteExt as _;

use super::FilesError;
use super::copy::{Copy, copy_in};

/// The folder of the store inside the data folder.
const FOLDER: &str = "files";

/// Files by key. Cheap to clone.
///
/// Keys are `/`-separated: `inputs/<random>.<ext>`, `results/<job>/<lease token>/<name>.<ext>`,
/// `voices/<job>/<lease token>/<name>` for the package of a voice that a job made, `imports/<package id>/…` for that of one
/// that was imported, and for pictures and demos beside a package, and `effects/<digest>.wasm`. What is published is on disk, not only in the system's cache, when the call returns.
#[derive(Debug, Clone)]
pub struct FileStore {
    store: Arc<dyn ObjectStore>,
    folder: PathBuf,
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

/// Where everything lies that a job's work made, below which each lease has its own folder.
#[must_use]
pub fn results_prefix(job_id: i64) -> String {
    format!("results/{job_id}")
}

/// Where the package of a voice lies that a job made, in a folder for each lease.
#[must_use]
pub fn packages_prefix(job_id: i64) -> String {
    format!("voices/{job_id}")
}

impl FileStore {
    /// The store in `data_folder/files`, which is made when it is not there.
    pub fn open(data_folder: &Path) -> Result<Self, FilesError> {
        let folder = data_folder.join(FOLDER);
        std::fs::create_dir_all(&folder).map_err(|source| local(&folder, source))?;
        let store = LocalFileSystem::new_with_prefix(&folder)
            .map_err(FilesError::Store)?
            // Without it a power cut can leave a recorded result without its files.
            .with_fsync(true)
            .with_automatic_cleanup(true);
        Ok(Self {
            store: Arc::new(store),
            folder,
        })
    }

    /// Copies the local file to `key`. The file appears whole or not at all.
    pub async fn publish(&self, local_file: &Path, key: &str) -> Result<(), FilesError> {
        self.publish_unless(local_file, key, &|| false)
            .await
            .map(|_| ())
    }

    /// The same, unless `stopped` says on the way that the file is not wanted any more. Gives whether it is there.
    ///
    /// Whoever deletes the file afterwards must stop in this way: a call that is dropped may still be about to give the
    /// file its name on another thread.
    pub async fn publish_unless(
        &self,
        local_file: &Path,
        key: &str,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<bool, FilesError> {
        let location = location(key)?;
        let mut source = tokio::fs::File::open(local_file)
            .await
            .map_err(|source| local(local_file, source))?;
        let mut upload = self
            .store
            .put_multipart(&location)
            .await
            .map_err(|error| failed(key, error))?;
        let copy = Copy {
            path: local_file,
            key,
            stopped,
        };
        let copied = copy_in(&copy, &mut source, upload.as_mut()).await;
        if !matches!(copied, Ok(true)) {
            // An error of the copy tells more than one of tidying up would.
            let _ = upload.abort().await;
        }
        copied
    }

    /// Copies the file under `key` to the local file `local`.
    pub async fn fetch_to(&self, key: &str, local_file: &Path) -> Result<(), FilesError> {
        self.fetch(key, local_file, &mut |_| {}).await
    }

    /// As [`FileStore::fetch_to`]; gives the SHA-256 of what came, lower-case hex.
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
            .map_err(|error| failed(key, error))?;
        let mut target = tokio::fs::File::create(local_file)
            .await
            .map_err(|source| local(local_file, source))?;
        let mut pieces = found.into_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.map_err(|error| failed(key, error))?;
            look(&piece);
            target
                .write_all(&piece)
                .await
                .map_err(|source| local(local_file, source))?;
        }
        target
            .flush()
            .await
            .map_err(|source| local(local_file, source))
    }

    /// All of the file under `key`, which must be one that fits into memory.
    pub async fn read(&self, key: &str) -> Result<Vec<u8>, FilesError> {
        let found = self.store.get(&location(key)?).await;
        let found = found.map_err(|error| failed(key, error))?;
        let bytes = found.bytes().await.map_err(|error| failed(key, error))?;
        Ok(bytes.into())
    }

    /// The size of the file under `key` in bytes.
    pub async fn size(&self, key: &str) -> Result<u64, FilesError> {
        let found = self.store.head(&location(key)?).await;
        Ok(found.map_err(|error| failed(key, error))?.size)
    }

    /// The bytes `range` of the file under `key`, in pieces. A range that goes beyond the end gives what there is.
    pub async fn read_range(
        &self,
        key: &str,
        range: Range<u64>,
    ) -> Result<BoxStream<'static, Result<Bytes, FilesError>>, FilesError> {
        if range.is_empty() {
            // There is no such range for the store; the answer is as true without asking it.
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
            .map_err(|error| failed(key, error))?;
        let key = key.to_owned();
        Ok(found
            .into_stream()
            .map_err(move |error| failed(&key, error))
            .boxed())
    }

    /// Deletes the file under `key`, if there is one.
    pub async fn delete(&self, key: &str) -> Result<(), FilesError> {
        match self.store.delete(&location(key)?).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(key, error)),
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

    /// Deletes the results of a forgotten job, and the recordings that it leaves to nobody. Everything is tried, and the
    /// first error told; what could not be deleted is found by the cleanup.
    pub async fn delete_job(&self, job_id: i64, input_keys: &[String]) -> Result<(), FilesError> {
        let mut deleted = self.delete_prefix(&results_prefix(job_id)).await;
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
        let prefix = prefix.to_owned();
        Ok(self
            .store
            .list(Some(&within))
            .map_ok(|meta| StoredFile {
                key: meta.location.to_string(),
                bytes: meta.size,
                published_at_us: meta.last_modified.timestamp_micros(),
            })
            .map_err(move |error| failed(&prefix, error))
            .boxed())
    }

    /// Deletes what a crash left of copies that never got their name. Only for a server that has just started: it
    /// cannot tell such a rest from a copy under way.
    pub async fn sweep_unfinished(&self) -> Result<(), FilesError> {
        let folder = self.folder.clone();
        tokio::task::spawn_blocking(move || super::unfinished::sweep(&folder))
            .await
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
    }
}

/// Keys are ours, but a wrong one must never lead out of the store's folder.
fn location(key: &str) -> Result<Location, FilesError> {
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

pub(super) fn failed(key: &str, error: object_store::Error) -> FilesError {
    match error {
        object_store::Error::NotFound { .. } => FilesError::NotFound {
            key: key.to_owned(),
        },
        other => FilesError::Store(other),
    }
}

pub(super) fn local(path: &Path, source: std::io::Error) -> FilesError {
    FilesError::Local {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::super::copy::PIECE_BYTES;
    use super::*;

    async fn read(files: &FileStore, key: &str, range: Range<u64>) -> Vec<u8> {
        let pieces = files
            .read_range(key, range)
            .await
            .expect("the file is there");
        let pieces: Vec<Bytes> = pieces.try_collect().await.expect("it can be read");
        pieces.concat()
    }

    /// More than a piece, and not a whole number of them.
    fn long_content() -> Vec<u8> {
        (0..PIECE_BYTES * 2 + 12_345)
            .map(|index| (index % 251) as u8)
            .collect()
    }

    fn open() -> (tempfile::TempDir, FileStore) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let files = FileStore::open(folder.path()).expect("an empty folder opens");
        (folder, files)
    }

    #[tokio::test]
    async fn a_published_file_comes_back_whole_and_in_ranges() {
        let (folder, files) = open();
        let content = long_content();
        let local = folder.path().join("local.wav");
        std::fs::write(&local, &content).expect("it can be written");
        let key = "results/1/token/output.wav";
        files.publish(&local, key).await.expect("it is published");

        let length = content.len() as u64;
        assert_eq!(files.size(key).await.expect("it is there"), length);
        assert_eq!(read(&files, key, 0..length).await, content);
        assert_eq!(read(&files, key, 0..length + 9).await, content);
        assert_eq!(read(&files, key, 10..20).await, content[10..20]);
        assert_eq!(read(&files, key, 7..7).await, [0; 0]);
        let copy = folder.path().join("copy.wav");
        files.fetch_to(key, &copy).await.expect("it is fetched");
        assert_eq!(std::fs::read(copy).expect("it can be read"), content);
    }

    #[tokio::test]
    async fn a_copy_that_is_stopped_leaves_nothing() {
        let (folder, files) = open();
        let local = folder.path().join("local.wav");
        std::fs::write(&local, long_content()).expect("it can be written");
        for pieces in 0..3 {
            let asked = std::sync::atomic::AtomicUsize::new(0);
            let stopped = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= pieces;
            let published = files.publish_unless(&local, "results/1/a/x.wav", &stopped);
            assert!(!published.await.expect("it answers"));
            let place = folder.path().join(FOLDER).join("results/1/a");
            let left = std::fs::read_dir(place).map_or(0, Iterator::count);
            assert_eq!(left, 0, "after {pieces} pieces");
        }
    }

    #[tokio::test]
    async fn an_empty_file_is_a_file() {
        let (folder, files) = open();
        let local = folder.path().join("empty");
        std::fs::write(&local, []).expect("it can be written");
        files
            .publish(&local, "inputs/a.wav")
            .await
            .expect("it is published");
        assert_eq!(files.size("inputs/a.wav").await.expect("it is there"), 0);
    }

    #[tokio::test]
    async fn deleting_a_prefix_takes_whole_segments_only() {
        let (folder, files) = open();
        let local = folder.path().join("local");
        std::fs::write(&local, b"x").expect("it can be written");
        for key in [
            "results/1/a/x.wav",
            "results/1/b/y.wav",
            "results/12/a/x.wav",
        ] {
            files.publish(&local, key).await.expect("it is published");
        }
        files.delete_prefix("results/1").await.expect("it answers");
        files.delete_prefix("results/99").await.expect("it answers");
        let left: Vec<_> = files
            .list("results")
            .expect("a good prefix")
            .map_ok(|file| file.key)
            .try_collect()
            .await
            .expect("it answers");
        assert_eq!(left, ["results/12/a/x.wav"]);
    }

    #[tokio::test]
    async fn a_job_takes_its_results_and_the_recordings_that_are_named_along() {
        let (folder, files) = open();
        let local = folder.path().join("local");
        std::fs::write(&local, b"x").expect("it can be written");
        for key in [
            "results/7/a/x.wav",
            "results/70/a/x.wav",
            "inputs/own.wav",
            "inputs/shared.wav",
        ] {
            files.publish(&local, key).await.expect("it is published");
        }
        let own = ["inputs/own.wav".to_owned()];
        files.delete_job(7, &own).await.expect("it answers");
        assert!(files.size("results/7/a/x.wav").await.is_err());
        assert!(files.size("inputs/own.wav").await.is_err());
        for key in ["results/70/a/x.wav", "inputs/shared.wav"] {
            files.size(key).await.expect("it is there");
        }
    }

    #[tokio::test]
    async fn a_missing_file_is_said_to_be_missing_and_deletes_without_complaint() {
        let (folder, files) = open();
        let key = "inputs/none.wav";
        assert!(matches!(
            files.size(key).await,
            Err(FilesError::NotFound { .. })
        ));
        assert!(matches!(
            files.fetch_to(key, &folder.path().join("x")).await,
            Err(FilesError::NotFound { .. })
        ));
        assert!(files.read_range(key, 0..1).await.is_err());
        files.delete(key).await.expect("there is nothing to do");
    }

    #[tokio::test]
    async fn no_key_leads_out_of_the_folder() {
        let (folder, files) = open();
        std::fs::write(folder.path().join("secret"), b"x").expect("it can be written");
        for key in ["../secret", "inputs/../../secret", "", "/", "a//b"] {
            assert!(files.size(key).await.is_err(), "{key:?}");
            assert!(files.delete(key).await.is_err(), "{key:?}");
        }
        assert!(folder.path().join("secret").exists());
    }

    #[tokio::test]
    async fn the_rest_of_a_copy_that_was_cut_short_is_swept_away() {
        let (folder, files) = open();
        let place = folder.path().join(FOLDER).join("inputs");
        std::fs::create_dir_all(&place).expect("it can be made");
        std::fs::write(place.join("a.wav#1"), b"half").expect("it can be written");
        std::fs::write(place.join("b.wav"), b"whole").expect("it can be written");
        files.sweep_unfinished().await.expect("it answers");
        assert!(!place.join("a.wav#1").exists());
        assert!(place.join("b.wav").exists());
    }
}
