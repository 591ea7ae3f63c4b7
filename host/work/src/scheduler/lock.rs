use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use vocalhost_system::token;

/// The name of the lock file in the data folder.
const LOCK_FILE: &str = "server.lock";

/// The file in the data folder with the server's name among the servers that share a database.
const NODE_FILE: &str = "node";

/// A data folder that belongs to this process until the lock is dropped. The system releases it when the process ends, however it ends.
/// Because of it a server that starts knows that no other server on this folder has jobs running.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
    folder: PathBuf,
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
    /// The server's name cannot be read or written.
    #[error("cannot keep this server's name in the data folder {folder}: {source}")]
    Unnamed {
        /// The data folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl FolderLock {
    /// Whether a server uses the folder now. Creates nothing.
    #[must_use]
    pub fn is_taken(data_folder: &Path) -> bool {
        data_folder.join(LOCK_FILE).is_file()
            && matches!(Self::take(data_folder), Err(LockError::Taken(_)))
    }

    /// Takes the folder, and makes it if it is missing. Never waits: the folder is free, or another server has it.
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
            Ok(()) => Ok(Self {
                _file: file,
                folder: data_folder.to_owned(),
            }),
            Err(TryLockError::WouldBlock) => Err(LockError::Taken(data_folder.to_owned())),
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    /// The unique name of the server that has this folder: drawn when it is first asked for, and kept in the folder.
    pub fn node(&self) -> Result<String, LockError> {
        let failed = |source| LockError::Unnamed {
            folder: self.folder.clone(),
            source,
        };
        let file = self.folder.join(NODE_FILE);
        match std::fs::read_to_string(&file) {
            Ok(name) if !name.trim().is_empty() => return Ok(name.trim().to_owned()),
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(failed(error));
            }
            Ok(_) | Err(_) => {}
        }
        let name = token::draw().map_err(failed)?;
        std::fs::write(&file, &name).map_err(failed)?;
        Ok(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_folder_keeps_its_name() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let name = |folder: &Path| {
            let lock = FolderLock::take(folder).expect("nobody has it");
            lock.node().expect("it can be written")
        };
        let first = name(folder.path());
        assert_eq!(name(folder.path()), first);
        let other = tempfile::tempdir().expect("a temporary folder");
        assert_ne!(name(other.path()), first);
    }

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
