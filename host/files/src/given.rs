//! Files that the store keeps as they are given: local ones that nobody needs any more, and what is in memory.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use bytes::Bytes;
use object_store::ObjectStoreExt as _;

use super::file_store::{Place, local, location};
use super::{FileStore, FilesError};

/// How often a folder is made again that went with the last file in it.
pub(super) const TRIES: u32 = 8;

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

/// Does what makes a thread wait on one that may.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// Gives a file whose content is on the disk another name below `root`, and has that on the disk, too, before it returns.
pub(super) fn settle(from: &Path, to: &Path, root: &Path) -> io::Result<()> {
    let folder = to.parent().unwrap_or(to);
    let mut tries = 1;
    loop {
        let named = fs::create_dir_all(folder).and_then(|()| fs::rename(from, to));
        match named {
            Err(error) if error.kind() == io::ErrorKind::NotFound && tries < TRIES => tries += 1,
            named => break named?,
        }
    }
    // All folders up to the store's own may be new.
    for folder in folder
        .ancestors()
        .take_while(|folder| folder.starts_with(root))
    {
        match File::open(folder) {
            Ok(folder) => folder.sync_all()?,
            // Whoever deleted the file already has taken it along.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
