use std::io::{self, Read as _};
use std::path::Path;
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tempfile::TempPath;

use super::{arrived, file_of};
use crate::Api;
use crate::rules::problem::{FieldError, Problem};
use vocalhost_http::Upload;
use vocalhost_http::multipart::Form;
use vocalhost_store::Caller;
use vocalhost_system::clock;

/// What the content of a file field begins with that stands for an upload. No sound begins like this.
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
    let offset = arrived(api, id).await?;
    if offset != known.bytes {
        let message = format!(
            "{offset} of {} bytes of this upload have arrived.",
            known.bytes
        );
        return Ok(Err(FieldError::new(field, "complete", message)));
    }
    if known.bytes > max_bytes {
        let message = format!("`{field}` is larger than {max_bytes} bytes.");
        let mistake = FieldError::new(field, "size", message).with("maxBytes", max_bytes);
        return Ok(Err(mistake));
    }
    let (file, folder) = (file_of(api, id), api.settings.uploads_path());
    let linked = tokio::task::spawn_blocking(move || link(&file, &folder)).await;
    let linked = linked.map_err(|error| Problem::internal(&error))?;
    let (path, sha256) = linked?;
    Ok(Ok(Upload::of_file(path, known.bytes, sha256)))
}

/// From this age on an upload is copied: another name of the same file would have its age, and files in this folder that are six hours old
/// are taken for what a killed server left.
const OLD: Duration = Duration::from_hours(1);

/// A name of its own for a complete file, which nobody writes to any more, and its SHA-256.
fn link(file: &Path, folder: &Path) -> io::Result<(TempPath, String)> {
    let age = std::fs::metadata(file)?.modified()?.elapsed();
    let is_young = age.is_ok_and(|age| age < OLD);
    let make = |path: &Path| {
        if is_young {
            return std::fs::hard_link(file, path);
        }
        let mut copy = std::fs::File::create_new(path)?;
        io::copy(&mut std::fs::File::open(file)?, &mut copy)?;
        Ok(())
    };
    let place = tempfile::Builder::new()
        .prefix("upload-")
        .make_in(folder, make)?
        .into_temp_path();
    let mut content = std::fs::File::open(&place)?;
    let mut hash = Sha256::new();
    let mut piece = vec![0; 256 << 10];
    loop {
        let read = content.read(&mut piece)?;
        if read == 0 {
            return Ok((place, base16ct::lower::encode_string(&hash.finalize())));
        }
        hash.update(&piece[..read]);
    }
}
