use std::path::Path;

use bytes::BytesMut;
use object_store::MultipartUpload;
use tokio::io::AsyncReadExt as _;

use super::FilesError;
use super::file_store::{failed, local};

/// Piece in which files are copied: large enough that the calls cost nothing, small enough that a hundred copies at a
/// time fit into memory.
pub(super) const PIECE_BYTES: usize = 1 << 20;

/// A local file on its way into the store.
pub(super) struct Copy<'c> {
    /// The local file.
    pub(super) path: &'c Path,
    /// The key that it is to have.
    pub(super) key: &'c str,
    /// Whether it is not wanted any more.
    pub(super) stopped: &'c (dyn Fn() -> bool + Sync),
}

/// Copies a local file piece by piece into an upload, and gives it its name at the end, unless it is stopped before: then
/// the answer is false.
pub(super) async fn copy_in(
    copy: &Copy<'_>,
    source: &mut tokio::fs::File,
    upload: &mut dyn MultipartUpload,
) -> Result<bool, FilesError> {
    let Copy { path, key, stopped } = copy;
    while !stopped() {
        let mut piece = BytesMut::with_capacity(PIECE_BYTES);
        while piece.len() < PIECE_BYTES {
            let read = source.read_buf(&mut piece).await;
            if read.map_err(|source| local(path, source))? == 0 {
                break;
            }
        }
        if piece.is_empty() {
            let named = upload.complete().await;
            named.map_err(|error| failed(key, error))?;
            return Ok(true);
        }
        upload
            .put_part(piece.freeze().into())
            .await
            .map_err(|error| failed(key, error))?;
    }
    Ok(false)
}
