use serde_json::{Value, json};

use super::timestamp::timestamp;
use crate::api::Api;
use crate::api::target::{package_file, result_target, voice_target};
use crate::job::{ConversionSpec, EffectUsed, FileRole, JobResult, JobState};
use crate::model;
use crate::store::{JobRecord, ModelRecord};

/// The record of a voice conversion; `voice` is the record of its voice model. Links are signed now.
pub fn conversion(api: &Api, job: &JobRecord, spec: &ConversionSpec, voice: &Value) -> Value {
    let (result, error) = match &job.state {
        JobState::Succeeded { result, .. } => (Some(result), Value::Null),
        JobState::Failed { failure, .. } => (None, json!(failure)),
        JobState::Queued { .. }
        | JobState::Running(_)
        | JobState::Cancelling(_)
        | JobState::Cancelled { .. } => (None, Value::Null),
    };
    // A job that failed may have failed by one of them: its record says which version that was.
    let effects: Option<Vec<EffectUsed>> = match &job.state {
        JobState::Succeeded { result, .. } => Some(result.effects.clone()),
        JobState::Failed { .. } => Some(job.spec.effects().map(EffectUsed::from).collect()),
        JobState::Queued { .. }
        | JobState::Running(_)
        | JobState::Cancelling(_)
        | JobState::Cancelled { .. } => None,
    };
    json!({
        "id": job.id,
        "createdAt": timestamp(job.created_at_us),
        "type": "infer",
        "voiceModelId": spec.voice_model_id,
        "status": job.state.status().as_str(),
        "jobStartTime": timestamp(job.started_at_us),
        "jobEndTime": job.ended_at_us.map(timestamp),
        "outputFileUrl": result_link(api, job, result, FileRole::Output),
        "lossyOutputFileUrl": result_link(api, job, result, FileRole::LossyOutput),
        "recombinedAudioFileUrl": null,
        "model": voice,
        "conversionStrength": spec.conversion_strength,
        "modelVolumeMix": spec.model_volume_mix,
        "pitchShift": spec.pitch_shift,
        "seed": spec.seed,
        "stage": job.progress.stage.as_str(),
        "progress": job.progress.percent,
        "queuePosition": job.queue_position,
        "error": error,
        "metadata": job.metadata,
        "retryOf": job.retry_of,
        "effects": effects,
        "provider": result.map(|result| &result.provider),
        "gainDb": result.and_then(|result| result.gain_db),
        "loudness": null,
    })
}

fn result_link(
    api: &Api,
    job: &JobRecord,
    result: Option<&JobResult>,
    role: FileRole,
) -> Option<String> {
    let file = result?.files.iter().find(|file| file.role == role)?;
    Some(api.result_link(&result_target(job.kind, job.id, file)))
}

/// The record of a voice model.
pub fn voice_model(api: &Api, voice: &ModelRecord) -> Value {
    let link = |role: model::FileRole| {
        let file = package_file(api, voice, role)?;
        Some(api.stable_link(&voice_target(voice.id, &file)))
    };
    json!({
        "id": voice.id,
        "title": voice.title,
        "tags": voice.tags,
        "imageUrl": link(model::FileRole::Picture),
        "demoUrl": link(model::FileRole::Demo),
        "twitterLink": voice.links.twitter,
        "instagramLink": voice.links.instagram,
        "tiktokLink": voice.links.tiktok,
        "spotifyLink": voice.links.spotify,
        "youtubeLink": voice.links.youtube,
        "isUsable": voice.usable,
    })
}
