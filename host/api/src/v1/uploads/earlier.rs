//! Uploads begun under an earlier release, which kept what had arrived in a file in the data folder.

use super::taking::lock;
use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_files::piece_key;
use vocalhost_store::{Arrival, UploadPiece, UploadRecord};
use vocalhost_system::clock;

/// The upload, with what had arrived at this server under the earlier release as its first piece. Other servers cannot know of that
/// file: there the upload begins anew.
pub(super) async fn with_earlier(api: &Api, upload: UploadRecord) -> Result<UploadRecord, Problem> {
    if upload.arrived > 0 {
        return Ok(upload);
    }
    let path = api.resumable_folder.join(&upload.id);
    let found = tokio::fs::metadata(&path).await;
    let bytes = found.map_or(0, |found| if found.is_file() { found.len() } else { 0 });
    if bytes == 0 || bytes > upload.bytes {
        return Ok(upload);
    }
    // Somebody begins anew already, or does this very thing.
    let Ok((token, arrived)) = lock(&api.store, &upload.id).await else {
        return Ok(upload);
    };
    let piece = UploadPiece {
        begins_at: 0,
        bytes,
        key: piece_key(&upload.id, 0, &token),
    };
    if arrived == 0 {
        api.files.give(&path, &piece.key).await?;
    }
    let arrival = Arrival {
        upload_id: &upload.id,
        token: &token,
        arrived: 0,
        piece: &piece,
        held_until_us: None,
    };
    if api.store.note_arrival(&arrival).await? {
        // It is still there where the store copies files.
        let _ = tokio::fs::remove_file(&path).await;
    } else {
        api.store.release_upload(&upload.id, &token).await?;
    }
    let again = api.store.upload(&upload.id, clock::now_us()).await?;
    again.ok_or(Problem::RowNotFound)
}
