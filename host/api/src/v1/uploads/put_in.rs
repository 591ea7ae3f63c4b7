use futures_util::TryStreamExt as _;

use super::earlier::with_earlier;
use crate::Api;
use crate::rules::problem::{FieldError, Problem};
use vocalhost_files::FilesError;
use vocalhost_http::multipart::Form;
use vocalhost_http::{Upload, UploadWriter};
use vocalhost_store::{Caller, UploadRecord};
use vocalhost_system::clock;

/// What the content of a file field begins with when it names an upload. No sound begins like this.
const PREFIX: &str = "upload:";

/// `upload:`, an id, and blanks around them.
const LONGEST_BYTES: u64 = 80;

/// Puts the caller's complete uploads in the place of file fields that name them. What does not fit is added to the
/// form's mistakes.
pub async fn put_in(
    api: &Api,
    caller: &Caller,
    form: &mut Form,
    max_bytes: u64,
) -> Result<(), Problem> {
    let given = std::mem::take(&mut form.files);
    for (field, upload) in given {
        let Some(id) = named(&upload).await? else {
            form.files.push((field, upload));
            continue;
        };
        match stand_in(api, caller, (&id, field), max_bytes).await? {
            Ok(content) => {
                let called = upload.name.as_deref();
                form.files.push((field, content.named(called)));
            }
            Err(mistake) => form.mistakes.push(mistake),
        }
    }
    Ok(())
}

/// The id in a file that is nothing but the name of an upload.
async fn named(upload: &Upload) -> Result<Option<String>, Problem> {
    if upload.bytes > LONGEST_BYTES {
        return Ok(None);
    }
    let content = tokio::fs::read(upload.path()).await?;
    let id = std::str::from_utf8(&content).ok();
    let id = id.and_then(|text| text.trim().strip_prefix(PREFIX));
    Ok(id.map(|id| id.trim().to_owned()))
}

async fn stand_in(
    api: &Api,
    caller: &Caller,
    (id, field): (&str, &'static str),
    max_bytes: u64,
) -> Result<Result<Upload, FieldError>, Problem> {
    let known = api.store.upload(id, clock::now_us()).await?;
    // Somebody else's is as good as none: it tells nothing.
    let Some(known) = known.filter(|known| known.user_id == caller.user_id) else {
        let message = "There is no upload with this id that you can use.";
        return Ok(Err(FieldError::new(field, "exists", message)));
    };
    let known = with_earlier(api, known).await?;
    if known.arrived != known.bytes {
        let message = format!(
            "{} of {} bytes of this upload have arrived.",
            known.arrived, known.bytes
        );
        return Ok(Err(FieldError::new(field, "complete", message)));
    }
    if known.bytes > max_bytes {
        let message = format!("`{field}` is larger than {max_bytes} bytes.");
        let mistake = FieldError::new(field, "size", message).with("maxBytes", max_bytes);
        return Ok(Err(mistake));
    }
    let Some(upload) = joined(api, &known).await? else {
        let message = "A part of this upload is gone: send it again as another one.";
        return Ok(Err(FieldError::new(field, "exists", message)));
    };
    Ok(Ok(upload))
}

/// All pieces of an upload in one file, or nothing when one of them is gone, as after a restore.
async fn joined(api: &Api, upload: &UploadRecord) -> Result<Option<Upload>, Problem> {
    let mut whole = UploadWriter::create(&api.settings.uploads_path())?;
    let mut end = 0;
    for piece in api.store.upload_pieces(&upload.id).await? {
        if piece.begins_at != end {
            return Ok(None);
        }
        let mut content = match api.files.read_range(&piece.key, 0..piece.bytes).await {
            Err(FilesError::NotFound { .. }) => return Ok(None),
            content => content?,
        };
        while let Some(bytes) = content.try_next().await? {
            end = whole.write(&bytes).await?;
        }
        if end != piece.begins_at + piece.bytes {
            return Ok(None);
        }
    }
    if end != upload.bytes {
        return Ok(None);
    }
    Ok(Some(whole.finish().await?))
}
