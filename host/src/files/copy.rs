use std::path::Path;

use bytes::BytesMut;
use object_store::MultipartUpload;
use tokio::io::AsyncReadExt as _;

use super::FilesError;
use super::file_store::{failed, local};

/// Piece in which files are copied: large enough that the calls cost nothing, small enough that a hundred copies at a
/// time fit into memory.
pub(super) const PIECE_BYTES: usize = 1 << 20;

/// Copies a local file piece by piece into an upload, and gives it its name at the end.
pub(super) async fn copy_in(
    source: &mut tokio::fs::File,
    local_file: &Path,
    key: &str,
    upload: &mut dyn MultipartUpload,
) -> Result<(), FilesError> {
    loop {
        let mut piece = BytesMut::with_capacity(PIECE_BYTES);
        while piece.len() < PIECE_BYTES {
            let read = source.read_buf(&mut piece).await;
            if read.map_err(|source| local(local_file, source))? == 0 {
                break;
            }
        }
        if piece.is_empty() {
            break;
        }
        upload
            .put_part(piece.freeze().into())
            .await
            .map_err(|error| failed(key, error))?;
    }
    upload
        .complete()
        .await
        .map_err(|error| failed(key, error))?;
    Ok(())
}
