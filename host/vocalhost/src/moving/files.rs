use std::path::Path;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::MovingError;
use vocalhost_files::FileStore;

/// Files that are copied at a time: a bucket is far away, and most files are small.
const AT_A_TIME: usize = 8;

/// What became of the files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MovedFiles {
    /// Files that were copied.
    pub copied: u64,
    /// Files that an earlier run had copied already.
    pub kept: u64,
    /// The bytes of all of them.
    pub bytes: u64,
}

/// Copies every file of `from` into `to`, reads each again there and compares its SHA-256. `to` must be empty, unless an earlier run has
/// `begun`: then files that are there already and the same are kept, and files that are not from here are refused. Copies go through the
/// folder `scratch`; `progress` is told how many files of how many are done.
pub async fn move_files(
    (from, to): (&FileStore, &FileStore),
    begun: bool,
    scratch: &Path,
    mut progress: impl FnMut(usize, usize),
) -> Result<MovedFiles, MovingError> {
    let files = from.all().await?;
    let there = to.all().await?;
    let strange = there.keys().find(|key| !begun || !files.contains_key(*key));
    if let Some(strange) = strange {
        let place = to.elsewhere().unwrap_or("the folder `files`");
        return Err(MovingError::Used(format!("{place}, which has {strange},")));
    }
    let count = files.len();
    let copies = files.iter().enumerate().map(|(number, (key, bytes))| {
        let is_there = there.get(key) == Some(bytes);
        let local = scratch.join(number.to_string());
        async move {
            let copied = copy((from, to), key, is_there, &local).await;
            // Room for the next one; the folder goes at the end in any case.
            let _ = tokio::fs::remove_file(&local).await;
            copied.map(|copied| (copied, *bytes))
        }
    });
    let mut copies = stream::iter(copies).buffer_unordered(AT_A_TIME);
    let (mut moved, mut done) = (MovedFiles::default(), 0);
    while let Some((copied, bytes)) = copies.try_next().await? {
        moved.copied += u64::from(copied);
        moved.kept += u64::from(!copied);
        moved.bytes += bytes;
        done += 1;
        progress(done, count);
    }
    Ok(moved)
}

/// Copies a file unless the same is there; gives whether it had to.
async fn copy(
    (from, to): (&FileStore, &FileStore),
    key: &str,
    is_there: bool,
    local: &Path,
) -> Result<bool, MovingError> {
    let digest = from.fetch_hashed(key, local).await?;
    if is_there && to.digest(key).await? == digest {
        return Ok(false);
    }
    to.publish(local, key).await?;
    if to.digest(key).await? != digest {
        return Err(MovingError::Damaged(key.to_owned()));
    }
    Ok(true)
}
