use serde_json::{Value, json};

use super::conversion_form::AUTO;
use super::links::Links;
use super::records;
use super::timestamp::timestamp;
use crate::Api;
use crate::v1::names::files_of;
use vocalhost_job::{FileRole, JobState, TrainingSpec, TrainingStep};
use vocalhost_store::{JobRecord, StoredInput};

/// The record of a training, as reads show it.
pub fn of((api, links): (&Api, &Links), job: &JobRecord, spec: &TrainingSpec) -> Value {
    let curve = job.training.iter().flat_map(|training| &training.curve);
    let curve: Vec<&TrainingStep> = curve.collect();
    let last = curve.last();
    let is_running = matches!(job.state, JobState::Running(_) | JobState::Cancelling(_));
    let base = spec.base.map_or_else(|| json!(AUTO), |id| json!(id));
    let first = json!({
        "id": job.id,
        "createdAt": timestamp(job.created_at_us),
        "title": spec.title,
        "tags": spec.tags,
        "base": base,
        "preset": spec.preset.as_str(),
        "seed": spec.seed,
        "isolateVocals": spec.isolate_vocals,
        "clean": spec.clean.iter().map(|step| step.as_str()).collect::<Vec<_>>(),
        "status": job.state.status().as_str(),
        "jobStartTime": timestamp(job.started_at_us),
        "jobEndTime": job.ended_at_us.map(timestamp),
        "outputModelId": spec.output_model_id,
    });
    let training = json!({
        "step": last.map_or(0, |last| last.step),
        "steps": last.map_or(spec.preset.steps(), |last| last.steps),
        "loss": last.map(|last| to_millionths(last.loss)),
        "heldOutLoss": curve.iter().rev().find_map(|step| step.held_out_loss).map(to_millionths),
        "etaSeconds": last.filter(|_| is_running).map(|last| to_millionths(last.eta_s)),
        "curve": curve.iter().map(|step| point(step)).collect::<Vec<_>>(),
        "tests": tests((api, links), job),
        "recordings": recordings(job.input.as_ref(), spec),
        "keepRecordings": spec.keep_recordings,
        "consent": {
            "version": spec.consent.version,
            "statement": spec.consent.statement,
            "by": spec.consent.by.as_str(),
            "name": spec.consent.name,
            "spoken": spec.consent.spoken,
        },
        "review": spec.review,
    });
    let result = records::result_of(job);
    let outcome = json!({
        "provider": result.map(|result| &result.provider),
        "models": result.map(|result| result.models.iter().map(|model| &model.id).collect::<Vec<_>>()),
        "modelsUsed": result.map(|result| &result.models),
        "warnings": records::warnings_of(job),
    });
    records::joined([first, training, records::progress_of(job), outcome])
}

fn point(step: &TrainingStep) -> Value {
    json!({
        "step": step.step,
        "loss": to_millionths(step.loss),
        "heldOutLoss": step.held_out_loss.map(to_millionths),
    })
}

/// The tests of the voice, each after some of the steps.
fn tests((api, links): (&Api, &Links), job: &JobRecord) -> Vec<Value> {
    let files = files_of(job).into_iter();
    let tests = files.filter_map(|(_, file)| match file.role {
        FileRole::Heard(step) => Some((step, file)),
        _ => None,
    });
    tests
        .map(|(step, file)| json!({ "step": step, "url": links.to(api, (job.kind, job.id), file) }))
        .collect()
}

fn recordings(input: Option<&StoredInput>, spec: &TrainingSpec) -> Vec<Value> {
    let parts = input.iter().flat_map(|input| &input.parts);
    let parts = parts.zip(&spec.recordings);
    parts
        .map(|(part, name)| {
            json!({
                "name": name,
                "format": part.format,
                "bytes": part.bytes,
                "seconds": part.duration_s.map(to_millionths),
                "sha256": part.sha256,
            })
        })
        .collect()
}

/// Rounds to millionths: no loss is more exact.
fn to_millionths(number: f64) -> f64 {
    (number * 1e6).round() / 1e6
}
