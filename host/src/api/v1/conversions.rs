use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{HeaderValue, LOCATION};
use hyper::{HeaderMap, StatusCode};
use rand::TryRng;
use rand::rngs::SysRng;
use serde_json::{Value, json};

use super::chain::{KnownEffect, Library};
use super::{conversion_form, models, pipelines, records};
use crate::api::call::{Call, row_id};
use crate::api::multipart::{FormRules, read_form};
use crate::api::page::{JOB_PAGES, Meta, PageRequest, list_reply};
use crate::api::problem::{FieldError, Problem};
use crate::api::reply::{self, Reply};
use crate::api::upload::Upload;
use crate::api::{Api, probe};
use crate::audio::AudioInfo;
use crate::clock;
use crate::job::{JobKind, JobSpec, JobStatus};
use crate::store::{Caller, JobQuery, JobRecord, NewJob, QueueLimits, StoredInput};

/// 100 MB, as clients count it.
const MAX_SOUND_BYTES: u64 = 100 << 20;

/// Random bits in the key of an input, so that nobody can guess one.
const KEY_BYTES: usize = 16;

/// `GET /voice-conversions`: the caller's own jobs.
pub async fn list(api: &Api, call: &Call, caller: &Caller) -> Result<Reply, Problem> {
    let mut mistakes = Vec::new();
    let asked = PageRequest::parse(&call.query, &JOB_PAGES, &mut mistakes);
    let status = status_filter(call, &mut mistakes);
    if !mistakes.is_empty() {
        return Err(Problem::Invalid(mistakes));
    }
    let query = JobQuery {
        user_id: caller.user_id,
        kind: JobKind::VoiceConversion,
        status,
        descending: asked.descending,
        page: asked.page,
        per_page: asked.per_page,
    };
    let found = api.store.jobs(&query).await?;
    // A page has at most 100 jobs, most of them with the same few voices.
    let mut voices = BTreeMap::new();
    let mut data = Vec::with_capacity(found.rows.len());
    for job in &found.rows {
        let JobSpec::VoiceConversion(spec) = &job.spec else {
            continue;
        };
        let voice = match voices.entry(spec.voice_model_id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => unknown.insert(voice_record(api, spec.voice_model_id).await?),
        };
        data.push(records::conversion(api, job, spec, voice));
    }
    let meta = Meta::new(&asked, found.total);
    Ok(list_reply(&call.address, &call.query, &meta, &data))
}

/// The `status` that a list is to show.
pub fn status_filter(call: &Call, mistakes: &mut Vec<FieldError>) -> Option<JobStatus> {
    let text = call.query.get("status")?;
    let found = JobStatus::ALL
        .into_iter()
        .find(|status| status.as_str() == text);
    if found.is_none() {
        let words = JobStatus::ALL.map(JobStatus::as_str);
        let message = format!("`status` must be one of {}.", words.join(", "));
        mistakes.push(FieldError::new("status", "enum", message).with("choices", json!(words)));
    }
    found
}

/// `GET /voice-conversions/:id`.
pub async fn get(api: &Api, id: &str, caller: &Caller) -> Result<Reply, Problem> {
    let job = api.store.job(JobKind::VoiceConversion, row_id(id)?).await?;
    let job = job.ok_or(Problem::RowNotFound)?;
    if job.user_id != caller.user_id {
        return Err(Problem::Forbidden {
            detail: "This job belongs to somebody else.".to_owned(),
        });
    }
    Ok(reply::json(StatusCode::OK, &record(api, &job).await?))
}

async fn record(api: &Api, job: &JobRecord) -> Result<Value, Problem> {
    let JobSpec::VoiceConversion(spec) = &job.spec else {
        return Err(Problem::RowNotFound);
    };
    let voice = voice_record(api, spec.voice_model_id).await?;
    Ok(records::conversion(api, job, spec, &voice))
}

async fn voice_record(api: &Api, id: i64) -> Result<Value, Problem> {
    let voice = api.store.model(id).await?;
    Ok(voice.map_or(Value::Null, |voice| records::voice_model(api, &voice)))
}

/// `POST /voice-conversions`: reads the form, looks at the recording, and puts the job into the queue.
pub async fn create(
    api: &Arc<Api>,
    call: &Call,
    caller: &Caller,
    (headers, body): (&HeaderMap, &mut Incoming),
) -> Result<Reply, Problem> {
    let folder = api.settings.uploads_path();
    let rules = FormRules {
        files: &["soundFile"],
        texts: conversion_form::TEXT_FIELDS,
        max_file_bytes: MAX_SOUND_BYTES,
        folder: &folder,
        times: api.body_times(),
    };
    let mut form = read_form(headers, body, &rules).await?;
    let mut mistakes = std::mem::take(&mut form.mistakes);
    let effects = api.shelf.current().await?;
    let pipelines = pipelines::named_in(api, caller, &form.fields).await?;
    let parameters = {
        let library = Library {
            find: &|name| effects.find(name).map(KnownEffect::from),
            pipelines: &pipelines,
        };
        conversion_form::parse(&form, &library, &mut mistakes)
    };
    check_voice(api, parameters.spec.voice_model_id, caller, &mut mistakes).await?;
    let sound = match form.take_file("soundFile") {
        Some(upload) => match probe::look_at(api, "soundFile", upload.path()).await? {
            Ok(info) => Some((upload, info)),
            Err(mistake) => {
                mistakes.push(mistake);
                None
            }
        },
        None if mistakes.iter().any(|mistake| mistake.field == "soundFile") => None,
        None => {
            let message = "`soundFile` is missing.";
            mistakes.push(FieldError::new("soundFile", "required", message));
            None
        }
    };
    let Some((upload, info)) = sound.filter(|_| mistakes.is_empty()) else {
        return Err(Problem::Invalid(mistakes));
    };
    let new = NewJob {
        user_id: caller.user_id,
        spec: JobSpec::VoiceConversion(parameters.spec),
        metadata: parameters.metadata,
        request_id: call.request_id.clone(),
        retry_of: None,
        input: Some(stored_input(&upload, &info)?),
        limits: QueueLimits {
            max_queued_per_user: api.settings.max_queued_per_user,
            max_queue: api.settings.max_queue,
        },
    };
    // On a task of its own: a client that hangs up now must not leave a recording without a job.
    let accepting = tokio::spawn(accept(api.clone(), new, upload));
    let job = accepting
        .await
        .map_err(|error| Problem::internal(&error))??;
    tracing::info!(job = job.id, "a voice conversion was accepted");
    let mut reply = reply::json(StatusCode::CREATED, &record(api, &job).await?);
    if let Ok(location) = HeaderValue::from_str(&format!("{}/{}", call.address, job.id)) {
        reply.headers_mut().insert(LOCATION, location);
    }
    Ok(reply)
}

/// A voice that is unknown, somebody else's or unusable is one and the same mistake.
async fn check_voice(
    api: &Api,
    id: i64,
    caller: &Caller,
    mistakes: &mut Vec<FieldError>,
) -> Result<(), Problem> {
    // 0 stands for a mistake that is reported already.
    if id > 0 {
        let voice = api.store.model(id).await?;
        if !voice.is_some_and(|voice| voice.usable && models::is_visible(&voice, caller)) {
            mistakes.push(conversion_form::no_such_voice());
        }
    }
    Ok(())
}

fn stored_input(upload: &Upload, info: &AudioInfo) -> Result<StoredInput, Problem> {
    let mut random = [0; KEY_BYTES];
    SysRng
        .try_fill_bytes(&mut random)
        .map_err(|error| Problem::internal(&error))?;
    let format = info.format.as_str();
    Ok(StoredInput {
        key: format!("inputs/{:032x}.{format}", u128::from_be_bytes(random)),
        bytes: upload.bytes,
        sha256: upload.sha256.clone(),
        format: format.to_owned(),
        channels: info.channels as u32,
        sample_rate_hz: info.sample_rate_hz,
        duration_s: info.duration_s,
    })
}

/// Keeps the recording, then makes the job; without the job the recording goes again.
async fn accept(api: Arc<Api>, new: NewJob, upload: Upload) -> Result<JobRecord, Problem> {
    let key = new.input.as_ref().map(|input| input.key.clone());
    let key = key.unwrap_or_default();
    api.files.publish(upload.path(), &key).await?;
    drop(upload);
    match api.store.create_job(&new, clock::now_us()).await {
        Ok(job) => Ok(job),
        Err(error) => {
            if let Err(left) = api.files.delete(&key).await {
                tracing::warn!(key, cause = %left, "a recording without a job is left");
            }
            Err(error.into())
        }
    }
}
