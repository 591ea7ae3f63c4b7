use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use hyper::StatusCode;
use hyper::header::{HeaderValue, LOCATION};
use serde_json::Value;

use super::links::Links;
use super::{blend_record, follow, jobs, records, training_record};
use crate::Api;
use crate::rules::call::Call;
use crate::rules::noted::noted;
use crate::rules::once::{Seen, again};
use crate::rules::page::{PageRules, list_reply};
use crate::rules::problem::Problem;
use crate::v1::names::collection_of;
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::preference::{PREFERENCE_APPLIED, applied};
use vocalhost_http::reply::{self, Reply};
use vocalhost_job::{JobKind, JobSpec};
use vocalhost_store::{Caller, JobRecord};

/// The record of a job of any kind, as its own endpoint shows it.
pub async fn of(api: &Api, job: &JobRecord) -> Result<Value, Problem> {
    Voices::default().record(api, job).await
}

/// Makes the records of many jobs of one user, most of them with the same few voices; `None` stands for one that is gone.
#[derive(Default)]
pub struct Voices(BTreeMap<i64, Option<Value>>);

impl Voices {
    /// The record of a job of any kind. Links are signed now.
    pub async fn record(&mut self, api: &Api, job: &JobRecord) -> Result<Value, Problem> {
        let links = &Links::of(api, job).await?;
        Ok(match &job.spec {
            JobSpec::VoiceConversion(spec) => {
                let voice = match self.0.entry(spec.voice_model_id) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(unknown) => {
                        let voice = api.store.model(spec.voice_model_id).await?;
                        // It may have become somebody else's since.
                        let voice = voice.filter(|voice| {
                            voice.owner_id.is_none_or(|owner| owner == job.user_id)
                        });
                        unknown.insert(voice.map(|voice| records::voice_model(api, &voice)))
                    }
                };
                if let Some(voice) = voice {
                    records::conversion((api, links), job, spec, voice)
                } else {
                    let title = spec.voice_title.as_deref();
                    let voice = records::lost_voice(spec.voice_model_id, title);
                    records::conversion((api, links), job, spec, &voice)
                }
            }
            JobSpec::VocalSeparation(_) | JobSpec::StemSplit(_) => {
                records::separation((api, links), job)
            }
            JobSpec::VoiceBlend(spec) => blend_record::of(job, spec),
            JobSpec::VoiceTraining(spec) => training_record::of((api, links), job, spec),
        })
    }
}

/// The record of the job with this id among those of a kind, as its owner sees it; `None` when there is no such job.
pub async fn of_named(api: &Api, kind: &str, id: i64) -> Option<Value> {
    let kind = JobKind::parse(kind)?;
    let job = api.store.job(kind, id).await.ok().flatten()?;
    // What went wrong is in the log already.
    of(api, &job).await.ok()
}

/// The answer with a page of the caller's own jobs of a kind.
pub async fn list(
    api: &Api,
    call: &Call,
    caller: &Caller,
    (kind, rules): (JobKind, &PageRules),
) -> Result<Reply, Problem> {
    let (asked, found) = jobs::page(api, call, caller, (Some(kind), rules), Vec::new()).await?;
    let mut voices = Voices::default();
    let mut data = Vec::with_capacity(found.rows.len());
    for job in &found.rows {
        data.push(voices.record(api, job).await?);
    }
    Ok(list_reply(call, &asked, found.total, &data))
}

/// The answer with the record of a job as it stands now, or once it has ended when the client would like to wait.
pub async fn reply_with(api: &Api, call: &Call, job: JobRecord) -> Result<Reply, Problem> {
    let job = follow::until_ended(api, job, call.wait.unwrap_or_default()).await?;
    let reply = reply::json(StatusCode::OK, &of(api, &job).await?);
    Ok(with_preference(reply, call))
}

/// The answer to a request that made a job.
pub async fn created(api: &Api, call: &Call, job: JobRecord) -> Result<Reply, Problem> {
    let job = follow::until_ended(api, job, call.wait.unwrap_or_default()).await?;
    let root = call.root.as_str();
    // The transaction that made the job has noted it.
    Ok(noted(with_preference(
        created_at(api, root, &job).await?,
        call,
    )))
}

/// The answer of a request that was done before under its idempotency key; another request under the same key is refused. To be
/// called once the body was read, and before anything is done.
pub async fn done_before(
    api: &Api,
    call: &Call,
    asked: &Fingerprint,
) -> Result<Option<Reply>, Problem> {
    match call.once.seen(asked)? {
        Seen::New => Ok(None),
        Seen::Answered(answer) => Ok(Some(answer)),
        Seen::Made(job_id) => Ok(Some(again(created_again(api, job_id).await?))),
    }
}

/// The answer to a request that made this job, once more, when it was not kept itself.
async fn created_again(api: &Api, job_id: i64) -> Result<Reply, Problem> {
    let job = api.store.any_job(job_id).await?;
    let job = job.ok_or(Problem::RowNotFound)?;
    let root = format!("{}{}", api.public_url, api.settings.api_roots[0]);
    created_at(api, &root, &job).await
}

async fn created_at(api: &Api, root: &str, job: &JobRecord) -> Result<Reply, Problem> {
    let mut record = of(api, job).await?;
    if let JobSpec::VoiceBlend(spec) = &job.spec {
        // Only the answer to the creation has it.
        record["title"] = Value::from(spec.title.clone());
    }
    let status = match job.kind {
        JobKind::VoiceConversion => StatusCode::CREATED,
        JobKind::VocalSeparation
        | JobKind::StemSplit
        | JobKind::VoiceBlend
        | JobKind::VoiceTraining => StatusCode::OK,
    };
    let mut reply = reply::json(status, &record);
    let location = format!("{root}/{}/{}", collection_of(job.kind), job.id);
    if let Ok(location) = HeaderValue::from_str(&location) {
        reply.headers_mut().insert(LOCATION, location);
    }
    Ok(reply)
}

fn with_preference(mut reply: Reply, call: &Call) -> Reply {
    if let Some(wait) = call.wait {
        reply
            .headers_mut()
            .insert(PREFERENCE_APPLIED, applied(wait));
    }
    reply
}
