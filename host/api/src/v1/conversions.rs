use std::sync::Arc;

use hyper::HeaderMap;
use hyper::body::Incoming;

use super::common::no_such_voice;
use super::conversion_form::{AUTO, F0_METHOD, ISOLATE, PYIN, SPEAKER};
use super::intake::{Intake, Opened, Wanted};
use super::usable::usable_voice;
use super::{conversion_form, job_record, separators};
use crate::Api;
use crate::rules::call::Call;
use crate::rules::mistakes::not_among;
use crate::rules::page::JOB_PAGES;
use crate::rules::problem::{FieldError, Problem};
use crate::rules::route::{Class, Operation, Route};
use vocalhost_audio::InputFormat;
use vocalhost_catalogues::library::LibraryError;
use vocalhost_http::reply::Reply;
use vocalhost_job::{ConversionSpec, JobKind, JobSpec};
use vocalhost_model::{Package, VoiceKnobs};
use vocalhost_store::{Caller, ModelRecord, Scope};

/// The field of the recording that goes under the voice.
const BACKING: &str = "backingSoundFile";

/// What a request looks like; 100 MB as clients count them.
pub(super) const WANTED: Wanted = Wanted {
    recording: "soundFile",
    formats: &[InputFormat::Wav, InputFormat::Mp3, InputFormat::Flac],
    max_file_bytes: 100 << 20,
    backing: Some(BACKING),
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
    let spec = intake.read(conversion_form::parse);
    create_of(api, call, caller, (intake, spec)).await
}

/// Puts a conversion that was read from a form into the queue, unless something is wrong with it.
pub(super) async fn create_of(
    api: &Arc<Api>,
    call: &Call,
    caller: &Caller,
    (mut intake, mut spec): (Box<Intake>, ConversionSpec),
) -> Result<Reply, Problem> {
    intake.settle_lossy(api, &mut spec.output);
    let voice = usable_voice(api, spec.voice_model_id, caller, &mut intake.mistakes).await?;
    if let Some(voice) = &voice {
        check_knobs(api, &spec, voice, &mut intake.mistakes).await?;
    }
    spec.successions = voice.iter().filter_map(ModelRecord::succession).collect();
    spec.voice_title = voice.map(|voice| voice.title);
    if spec.isolate_vocals && intake.form.files.iter().any(|(field, _)| *field == BACKING) {
        let message = format!(
            "`{BACKING}` does not go with `{ISOLATE}`: the rest of the recording is what goes under the voice."
        );
        intake
            .mistakes
            .push(FieldError::new(BACKING, "unused", message));
    }
    separators::check_steps(api, &spec.clean, &mut intake.mistakes).await?;
    let spec = JobSpec::VoiceConversion(spec);
    let job = intake.accept(api, call, caller, spec).await?;
    job_record::created(api, call, job).await
}

/// Notes the chosen settings that the voice does not have.
async fn check_knobs(
    api: &Api,
    spec: &ConversionSpec,
    voice: &ModelRecord,
    mistakes: &mut Vec<FieldError>,
) -> Result<(), Problem> {
    let knobs = VoiceKnobs {
        f0_method: spec.f0_method.clone(),
        protect: spec.protect,
        speaker: spec.speaker,
        silence_gate: spec.silence_gate,
        ..VoiceKnobs::default()
    };
    if knobs == VoiceKnobs::default() {
        return Ok(());
    }
    let manifest = match api.library.manifest(voice).await {
        Ok(manifest) => manifest,
        // Removed since it was looked up.
        Err(LibraryError::Missing(_)) => {
            mistakes.push(no_such_voice("voiceModelId"));
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let family = manifest.family.as_str();
    if let Some(field) = knobs.foreign_to(manifest.family) {
        let message = format!("`{field}` is nothing that voices of the family {family} have.");
        mistakes.push(FieldError::new(field, "family", message));
    }
    let rvc = manifest.rvc.as_ref();
    if let Some(count) = knobs.too_few_speakers(&manifest) {
        let last = count.saturating_sub(1);
        let message = format!("`{SPEAKER}` must be between 0 and {last}: the voice has {count}.");
        let mistake = FieldError::new(SPEAKER, "range", message);
        mistakes.push(mistake.with("min", 0).with("max", last));
    }
    let Some(method) = &knobs.f0_method else {
        return Ok(());
    };
    if rvc.is_some_and(|rvc| !rvc.f0) {
        let message = format!(
            "`{F0_METHOD}` is nothing for this voice of the family {family}, which is told no pitch."
        );
        mistakes.push(FieldError::new(F0_METHOD, "family", message));
        return Ok(());
    }
    let known = api.library.known();
    let estimators = known.packages().iter().map(Package::manifest);
    let estimators = estimators.filter(|manifest| manifest.is_estimator());
    let ids = estimators.map(|manifest| manifest.id.as_str());
    let words: Vec<&str> = [AUTO, PYIN].into_iter().chain(ids).collect();
    if !words.contains(&method.as_str()) {
        mistakes.push(not_among(F0_METHOD, &words));
    }
    Ok(())
}
