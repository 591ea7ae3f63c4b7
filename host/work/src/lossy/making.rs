use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{self, BoxStream, StreamExt as _};
use tempfile::TempPath;
use tokio::fs::File;
use tokio::io::AsyncReadExt as _;
use tokio::sync::watch;

use vocalhost_job::FileContent;

/// How often a reader of a growing file looks for more: the encoder writes pieces of some seconds of sound, and each takes it a few times
/// as long as this.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Pieces in which a file is read.
const READ_BYTES: usize = 64 << 10;

/// Why a file that was asked for is not there. The next request tries again.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LossyError {
    /// The result does not have it any more.
    #[error("the result is gone")]
    Gone,
    /// So little of the disk is free that nothing is made.
    #[error("the disk has no room")]
    NoRoom,
    /// The file store failed, and may do better later.
    #[error("the file store does not answer")]
    NoFiles,
    /// The database does not answer, and may do so later.
    #[error("the database does not answer")]
    NoDatabase,
    /// A fault of ours.
    #[error("{0}")]
    Failed(String),
}

/// Where the making of a file stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Stage {
    /// Where the file grows; deleted when its last reader has finished.
    pub(super) growing: Option<Arc<TempPath>>,
    /// What is in it, once it is complete.
    pub(super) made: Option<FileContent>,
    /// Whether it is kept with the result, and what is in it.
    pub(super) end: Option<Result<FileContent, LossyError>>,
}

/// A file that is being made. Making goes on when this is dropped.
#[derive(Debug)]
pub struct Making {
    stage: watch::Receiver<Stage>,
}

impl Making {
    pub(super) fn new(stage: watch::Receiver<Stage>) -> Self {
        Self { stage }
    }

    /// Waits until the file is kept with the result, and says what is in it.
    pub async fn kept(mut self) -> Result<FileContent, LossyError> {
        let ended = self.stage.wait_for(|stage| stage.end.is_some()).await;
        let ended = ended.map_err(|_| broken_off())?;
        ended.end.clone().unwrap_or_else(|| Err(broken_off()))
    }

    /// Waits for the first bytes of the file, and streams it while it is made. None when it was made before and is kept.
    pub async fn bytes(
        mut self,
    ) -> Result<Option<BoxStream<'static, io::Result<Vec<u8>>>>, LossyError> {
        loop {
            let stage = self.stage.borrow_and_update().clone();
            match (stage.growing, stage.end) {
                (None, Some(Ok(_))) => return Ok(None),
                // A complete file can be read even if it cannot be kept.
                (_, Some(Err(error))) if stage.made.is_none() => return Err(error),
                (Some(path), _) if has_begun(&path).await => {
                    let file = File::open(&*path).await;
                    let file = file.map_err(|error| LossyError::Failed(error.to_string()))?;
                    return Ok(Some(self.follow(file, path)));
                }
                _ => {}
            }
            if self.changes().await.is_err() {
                return Err(broken_off());
            }
        }
    }

    /// Streams a growing file up to its final end.
    fn follow(self, file: File, path: Arc<TempPath>) -> BoxStream<'static, io::Result<Vec<u8>>> {
        let reading = (self, file, path, 0);
        let pieces = stream::try_unfold(reading, |(mut making, mut file, path, at)| async move {
            loop {
                // Checked before reading: if the file is complete by now, the next read gets the rest of it.
                let stage = making.stage.borrow_and_update().clone();
                let mut piece = vec![0; READ_BYTES];
                let length = file.read(&mut piece).await?;
                if length > 0 {
                    piece.truncate(length);
                    let at = at + length as u64;
                    return Ok(Some((piece, (making, file, path, at))));
                }
                match (stage.made, stage.end) {
                    (Some(made), _) if made.bytes == at => return Ok(None),
                    (Some(_), _) => return Err(io::Error::other("the file is not what was made")),
                    (None, Some(Err(error))) => return Err(io::Error::other(error)),
                    (None, _) => making.changes().await.map_err(io::Error::other)?,
                }
            }
        });
        pieces.boxed()
    }

    /// Waits until something may have changed; growth of the file is not announced.
    async fn changes(&mut self) -> Result<(), LossyError> {
        tokio::select! {
            changed = self.stage.changed() => changed.map_err(|_| broken_off()),
            () = tokio::time::sleep(LOOK_EVERY) => Ok(()),
        }
    }
}

async fn has_begun(path: &TempPath) -> bool {
    let meta = tokio::fs::metadata(path).await;
    meta.is_ok_and(|meta| meta.len() > 0)
}

/// The making ended without a result, which only a panic or the end of the server causes.
fn broken_off() -> LossyError {
    LossyError::Failed("the making broke off".to_owned())
}
