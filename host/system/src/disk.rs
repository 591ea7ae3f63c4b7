//! The one place that asks the system how much of a disk is free, and recognises errors of a full disk.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::statvfs;

/// The bytes that are free on the disk that a folder lies on; `None` where the system does not say.
#[must_use]
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Whether something failed because a disk, or a user's quota on it, is full. Looks at the error and its causes.
#[must_use]
pub fn is_full(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        if let Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) = kind {
            return true;
        }
        cause = error.source();
    }
    false
}

/// How many bytes of a disk have to stay free.
#[derive(Debug, Clone)]
pub struct Reserve {
    folder: PathBuf,
    bytes: u64,
}

impl Reserve {
    /// So many bytes of the disk that the folder lies on.
    pub fn new(folder: impl Into<PathBuf>, bytes: u64) -> Self {
        Self {
            folder: folder.into(),
            bytes,
        }
    }

    /// Whether that much is free now. A reserve of 0 needs one free byte, since nothing can be written to a full disk. Where the system
    /// does not say, the answer is yes.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        free_bytes(&self.folder).is_none_or(|free| free >= self.bytes.max(1))
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_found_among_the_causes() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        assert!(is_full(&full()));
        assert!(is_full(&io::Error::other(Outer(full()))));
        assert!(is_full(&Outer(io::ErrorKind::QuotaExceeded.into())));
        assert!(!is_full(&Outer(io::ErrorKind::PermissionDenied.into())));
    }

    #[derive(Debug, thiserror::Error)]
    #[error("it failed")]
    struct Outer(#[source] io::Error);

    #[test]
    fn no_disk_has_more_than_it_has() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(Reserve::new(folder.path(), 0).is_kept());
        assert!(!Reserve::new(folder.path(), u64::MAX).is_kept());
        let nowhere = folder.path().join("nowhere");
        assert!(Reserve::new(nowhere, u64::MAX).is_kept());
    }
}
