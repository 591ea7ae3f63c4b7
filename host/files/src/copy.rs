use std::path::Path;

use bytes::{Bytes, BytesMut};
use object_store::MultipartUpload;
use tokio::io::AsyncReadExt as _;

use super::FilesError;
use super::file_store::local;

/// Piece in which files are copied: large enough that the calls cost nothing, small enough that a hundred copies at a
/// time fit into memory.
const PIECE_BYTES: usize = 1 << 20;

/// A local file on its way into the store.
pub(super) struct Copy<'c> {
    /// The local file.
    pub(super) path: &'c Path,
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
    let Copy { path, stopped } = copy;
    while !stopped() {
        let piece = read_piece(source, PIECE_BYTES).await;
        let piece = piece.map_err(|source| local(path, source))?;
        if piece.is_empty() {
            let named = upload.complete().await;
            named.map_err(FilesError::Store)?;
            return Ok(true);
        }
        upload
            .put_part(piece.into())
            .await
            .map_err(FilesError::Store)?;
    }
    Ok(false)
}

/// The next `bytes` of a file; fewer at its end, and none behind it.
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
