use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::{HeaderMap, Method, StatusCode};
use serde_json::Value;

use super::chain::{KnownEffect, Library};
use super::{conversion_form, jobs, models, pipelines, records};
use crate::api::Api;
use crate::api::call::Call;
use crate::api::multipart::{FormRules, read_form};
use crate::api::page::{JOB_PAGES, Meta, list_reply};
use crate::api::problem::{FieldError, Problem};
use crate::api::reply::{self, Reply};
use crate::api::resumable::put_in;
use crate::api::route::{Class, Handler, Operation, Route};
use crate::audio::InputFormat;
use crate::job::{JobKind, JobSpec};
use crate::store::{Caller, JobRecord, Scope};

/// 100 MB, as clients count it.
const MAX_SOUND_BYTES: u64 = 100 << 20;

/// What a recording to convert may come as.
const FORMATS: [InputFormat; 3] = [InputFormat::Wav, InputFormat::Mp3, InputFormat::Flac];

/// The field of the recording.
const SOUND: &str = "soundFile";

/// What may be asked here.
pub const ROUTES: &[Route] = &[
    Route {
        path: "/voice-conversions",
        operations: &[
            Operation {
                method: Method::GET,
                id: "listVoiceConversions",
                summary: "Your voice conversions",
                describe: super::shapes::conversions::list,
                class: Class::Read,
                handler: Handler::Keyed(Scope::Read, |api, ask, caller| {
                    Box::pin(async move { list(api, &ask.call, caller).await })
                }),
            },
            Operation {
                method: Method::POST,
                id: "createVoiceConversion",
                summary: "Convert a recording to another voice",
                describe: super::shapes::conversions::create,
                class: Class::Creation,
                handler: Handler::Keyed(Scope::Write, |api, ask, caller| {
                    Box::pin(async move {
                        create(api, &ask.call, caller, (&ask.head.headers, ask.body)).await
                    })
                }),
            },
        ],
    },
    Route {
        path: "/voice-conversions/{id}",
        operations: &[Operation {
            method: Method::GET,
            id: "getVoiceConversion",
            summary: "One voice conversion",
            describe: super::shapes::conversions::get,
            class: Class::Read,
            handler: Handler::Keyed(Scope::Read, |api, ask, caller| {
                Box::pin(async move { get(api, ask.part("id"), caller).await })
            }),
        }],
    },
];

/// `GET /voice-conversions`: the caller's own jobs.
pub async fn list(api: &Api, call: &Call, caller: &Caller) -> Result<Reply, Problem> {
    let of = (JobKind::VoiceConversion, &JOB_PAGES);
    let (asked, found) = jobs::page(api, call, caller, of).await?;
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

/// `GET /voice-conversions/:id`.
pub async fn get(api: &Api, id: &str, caller: &Caller) -> Result<Reply, Problem> {
    let job = jobs::own(api, JobKind::VoiceConversion, id, caller).await?;
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
        files: &[SOUND],
        texts: conversion_form::TEXT_FIELDS,
        max_file_bytes: MAX_SOUND_BYTES,
        folder: &folder,
        times: api.body_times(),
    };
    let mut form = read_form(headers, body, &rules).await?;
    put_in(api, caller, &mut form, MAX_SOUND_BYTES).await?;
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
    let sound = jobs::recording(api, &mut form, (SOUND, &FORMATS), &mut mistakes).await?;
    let Some(sound) = sound.filter(|_| mistakes.is_empty()) else {
        return Err(Problem::Invalid(mistakes));
    };
    let spec = JobSpec::VoiceConversion(parameters.spec);
    let job = jobs::accept(api, call, caller, (spec, parameters.metadata), sound).await?;
    let record = record(api, &job).await?;
    Ok(jobs::created(StatusCode::CREATED, call, &job, &record))
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
