//! The recordings that a voice is trained on.

use std::sync::Arc;

use super::jobs::{self, Asked, Recording};
use super::spoken_consent;
use crate::Api;
use crate::rules::mistakes::missing;
use crate::rules::problem::{FieldError, Problem};
use vocalhost_audio::InputFormat;
use vocalhost_http::Upload;
use vocalhost_http::multipart::Form;
use vocalhost_job::{InputWarning, JobKind};
use vocalhost_letters::words::plain;
use vocalhost_store::{JobRecord, NewJob, NewVoice, StoredInput};
use vocalhost_system::token;

/// The field of the recordings.
pub const FIELD: &str = "soundFile";

/// The most characters of the name of a recording.
const MAX_NAME_CHARACTERS: usize = 100;

/// What they have to be.
const ASKED: Asked = Asked {
    field: FIELD,
    formats: &[
        InputFormat::Wav,
        InputFormat::Mp3,
        InputFormat::Flac,
        InputFormat::Webm,
    ],
    strict: false,
};

/// Takes the recordings out of the form and looks at them; what is wrong with one of several is a mistake of `soundFile[2]`, counted
/// from 0.
pub async fn of_form(
    api: &Api,
    form: &mut Form,
    mistakes: &mut Vec<FieldError>,
) -> Result<Vec<Recording>, Problem> {
    let uploads = form.take_files(FIELD);
    let said = mistakes.iter().any(|mistake| mistake.field == FIELD);
    if uploads.is_empty() && !said {
        mistakes.push(missing(FIELD));
    }
    let alone = uploads.len() == 1;
    let mut recordings = Vec::with_capacity(uploads.len());
    for (place, upload) in uploads.into_iter().enumerate() {
        let name = if alone {
            FIELD.to_owned()
        } else {
            format!("{FIELD}[{place}]")
        };
        let seen = jobs::look_at(api, upload, (&name, ASKED), mistakes).await?;
        recordings.extend(seen);
    }
    Ok(recordings)
}

/// Looks at the recording of the consent.
pub async fn of_consent(
    api: &Api,
    uploads: Vec<Upload>,
    mistakes: &mut Vec<FieldError>,
) -> Result<Option<Recording>, Problem> {
    let mut uploads = uploads.into_iter();
    let Some(upload) = uploads.next() else {
        return Ok(None);
    };
    if uploads.next().is_some() {
        let message = format!("`{}` is one recording.", spoken_consent::RECORDING);
        mistakes.push(FieldError::new(spoken_consent::RECORDING, "count", message));
    }
    jobs::look_at(api, upload, (spoken_consent::RECORDING, ASKED), mistakes).await
}

/// What their owner calls them; one without a name has its number, counted from 1.
#[must_use]
pub fn names(recordings: &[Recording]) -> Vec<String> {
    let named = recordings.iter().enumerate();
    named
        .map(|(place, recording)| {
            let name = recording.upload.name.as_deref();
            let plain = name.map(|name| plain(name, MAX_NAME_CHARACTERS));
            let plain = plain.filter(|name| !name.trim().is_empty());
            plain.unwrap_or_else(|| format!("Recording {}", place + 1))
        })
        .collect()
}

/// Puts a training into its queue, with the voice that it is to make.
pub async fn accept(
    api: &Arc<Api>,
    (new, voice): (NewJob, NewVoice),
    recordings: Vec<Recording>,
) -> Result<JobRecord, Problem> {
    let (input, uploads) = stored(recordings)?;
    let new = NewJob {
        input: Some(input),
        ..new
    };
    // On a task of its own: a client that hangs up now must not leave recordings without a job.
    let keeping = tokio::spawn(jobs::keep(api.clone(), (new, Some(voice)), uploads));
    let job = keeping.await.map_err(|error| Problem::internal(&error))??;
    let kind = JobKind::VoiceTraining.as_str();
    tracing::info!(job = job.id, kind, "a job was accepted");
    Ok(job)
}

/// What is stored about the recordings, and where their files go: into one folder.
fn stored(recordings: Vec<Recording>) -> Result<(StoredInput, Vec<(Upload, String)>), Problem> {
    let token = token::draw().map_err(|error| Problem::internal(&error))?;
    let folder = format!("inputs/{token}");
    let (mut parts, mut uploads) = (Vec::new(), Vec::new());
    for (place, Recording { upload, seen, .. }) in recordings.into_iter().enumerate() {
        let part = jobs::stored_input(&upload, seen)?;
        let key = format!("{folder}/{place}.{}", part.format);
        uploads.push((upload, key.clone()));
        parts.push(StoredInput { key, ..part });
    }
    let found = parts.iter().flat_map(|part| part.warnings.clone());
    let warnings: Vec<InputWarning> = found.collect();
    let whole = StoredInput::folder(&folder, parts);
    let whole = whole.ok_or_else(|| Problem::internal(&"a training has no recordings"))?;
    Ok((StoredInput { warnings, ..whole }, uploads))
}
