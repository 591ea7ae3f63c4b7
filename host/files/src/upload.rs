//! Files on their way into a bucket.

use std::path::Path;
use std::time::Duration;

use object_store::path::Path as Location;
use object_store::{MultipartUpload, ObjectStoreExt as _};

use super::copy::read_piece;
use super::error::local;
use super::{FileStore, FilesError};

/// The size of the largest file that goes in one request, and of the parts of larger ones: stores refuse parts of less than 5 MiB, and some
/// want all parts to have one size.
const PART_BYTES: usize = 8 << 20;

/// How often to check, while waiting for the store, whether a file is still wanted.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// A local file that goes into a bucket.
pub(super) struct Upload<'u> {
    /// Where it goes.
    pub(super) files: &'u FileStore,
    /// The local file.
    pub(super) path: &'u Path,
    /// The key that it is to have.
    pub(super) key: &'u str,
    /// The same, as the store has it.
    pub(super) location: Location,
    /// Whether it is no longer wanted.
    pub(super) stopped: &'u (dyn Fn() -> bool + Sync),
}

impl Upload<'_> {
    /// Sends the file, which appears whole or not at all. `false` when it was stopped before that.
    pub(super) async fn run(&self, mut source: tokio::fs::File) -> Result<bool, FilesError> {
        if (self.stopped)() {
            return Ok(false);
        }
        let length = source.metadata().await;
        let length = length.map_err(|source| local(self.path, source))?.len();
        if length <= PART_BYTES as u64 {
            return self.put(&mut source).await;
        }
        let upload = self.files.store.put_multipart(&self.location).await;
        let mut upload = upload.map_err(|error| self.files.at_fault(error))?;
        let sent = tokio::select! {
            sent = self.send(&mut source, upload.as_mut(), length) => sent,
            () = self.unwanted() => Ok(false),
        };
        if !matches!(sent, Ok(true)) {
            // If the store does not get this, the bucket's rule for incomplete uploads deletes the parts.
            let _ = upload.abort().await;
        }
        sent
    }

    /// A file that fits into one request.
    async fn put(&self, source: &mut tokio::fs::File) -> Result<bool, FilesError> {
        let content = read_piece(source, PART_BYTES).await;
        let content = content.map_err(|source| local(self.path, source))?;
        tokio::select! {
            put = self.files.store.put(&self.location, content.into()) => {
                put.map(|_| true).map_err(|error| self.files.at_fault(error))
            }
            () = self.unwanted() => {
                // It may have arrived. If it arrives only now, the cleanup finds it.
                self.files.delete(self.key).await?;
                Ok(false)
            }
        }
    }

    async fn send(
        &self,
        source: &mut tokio::fs::File,
        upload: &mut dyn MultipartUpload,
        length: u64,
    ) -> Result<bool, FilesError> {
        loop {
            let part = read_piece(source, PART_BYTES).await;
            let part = part.map_err(|source| local(self.path, source))?;
            if part.is_empty() {
                break;
            }
            let sent = upload.put_part(part.into()).await;
            sent.map_err(|error| self.files.at_fault(error))?;
        }
        match upload.complete().await {
            Ok(_) => Ok(true),
            // When the answer to `complete` was lost, the retry finds that the bucket no longer knows the upload, but the file is there.
            Err(error) => match self.files.store.head(&self.location).await {
                Ok(found) if found.size == length => Ok(true),
                _ => Err(self.files.at_fault(error)),
            },
        }
    }

    /// Returns when the file is no longer wanted.
    async fn unwanted(&self) {
        while !(self.stopped)() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
