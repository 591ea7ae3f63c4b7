//! Files that the store may take over: local ones that nobody needs any more, and content in memory.

use std::fs::File;
use std::io;
use std::path::Path;

use bytes::Bytes;
use object_store::ObjectStoreExt as _;

use super::error::local;
use super::file_store::{Place, location};
use super::settle::{blocking, settle};
use super::{FileStore, FilesError};

impl FileStore {
    /// Hands the local file over to the store, which keeps it under `key`; nobody else may need it any more. Into a folder on the same disk
    /// it is only renamed, and so written once; otherwise it is copied, and the original stays.
    pub async fn give(&self, local_file: &Path, key: &str) -> Result<(), FilesError> {
        let Place::Folder(folder) = &self.place else {
            return self.publish(local_file, key).await;
        };
        let target = folder.join(location(key)?.to_string());
        let (source, root) = (local_file.to_owned(), folder.clone());
        let moved = blocking(move || {
            File::open(&source)?.sync_all()?;
            settle(&source, &target, &root)
        })
        .await;
        match moved {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                self.publish(local_file, key).await
            }
            moved => moved.map_err(|source| local(local_file, source)),
        }
    }

    /// Publishes content from memory, which should be small: a bucket gets it in one request.
    pub async fn write(&self, content: Bytes, key: &str) -> Result<(), FilesError> {
        let written = self.store.put(&location(key)?, content.into()).await;
        written.map(drop).map_err(|error| self.failed(key, error))
    }
}
