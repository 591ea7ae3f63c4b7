use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::BoxStream;
use object_store::ObjectStore;

use super::FilesError;

/// Files by key. Cheap to clone.
#[derive(Debug, Clone)]
pub struct FileStore {
    store: Arc<dyn ObjectStore>,
}

impl FileStore {
    /// The store in `data_folder/files`, which is made when it is not there.
    pub fn open(data_folder: &Path) -> Result<Self, FilesError> {
        let _ = data_folder;
        unimplemented!()
    }

    /// Copies the local file to `key`. The file appears whole or not at all.
    pub async fn publish(&self, local: &Path, key: &str) -> Result<(), FilesError> {
        let _ = (local, key, &self.store);
        unimplemented!()
    }

    /// Copies the file under `key` to the local file `local`.
    pub async fn fetch_to(&self, key: &str, local: &Path) -> Result<(), FilesError> {
        let _ = (key, local);
        unimplemented!()
    }

    /// The size of the file under `key` in bytes.
    pub async fn size(&self, key: &str) -> Result<u64, FilesError> {
        let _ = key;
        unimplemented!()
    }

    /// The bytes `range` of the file under `key`, in pieces.
    pub async fn read_range(
        &self,
        key: &str,
        range: Range<u64>,
    ) -> Result<BoxStream<'static, Result<Bytes, FilesError>>, FilesError> {
        let _ = (key, range);
        unimplemented!()
    }

    /// Deletes the file under `key`, if there is one.
    pub async fn delete(&self, key: &str) -> Result<(), FilesError> {
        let _ = key;
        unimplemented!()
    }

    /// Deletes every file whose key lies under `prefix`, a whole path segment.
    pub async fn delete_prefix(&self, prefix: &str) -> Result<(), FilesError> {
        let _ = prefix;
        unimplemented!()
    }
}
