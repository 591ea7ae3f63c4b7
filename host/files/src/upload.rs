//! Files on their way into a bucket.

use std::path::Path;
use std::time::Duration;

use object_store::path::Path as Location;
use object_store::{MultipartUpload, ObjectStoreExt as _};

use super::copy::read_piece;
use super::error::local;
use super::{FileStore, FilesError};

/// What goes in one request, and the parts of what is larger: no store takes less than 5 MiB for a part, and some want all parts to
/// be alike.
const PART_BYTES: usize = 8 << 20;

/// How often is looked whether a file is still wanted while the store is waited for.
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
    /// Whether it is not wanted any more.
    pub(super) stopped: &'u (dyn Fn() -> bool + Sync),
}

impl Upload<'_> {
    /// Sends the file, which appears whole or not at all; the answer is false when it is stopped before.
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
            // What the store does not hear of goes by the bucket's rule for parts that are never put together.
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
            // A bucket does not know an upload any more that was put together before its answer was lost.
            Err(error) => match self.files.store.head(&self.location).await {
                Ok(found) if found.size == length => Ok(true),
                _ => Err(self.files.at_fault(error)),
            },
        }
    }

    /// Ends when the file is not wanted any more.
    async fn unwanted(&self) {
        while !(self.stopped)() {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
