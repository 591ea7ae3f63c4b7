//! Files that the store keeps as they are given: local ones that nobody needs any more, and what is in memory.

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
    /// Gives the local file to the store, which keeps it under `key`: nobody may need it any more. In a folder on the same disk it only
    /// gets another name, so that it is written once; elsewhere it is copied, and left.
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

    /// Publishes what is in memory, which should be small: a bucket gets it in one request.
    pub async fn write(&self, content: Bytes, key: &str) -> Result<(), FilesError> {
        let written = self.store.put(&location(key)?, content.into()).await;
        written.map(drop).map_err(|error| self.failed(key, error))
    }
}
