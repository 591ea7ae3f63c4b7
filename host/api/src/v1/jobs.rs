use std::sync::Arc;

use super::probe;
use crate::Api;
use crate::rules::call::{Call, row_id};
use crate::rules::mistakes::{missing, not_among};
use crate::rules::page::{PageRequest, PageRules};
use crate::rules::problem::{FieldError, Problem, refuse};
use vocalhost_audio::InputFormat;
use vocalhost_http::Upload;
use vocalhost_http::multipart::Form;
use vocalhost_job::{JobKind, JobStatus};
use vocalhost_store::{
    Caller, JobQuery, JobRecord, NewJob, NewVoice, Page, QueueLimits, StoredInput,
};
use vocalhost_system::clock;
use vocalhost_system::token;
use vocalhost_work::worker::probe::Seen;

/// The caller's own jobs, of all kinds or of one, as the query asks for them. `mistakes` are those that were found in it before.
pub async fn page(
    api: &Api,
    call: &Call,
    caller: &Caller,
    (kind, rules): (Option<JobKind>, &PageRules),
    mut mistakes: Vec<FieldError>,
) -> Result<(PageRequest, Page<JobRecord>), Problem> {
    let asked = PageRequest::parse(&call.query, rules, &mut mistakes);
    let status = status_filter(call, &mut mistakes);
    refuse(mistakes)?;
    let query = JobQuery {
        user_id: caller.user_id,
        kind,
        status,
        descending: asked.descending,
        page: asked.page,
        per_page: asked.per_page,
    };
    let found = api.store.jobs(&query).await?;
    Ok((asked, found))
}

/// The status that a list is narrowed to.
pub fn status_filter(call: &Call, mistakes: &mut Vec<FieldError>) -> Option<JobStatus> {
    let text = call.query.get("status")?;
    let found = JobStatus::ALL
        .into_iter()
        .find(|status| status.as_str() == text);
    if found.is_none() {
        let words = JobStatus::ALL.map(JobStatus::as_str);
        mistakes.push(not_among("status", &words));
    }
    found
}

/// The job of a kind with this number, when it is the caller's.
pub async fn own(
    api: &Api,
    kind: JobKind,
    id: &str,
    caller: &Caller,
) -> Result<JobRecord, Problem> {
    let job = api.store.job(kind, row_id(id)?).await?;
    let job = job.ok_or(Problem::RowNotFound)?;
    if job.user_id != caller.user_id {
        return Err(Problem::Forbidden {
            detail: "This job belongs to somebody else.".to_owned(),
        });
    }
    Ok(job)
}

/// A recording that was uploaded, and what it is.
pub struct Recording {
    pub(super) upload: Upload,
    pub(super) seen: Seen,
    backing: Option<Box<Recording>>,
}

/// What a recording has to be.
#[derive(Debug, Clone, Copy)]
pub struct Asked {
    /// The field that it is in.
    pub field: &'static str,
    /// What it may come as.
    pub formats: &'static [InputFormat],
    /// Whether one that is cut or damaged is a mistake.
    pub strict: bool,
}

impl Recording {
    /// The same recording with another one that goes under the result.
    #[must_use]
    pub fn over(self, backing: Option<Recording>) -> Self {
        Self {
            backing: backing.map(Box::new),
            ..self
        }
    }
}

/// Takes the recording of `field` out of the form and looks at it; what is wrong with it is added to `mistakes`.
pub async fn recording(
    api: &Api,
    form: &mut Form,
    asked: Asked,
    mistakes: &mut Vec<FieldError>,
) -> Result<Option<Recording>, Problem> {
    let field = asked.field;
    let Some(upload) = form.take_file(field) else {
        if !mistakes.iter().any(|mistake| mistake.field == field) {
            mistakes.push(missing(field));
        }
        return Ok(None);
    };
    look_at(api, upload, (field, asked), mistakes).await
}

/// The same for a recording that need not be there.
pub async fn optional_recording(
    api: &Api,
    form: &mut Form,
    asked: Asked,
    mistakes: &mut Vec<FieldError>,
) -> Result<Option<Recording>, Problem> {
    let Some(upload) = form.take_file(asked.field) else {
        return Ok(None);
    };
    look_at(api, upload, (asked.field, asked), mistakes).await
}

/// Looks at a recording that came in the field of this name; what is wrong with it is added to `mistakes`.
pub async fn look_at(
    api: &Api,
    upload: Upload,
    (
        field,
        Asked {
            formats, strict, ..
        },
    ): (&str, Asked),
    mistakes: &mut Vec<FieldError>,
) -> Result<Option<Recording>, Problem> {
    api.metrics.uploaded(upload.bytes);
    match probe::look_at(api, field, upload.path(), formats).await? {
        Ok(seen) => {
            if let Some(warning) = seen.warnings.first().filter(|_| strict) {
                let message = format!("at {:.3} s: {}", warning.at_s, warning.message);
                mistakes.push(FieldError::new(field, "decode", message));
            }
            Ok(Some(Recording {
                upload,
                seen,
                backing: None,
            }))
        }
        Err(mistake) => {
            mistakes.push(mistake);
            Ok(None)
        }
    }
}

/// Puts a job on a recording into the queue of its kind.
pub async fn accept(
    api: &Arc<Api>,
    new: NewJob,
    recording: Recording,
) -> Result<JobRecord, Problem> {
    let kind = new.spec.kind();
    let (input, uploads) = stored(recording)?;
    let new = NewJob {
        input: Some(input),
        ..new
    };
    // On a task of its own: a client that hangs up now must not leave a recording without a job.
    let keeping = tokio::spawn(keep(api.clone(), (new, None), uploads));
    let job = keeping.await.map_err(|error| Problem::internal(&error))??;
    tracing::info!(job = job.id, kind = kind.as_str(), "a job was accepted");
    Ok(job)
}

/// How many jobs may wait, as the operator has set it.
pub fn queue_limits(api: &Api) -> QueueLimits {
    QueueLimits {
        max_queued_per_user: api.settings.max_queued_per_user,
        max_queue: api.settings.max_queue,
        storage_quota_bytes: api.settings.storage_quota_bytes,
        audio_minutes_quota: api.settings.audio_minutes_quota,
        trainings_per_day: api.settings.trainings_per_day,
    }
}

/// What is stored about a recording and the one under it, and where their files go.
fn stored(recording: Recording) -> Result<(StoredInput, Vec<(Upload, String)>), Problem> {
    let mut input = stored_input(&recording.upload, recording.seen)?;
    let mut uploads = vec![(recording.upload, input.key.clone())];
    if let Some(backing) = recording.backing {
        let (mut backing, more) = stored(*backing)?;
        for warning in &mut backing.warnings {
            warning.of_backing = true;
        }
        input.backing = Some(Box::new(backing));
        uploads.extend(more);
    }
    Ok((input, uploads))
}

/// What is stored about one recording.
pub(super) fn stored_input(upload: &Upload, seen: Seen) -> Result<StoredInput, Problem> {
    let Seen { info, warnings } = seen;
    let token = token::draw().map_err(|error| Problem::internal(&error))?;
    let format = info.format.as_str();
    Ok(StoredInput {
        key: format!("inputs/{token}.{format}"),
        bytes: upload.bytes,
        sha256: upload.sha256.clone(),
        format: format.to_owned(),
        channels: info.channels as u32,
        sample_rate_hz: info.sample_rate_hz,
        duration_s: info.duration_s,
        backing: None,
        warnings,
        parts: Vec::new(),
    })
}

/// Keeps the recordings, then makes the job, with the voice that it is to make if it makes one; without the job they go again.
pub(super) async fn keep(
    api: Arc<Api>,
    (new, voice): (NewJob, Option<NewVoice>),
    uploads: Vec<(Upload, String)>,
) -> Result<JobRecord, Problem> {
    let made = publish_and_create(&api, (&new, voice.as_ref()), &uploads).await;
    if made.is_err() {
        for (_, key) in &uploads {
            if let Err(left) = api.files.delete(key).await {
                tracing::warn!(key, cause = %left, "a recording without a job is left");
            }
        }
    }
    made
}

async fn publish_and_create(
    api: &Api,
    (new, voice): (&NewJob, Option<&NewVoice>),
    uploads: &[(Upload, String)],
) -> Result<JobRecord, Problem> {
    for (upload, key) in uploads {
        api.files.publish(upload.path(), key).await?;
    }
    let now_us = clock::now_us();
    Ok(match voice {
        Some(voice) => api.store.create_voice(new, voice, now_us).await?,
        None => api.store.create_job(new, now_us).await?,
    })
}
