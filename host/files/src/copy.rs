use std::fs::{self, File};
use std::io::{self, Read as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::{Bytes, BytesMut};
use futures_util::stream::BoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::{GetResult, GetResultPayload};
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};

use super::FilesError;
use super::error::local;
use super::settle::{blocking, in_folder, settle};

/// Bytes that the kernel copies in one call: large enough that the calls cost nothing, small enough that a copy stops soon.
const PIECE_BYTES: u64 = 16 << 20;

/// Bytes that are read in one call: large enough that calls cost little, small enough that a thousand downloads at a time fit into memory.
const READ_BYTES: usize = 1 << 17;

/// A local file on its way into the store's folder. It is copied, not moved: whoever made it may still hold it open.
pub(super) struct Copy {
    /// The local file.
    pub(super) source: File,
    /// The name that it is to have.
    pub(super) target: PathBuf,
    /// The store's folder.
    pub(super) root: PathBuf,
}

impl Copy {
    /// Copies the file and gives it its name at the end. `false` when it was stopped before that.
    pub(super) async fn run(self, stopped: &(dyn Fn() -> bool + Sync)) -> Result<bool, FilesError> {
        let Self {
            source,
            target,
            root,
        } = self;
        let failed = |error| local(&target, error);
        let staged = staged_path(&target);
        let path = staged.clone();
        let file = blocking(move || in_folder(&path, || File::create_new(&path)))
            .await
            .map_err(failed)?;
        let copied = copy(source, file, stopped).await;
        let named = match copied {
            Ok(Some(file)) => {
                let (from, to) = (staged.clone(), target.clone());
                let settled = move || {
                    file.sync_all()?;
                    settle(&from, &to, &root)
                };
                blocking(settled).await.map(|()| true)
            }
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        };
        if !matches!(named, Ok(true)) {
            // An error of the copy says more than one of tidying up would.
            let _ = blocking(move || fs::remove_file(staged)).await;
        }
        named.map_err(failed)
    }
}

/// The name of a file until it is complete: a staging name like the local store's own, which no list shows and the start sweeps away.
fn staged_path(target: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let mut name = target.as_os_str().to_owned();
    // Other programs may write to the same folder.
    name.push(format!("#{}{number:08}", std::process::id()));
    name.into()
}

/// The copy, or none when it was stopped.
async fn copy(
    mut source: File,
    mut target: File,
    stopped: &(dyn Fn() -> bool + Sync),
) -> io::Result<Option<File>> {
    while !stopped() {
        let piece = blocking(move || {
            let copied = io::copy(&mut (&source).take(PIECE_BYTES), &mut &target)?;
            Ok::<_, io::Error>((source, target, copied))
        });
        let (read, written, copied) = piece.await?;
        if copied == 0 {
            return Ok(Some(written));
        }
        (source, target) = (read, written);
    }
    Ok(None)
}

/// The next `bytes` of a file; fewer at its end, and none after it.
pub(super) async fn read_piece(
    source: &mut tokio::fs::File,
    bytes: usize,
) -> std::io::Result<Bytes> {
    let mut piece = BytesMut::with_capacity(bytes);
    // The buffer may have been given a little more room.
    let mut source = source.take(bytes as u64);
    while piece.len() < bytes && source.read_buf(&mut piece).await? > 0 {}
    Ok(piece.freeze())
}

/// What was found, in pieces. For local files they are larger than the store's own, since each piece costs a change of threads.
pub(super) fn pieces_of(found: GetResult) -> BoxStream<'static, object_store::Result<Bytes>> {
    let range = found.range.clone();
    let GetResultPayload::File(file, path) = found.payload else {
        return found.into_stream();
    };
    let file = tokio::fs::File::from_std(file);
    let read = move |(mut file, mut at): (tokio::fs::File, u64)| async move {
        if at == range.start {
            file.seek(SeekFrom::Start(at)).await?;
        }
        let left = usize::try_from(range.end - at).unwrap_or(usize::MAX);
        let piece = read_piece(&mut file, left.min(READ_BYTES)).await?;
        at += piece.len() as u64;
        Ok((!piece.is_empty()).then_some((piece, (file, at))))
    };
    let pieces = futures_util::stream::try_unfold((file, found.range.start), read);
    let failed = move |source: std::io::Error| object_store::Error::Generic {
        store: "LocalFileSystem",
        source: format!("{}: {source}", path.display()).into(),
    };
    pieces.map_err(failed).boxed()
}
