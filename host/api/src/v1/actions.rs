use std::sync::Arc;
use std::time::Duration;

use hyper::StatusCode;

use super::common::Common;
use super::intake::new_job;
use super::job_record::done_before;
use super::usable::{check_effects, usable_voice};
use super::{blender, follow, job_record, jobs, separators, trainings};
use crate::Api;
use crate::rules::call::Call;
use crate::rules::problem::{Problem, refuse};
use vocalhost_files::{heard_prefix, training_prefix};
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::reply::{self, Reply};
use vocalhost_job::{ConversionSpec, JobKind, JobSpec};
use vocalhost_store::{Caller, CancelOutcome, JobHandled, ModelRecord, NewJob};
use vocalhost_system::clock;

/// How long the answer to a cancel waits for the worker to be gone.
const STOP_LIMIT: Duration = Duration::from_secs(2);

/// `POST` of `/cancel`: stops a job; the answer is its record, which has ended unless the worker took its time.
pub async fn cancel(
    api: &Api,
    call: &Call,
    caller: &Caller,
    (kind, id): (JobKind, &str),
) -> Result<Reply, Problem> {
    if let Some(answer) = done_before(api, call, &Fingerprint::of_nothing()).await? {
        return Ok(answer);
    }
    let job = jobs::own(api, kind, id, caller).await?;
    let job = match api.store.cancel(kind, job.id, clock::now_us()).await? {
        CancelOutcome::Accepted(job) => *job,
        CancelOutcome::Unknown => return Err(Problem::RowNotFound),
        CancelOutcome::Ended => {
            return Err(Problem::Conflict {
                code: "E_JOB_NOT_RUNNING",
                detail: "The job has ended already.".to_owned(),
            });
        }
    };
    tracing::info!(job = job.id, "a job is cancelled");
    if kind == JobKind::VoiceTraining && job.ended_at_us.is_some() {
        // It was waiting to be continued: no worker cleans up after it.
        forget_training(api, job.id).await;
    }
    let job = follow::until_ended(api, job, STOP_LIMIT).await?;
    job_record::reply_with(api, call, job).await
}

/// `POST` of `/retry`: a new job with the same specification on the same recording.
pub async fn retry(
    api: &Api,
    call: &Call,
    caller: &Caller,
    (kind, id): (JobKind, &str),
) -> Result<Reply, Problem> {
    if let Some(answer) = done_before(api, call, &Fingerprint::of_nothing()).await? {
        return Ok(answer);
    }
    let old = jobs::own(api, kind, id, caller).await?;
    if old.ended_at_us.is_none() {
        return Err(Problem::job_running());
    }
    check_effects(api, old.spec.effects()).await?;
    let common = Common {
        metadata: old.metadata.clone(),
        priority: old.priority,
        webhook_url: old.ties.webhook_url.clone(),
    };
    let mut new = NewJob {
        retry_of: Some(old.id),
        input: old.input.clone(),
        ..new_job(api, call, caller, (old.spec.clone(), common))
    };
    let job = match &old.spec {
        JobSpec::VoiceConversion(spec) => {
            let mut mistakes = Vec::new();
            let id = spec.voice_model_id;
            let voice = usable_voice(api, id, caller, &mut mistakes).await?;
            separators::check_steps(api, &spec.clean, &mut mistakes).await?;
            refuse(mistakes)?;
            separators::are_there(api, &old.spec).await?;
            new.spec = JobSpec::VoiceConversion(ConversionSpec {
                successions: voice.iter().filter_map(ModelRecord::succession).collect(),
                ..spec.clone()
            });
            api.store.create_job(&new, clock::now_us()).await?
        }
        JobSpec::VocalSeparation(_) | JobSpec::StemSplit(_) => {
            separators::are_there(api, &old.spec).await?;
            api.store.create_job(&new, clock::now_us()).await?
        }
        JobSpec::VoiceBlend(spec) => blender::again(api, caller, spec, new.clone()).await?,
        JobSpec::VoiceTraining(spec) => trainings::again(api, caller, spec, new.clone()).await?,
    };
    tracing::info!(job = job.id, of = old.id, "a job is tried again");
    job_record::created(api, call, job).await
}

/// Deletes the checkpoints and tests of a training that is over.
async fn forget_training(api: &Api, id: i64) {
    for prefix in [training_prefix(id), heard_prefix(id)] {
        if let Err(error) = api.files.delete_prefix(&prefix).await {
            tracing::warn!(job = id, %error, "files of a cancelled training are left");
        }
    }
}

/// `DELETE` of a job that has ended: its record and its files. A voice that it made stays.
pub async fn delete(
    api: &Arc<Api>,
    caller: &Caller,
    (kind, id): (JobKind, &str),
) -> Result<Reply, Problem> {
    let job = jobs::own(api, kind, id, caller).await?;
    // The request is noted as what it is, as all that users do with their own.
    let removed = api
        .store
        .remove_job((job.id, Some(kind)), None, clock::now_us());
    let removed = match removed.await? {
        JobHandled::Done(removed) => removed,
        JobHandled::Unknown => return Err(Problem::RowNotFound),
        JobHandled::WrongState => return Err(Problem::job_running()),
    };
    // The record is gone for good; files that cannot be deleted now are found by the cleanup.
    let deleted = api.files.delete_job(removed.job_id, &removed.input_keys);
    if let Err(error) = deleted.await {
        tracing::warn!(job = job.id, %error, "files of a deleted job are left");
    }
    tracing::info!(job = job.id, "a job was deleted");
    Ok(reply::empty(StatusCode::NO_CONTENT))
}
