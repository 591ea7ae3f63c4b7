use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// The name of the lock file in the data folder.
const LOCK_FILE: &str = "server.lock";

/// A data folder that belongs to this process until the lock is dropped. The system lets go of it when the process
/// ends, however it ends. Because of it a server that starts knows that no other one has jobs running.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

/// Why the data folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another server uses it.
    #[error(
        "another server uses the data folder {0}: stop it, or give this one a folder of its own"
    )]
    Taken(PathBuf),
    /// The lock file cannot be made or locked.
    #[error("cannot lock the data folder {folder}: {source}")]
    Failed {
        /// The data folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl FolderLock {
    /// Takes the folder, and makes it when it is not there. Never waits: the folder is free, or another server has it.
    pub fn take(data_folder: &Path) -> Result<Self, LockError> {
        let failed = |source| LockError::Failed {
            folder: data_folder.to_owned(),
            source,
        };
        std::fs::create_dir_all(data_folder).map_err(failed)?;
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(data_folder.join(LOCK_FILE))
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(LockError::Taken(data_folder.to_owned())),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_folder_belongs_to_one_server_at_a_time() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let first = FolderLock::take(folder.path()).expect("nobody has it");
        let second = FolderLock::take(folder.path());
        assert!(matches!(second, Err(LockError::Taken(_))), "{second:?}");
        drop(first);
        FolderLock::take(folder.path()).expect("nobody has it any more");
    }
}
