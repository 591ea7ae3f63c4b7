use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::blender_form::MODEL_FIELDS;
use super::conversion_form::AUTO;
use super::links::Links;
use super::timestamp::timestamp;
use crate::Api;
use crate::v1::names::{archive_target, role_name};
use crate::v1::voice_files::{package_file, voice_target};
use vocalhost_job::{
    ConversionSpec, EffectUsed, FailureCode, FileRole, InputWarning, JobKind, JobResult, JobSpec,
    JobStage, JobState, Output, Succession, Timings,
};
use vocalhost_model::Manifest;
use vocalhost_store::{JobRecord, ModelRecord};

/// The record of a voice conversion; `voice` is the record of its voice model.
pub fn conversion(
    (api, links): (&Api, &Links),
    job: &JobRecord,
    spec: &ConversionSpec,
    voice: &Value,
) -> Value {
    let result = result_of(job);
    let link_to = |role| result_link((api, links), job, role);
    let [stems, lossy_stems] = stems_of((api, links), job);
    let record = json!({
        "id": job.id,
        "createdAt": timestamp(job.created_at_us),
        "type": "infer",
        "voiceModelId": spec.voice_model_id,
        "status": job.state.status().as_str(),
        "jobStartTime": timestamp(job.started_at_us),
        "jobEndTime": job.ended_at_us.map(timestamp),
        "outputFileUrl": link_to(FileRole::Output),
        "lossyOutputFileUrl": link_to(FileRole::LossyOutput),
        "recombinedAudioFileUrl": link_to(FileRole::Recombined),
        "vocalAudioFileUrl": link_to(FileRole::Vocal),
        "lossyVocalAudioFileUrl": link_to(FileRole::LossyVocal),
        "backingAudioFileUrl": link_to(FileRole::Backing),
        "stemFileUrls": stems,
        "lossyStemFileUrls": lossy_stems,
        "model": voice,
        "conversionStrength": spec.conversion_strength,
        "modelVolumeMix": spec.model_volume_mix,
        "pitchShift": spec.pitch_shift,
        "autoPitch": spec.auto_pitch,
        "suggestedPitchShift": result.and_then(|result| result.suggested_pitch_shift),
        "seed": spec.seed,
        "isolateVocals": spec.isolate_vocals,
        "clean": spec.clean,
        "f0Method": spec.f0_method.as_deref().unwrap_or(AUTO),
        "protect": spec.protect,
        "speakerId": spec.speaker,
        "silenceGate": spec.silence_gate,
    });
    let output = output_of(&spec.output);
    joined([record, progress_of(job), outcome_of(api, job), output])
}

/// The record of a vocal separation or a stem split.
pub fn separation((api, links): (&Api, &Links), job: &JobRecord) -> Value {
    let (JobSpec::VocalSeparation(spec) | JobSpec::StemSplit(spec)) = &job.spec else {
        return Value::Null;
    };
    let result = result_of(job);
    let link_to = |role| result_link((api, links), job, role);
    let [stems, lossy_stems] = stems_of((api, links), job);
    let record = json!({
        "id": job.id,
        "createdAt": timestamp(job.created_at_us),
        "type": "separate",
        "status": job.state.status().as_str(),
        "jobStartTime": timestamp(job.started_at_us),
        "jobEndTime": job.ended_at_us.map(timestamp),
        "vocalAudioFileUrl": link_to(FileRole::Vocal),
        "lossyVocalAudioFileUrl": link_to(FileRole::LossyVocal),
        "backingAudioFileUrl": link_to(FileRole::Backing),
        "stemFileUrls": stems,
        "lossyStemFileUrls": lossy_stems,
    });
    let separation = json!({
        "foldedFrom": result.and_then(|result| result.folded_from),
        "stems": spec.stems,
    });
    let output = output_of(&spec.output);
    joined([
        record,
        progress_of(job),
        outcome_of(api, job),
        separation,
        output,
    ])
}

/// The stems of a result, and the same once more as lossy files.
fn stems_of((api, links): (&Api, &Links), job: &JobRecord) -> [Vec<Value>; 2] {
    let (mut stems, mut lossy_stems) = (Vec::new(), Vec::new());
    for file in result_of(job).iter().flat_map(|result| &result.files) {
        let (list, stem) = match file.role {
            FileRole::Stem(stem) => (&mut stems, stem),
            FileRole::LossyStem(stem) => (&mut lossy_stems, stem),
            _ => continue,
        };
        let url = links.to(api, (job.kind, job.id), file);
        list.push(json!({"instrument": stem.as_str(), "url": url}));
    }
    [stems, lossy_stems]
}

/// One object with the fields of several, in their order.
pub fn joined<const N: usize>(parts: [Value; N]) -> Value {
    let objects = parts.into_iter().filter_map(|part| match part {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    Value::Object(objects.flatten().collect())
}

/// The fields that every record of a job has about where it stands.
pub fn progress_of(job: &JobRecord) -> Value {
    let error = match &job.state {
        JobState::Failed { failure, .. } => json!(failure),
        JobState::Queued { .. }
        | JobState::Running(_)
        | JobState::Cancelling(_)
        | JobState::Succeeded { .. }
        | JobState::Cancelled { .. } => Value::Null,
    };
    json!({
        "stage": job.progress.stage.as_str(),
        "progress": job.progress.percent,
        "queuePosition": job.queue_position,
        "error": error,
        "metadata": job.metadata,
        "priority": job.priority,
        "retryOf": job.retry_of,
        "webhookUrl": job.ties.webhook_url,
        "timings": result_of(job).and_then(|result| result.timings.as_deref()).map(timings_of),
    })
}

fn timings_of(timings: &Timings) -> Value {
    // A tenth of a millisecond says enough.
    let rounded = |seconds: f64| (seconds * 1e4).round() / 1e4;
    let parts = timings.parts_s.iter();
    json!({
        "wallSeconds": rounded(timings.wall_s),
        "threadSeconds": parts.map(|(part, time)| (part, rounded(*time))).collect::<BTreeMap<_, _>>(),
    })
}

/// The fields that the record of a job on a recording has about how its result was made.
fn outcome_of(api: &Api, job: &JobRecord) -> Value {
    let result = result_of(job);
    let effects: Option<Vec<EffectUsed>> = match &job.state {
        JobState::Succeeded { result, .. } => Some(result.effects.clone()),
        // A job that failed may have failed by one of them: its record says which version that was.
        JobState::Failed { failure, .. } if has_begun_effects(job, failure.code) => {
            Some(job.spec.effects().map(EffectUsed::from).collect())
        }
        JobState::Failed { .. }
        | JobState::Queued { .. }
        | JobState::Running(_)
        | JobState::Cancelling(_)
        | JobState::Cancelled { .. } => None,
    };
    json!({
        "effects": effects,
        "provider": result.map(|result| &result.provider),
        "models": result.map(|result| result.models.iter().map(|model| &model.id).collect::<Vec<_>>()),
        "modelsUsed": result.map(|result| &result.models),
        "filesExpired": result.map(|result| result.files.is_empty()),
        "gainDb": result.and_then(|result| result.gain_db),
        "loudness": result.map(loudness_of),
        "warnings": warnings_of(job),
        "archiveUrl": archive_target(job).map(|target| api.result_link(&target)),
    })
}

/// What the owner of a job should know: what is wrong with its recordings (as the first look saw it, and all of it once the job is done),
/// and which voices took the places of earlier ones.
pub fn warnings_of(job: &JobRecord) -> Vec<Value> {
    let mut told = recordings_of(job);
    let successions = result_of(job).map_or(job.spec.successions(), |result| &result.successions);
    told.extend(successions.iter().map(|succession| {
        json!({
            "code": Succession::CODE,
            "message": succession.message(),
            "atSeconds": null,
            "seconds": null,
            "field": voice_field(&job.spec, succession.model_id),
        })
    }));
    told
}

/// The field of a request in which the number of a voice stands.
fn voice_field(spec: &JobSpec, model_id: i64) -> &'static str {
    let place = spec.voice_models().iter().position(|id| *id == model_id);
    match spec {
        JobSpec::VoiceBlend(_) => place
            .and_then(|place| MODEL_FIELDS.get(place))
            .copied()
            .unwrap_or_default(),
        JobSpec::VoiceTraining(_) => "base",
        _ => "voiceModelId",
    }
}

fn recordings_of(job: &JobRecord) -> Vec<Value> {
    let found: Vec<&InputWarning> = if let Some(result) = result_of(job) {
        result.warnings.iter().collect()
    } else {
        let input = job.input.as_ref();
        let backing = input.and_then(|input| input.backing.as_deref());
        let inputs = input.into_iter().chain(backing);
        inputs.flat_map(|input| &input.warnings).collect()
    };
    let field = match job.kind {
        JobKind::VoiceConversion | JobKind::VoiceTraining => "soundFile",
        JobKind::VocalSeparation | JobKind::StemSplit | JobKind::VoiceBlend => "inputFile",
    };
    let told = found.into_iter().map(|warning| {
        json!({
            "code": warning.code.as_str(),
            "message": warning.message,
            "atSeconds": to_micros(warning.at_s),
            "seconds": warning.duration_s.map(to_micros),
            "field": if warning.of_backing { "backingSoundFile" } else { field },
        })
    });
    told.collect()
}

/// Rounds to microseconds: no sample is shorter than five of them.
fn to_micros(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// Whether a job that failed can have come to its effects: only those before the model run while the recording is read, and it is said then.
fn has_begun_effects(job: &JobRecord, code: FailureCode) -> bool {
    let was_before = matches!(job.progress.stage, JobStage::Queued | JobStage::Decoding);
    let is_of_one = matches!(code, FailureCode::EffectFailed | FailureCode::EffectRefused);
    is_of_one || !was_before
}

/// What the files of a job were asked to be.
fn output_of(output: &Output) -> Value {
    json!({
        "outputFormat": output.format.as_str(),
        "outputBitrate": output.bitrate_kbps,
        "outputLoudness": output.loudness_lufs,
        "lossy": output.lossy.as_str(),
    })
}

/// Rounds to hundredths: no meter is more exact.
fn to_hundredths(decibels: f64) -> f64 {
    (decibels * 100.0).round() / 100.0
}

/// How loud each sound of a job is, by the name that it has in links.
fn loudness_of(result: &JobResult) -> Value {
    let input = result
        .input_loudness
        .iter()
        .map(|one| ("input".to_owned(), *one));
    let sounds = result
        .loudness
        .iter()
        .map(|(role, one)| (role_name(*role), *one));
    let entries = input.chain(sounds).map(|(name, one)| {
        let entry = json!({
            "integratedLufs": one.integrated_lufs.map(to_hundredths),
            "truePeakDbtp": one.true_peak_dbtp.map(to_hundredths),
        });
        (name, entry)
    });
    Value::Object(entries.collect())
}

/// The result of a job that has one.
pub fn result_of(job: &JobRecord) -> Option<&JobResult> {
    match &job.state {
        JobState::Succeeded { result, .. } => Some(result),
        JobState::Queued { .. }
        | JobState::Running(_)
        | JobState::Cancelling(_)
        | JobState::Failed { .. }
        | JobState::Cancelled { .. } => None,
    }
}

fn result_link((api, links): (&Api, &Links), job: &JobRecord, role: FileRole) -> Option<String> {
    let files = &result_of(job)?.files;
    let file = files.iter().find(|file| file.role == role)?;
    Some(links.to(api, (job.kind, job.id), file))
}

/// The record of a voice model with the terms of its package, if that says any.
pub fn voice_with_terms(api: &Api, voice: &ModelRecord, package: Option<&Manifest>) -> Value {
    let terms = json!({ "terms": package.map(terms_of) });
    joined([voice_model(api, voice), terms])
}

/// Rounds to millionths: shares are products of decimal numbers, with the noise of their binary form.
fn to_millionths(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

fn terms_of(package: &Manifest) -> Value {
    let sources = package.blended.iter().map(|source| {
        json!({
            "packageId": source.id,
            "name": source.name,
            "version": source.version,
            "share": to_millionths(source.share),
            "license": source.license,
            "attribution": source.attribution,
            "trainedOn": source.trained_on,
            "consent": source.consent,
            "sourceUrl": source.source_url,
        })
    });
    json!({
        "license": package.license,
        "attribution": package.attribution,
        "trainedOn": package.trained_on,
        "consent": package.consent,
        "sourceUrl": package.source_url,
        "created": package.created,
        "sources": sources.collect::<Vec<Value>>(),
    })
}

/// What is left of a voice that was deleted or taken back, for the record of a job that was made with it: its number and the title
/// that it had then.
pub fn lost_voice(id: i64, title: Option<&str>) -> Value {
    let title = title.map(str::to_owned);
    json!({
        "id": id,
        "title": title.unwrap_or_else(|| format!("Voice {id}")),
        "tags": [],
        "imageUrl": null,
        "demoUrl": null,
        "twitterLink": null,
        "instagramLink": null,
        "tiktokLink": null,
        "spotifyLink": null,
        "youtubeLink": null,
        "isUsable": false,
        "unusableReason": "it was deleted, or is not yours to use any more",
    })
}

/// The record of a voice model.
pub fn voice_model(api: &Api, voice: &ModelRecord) -> Value {
    let link = |role: vocalhost_model::FileRole| {
        let file = package_file(api, voice, role)?;
        Some(api.stable_link(&voice_target(voice.id, &file)))
    };
    json!({
        "id": voice.id,
        "title": voice.title,
        "tags": voice.tags,
        "imageUrl": link(vocalhost_model::FileRole::Picture),
        "demoUrl": link(vocalhost_model::FileRole::Demo),
        "twitterLink": voice.links.twitter,
        "instagramLink": voice.links.instagram,
        "tiktokLink": voice.links.tiktok,
        "spotifyLink": voice.links.spotify,
        "youtubeLink": voice.links.youtube,
        "isUsable": voice.usable,
        "unusableReason": voice.unusable_reason(),
    })
}
