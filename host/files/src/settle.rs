//! Giving files their final names once they are complete.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// How often a folder is made again that vanished with the last file in it.
const TRIES: u32 = 8;

/// Runs blocking work on a thread that may block.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// Calls `put`, which puts a file at `path`; the folder of `path` is made if it is missing.
pub(super) fn in_folder<T>(path: &Path, put: impl Fn() -> io::Result<T>) -> io::Result<T> {
    let folder = path.parent().unwrap_or(path);
    let mut tries = 1;
    loop {
        match fs::create_dir_all(folder).and_then(|()| put()) {
            // Whoever deleted the last file in the folder has deleted the folder too.
            Err(error) if error.kind() == io::ErrorKind::NotFound && tries < TRIES => tries += 1,
            done => break done,
        }
    }
}

/// Renames a file whose content is on the disk to a place below `root`, and syncs the new name to the disk before it returns.
pub(super) fn settle(from: &Path, to: &Path, root: &Path) -> io::Result<()> {
    in_folder(to, || fs::rename(from, to))?;
    // All folders up to the store's own may be new.
    for folder in to
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.starts_with(root))
    {
        match File::open(folder) {
            Ok(folder) => folder.sync_all()?,
            // Whoever deleted the file already has deleted the folder too.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
