use std::sync::Arc;

use hyper::HeaderMap;
use hyper::body::Incoming;

use super::common::no_such_voice;
use super::intake::{Intake, Opened, Wanted};
use super::job_record;
use super::{conversion_form, models};
use crate::Api;
use crate::rules::call::Call;
use crate::rules::page::JOB_PAGES;
use crate::rules::problem::{FieldError, Problem};
use crate::rules::route::{Class, Operation, Route};
use vocalhost_audio::InputFormat;
use vocalhost_http::reply::Reply;
use vocalhost_job::{JobKind, JobSpec};
use vocalhost_store::{Caller, ModelRecord, Scope};
use vocalhost_system::clock;

/// What a request looks like; 100 MB as clients count them.
const WANTED: Wanted = Wanted {
    recording: "soundFile",
    formats: &[InputFormat::Wav, InputFormat::Mp3, InputFormat::Flac],
    max_file_bytes: 100 << 20,
    backing: Some("backingSoundFile"),
    texts: conversion_form::TEXT_FIELDS,
};

/// What may be asked here.
pub const ROUTES: &[Route] = &[Route {
    path: "/voice-conversions",
    operations: &[
        Operation::get(
            "listVoiceConversions",
            "Your voice conversions",
            super::shapes::conversions::list,
        )
        .keyed(Scope::Read, |api, ask, caller| {
            Box::pin(async move {
                let of = (JobKind::VoiceConversion, &JOB_PAGES);
                job_record::list(api, &ask.call, caller, of).await
            })
        }),
        Operation::post(
            "createVoiceConversion",
            "Convert a recording to another voice",
            super::shapes::conversions::create,
        )
        .counts_as(Class::Creation)
        .keyed(Scope::Write, |api, ask, caller| {
            Box::pin(
                async move { create(api, &ask.call, caller, (&ask.head.headers, ask.body)).await },
            )
        }),
    ],
}];

/// `POST /voice-conversions`: reads the form, looks at the recording, and puts the job into the queue.
pub async fn create(
    api: &Arc<Api>,
    call: &Call,
    caller: &Caller,
    request: (&HeaderMap, &mut Incoming),
) -> Result<Reply, Problem> {
    let mut intake = match Intake::open(api, call, caller, request, &WANTED).await? {
        Opened::New(intake) => intake,
        Opened::Seen(answer) => return Ok(answer),
    };
    let mut spec = intake.read(conversion_form::parse);
    let voice = usable_voice(api, spec.voice_model_id, caller, &mut intake.mistakes).await?;
    spec.voice_title = voice.map(|voice| voice.title);
    let spec = JobSpec::VoiceConversion(spec);
    let job = intake.accept(api, call, caller, spec).await?;
    job_record::created(api, call, job).await
}

/// The voice of a request. One that is unknown, somebody else's or unusable is one and the same mistake.
pub async fn usable_voice(
    api: &Api,
    id: i64,
    caller: &Caller,
    mistakes: &mut Vec<FieldError>,
) -> Result<Option<ModelRecord>, Problem> {
    // 0 stands for a mistake that is reported already.
    if id == 0 {
        return Ok(None);
    }
    // Models that have gone since the last look take the voices with them that need them.
    api.library.current(clock::now_us()).await?;
    let voice = api.store.model(id).await?;
    let voice = voice.filter(|voice| voice.usable && models::is_visible(voice, caller));
    if voice.is_none() {
        mistakes.push(no_such_voice("voiceModelId"));
    }
    Ok(voice)
}
