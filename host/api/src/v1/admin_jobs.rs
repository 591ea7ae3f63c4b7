use hyper::StatusCode;
use serde_json::{Value, json};

use super::admin::ADMIN_PAGES;
use super::job_record::done_before;
use super::jobs;
use super::timestamp::timestamp;
use crate::Api;
use crate::rules::audit::actor;
use crate::rules::call::Call;
use crate::rules::mistakes::not_among;
use crate::rules::noted::noted;
use crate::rules::page::{PageRequest, page_reply};
use crate::rules::problem::{FieldError, Problem, refuse};
use crate::rules::route::{Ask, Operation, Route};
use crate::v1::names::collection_of;
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::reply::{self, Reply};
use vocalhost_job::{JobKind, JobState};
use vocalhost_store::{AllJobsQuery, Caller, CancelOutcome, JobHandled, ListedJob, Scope};
use vocalhost_system::clock;

/// What may be asked here.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        path: "/admin/jobs",
        operations: &[Operation::get(
            "listAllJobs",
            "The jobs of all users",
            super::shapes::admin::list_jobs,
        )
        .keyed(Scope::Admin, |api, ask, _| Box::pin(list(api, ask)))],
    },
    Route {
        path: "/admin/jobs/{id}",
        operations: &[
            Operation::get(
                "getAnyJob",
                "One job, whoever owns it",
                super::shapes::admin::get_job,
            )
            .keyed(Scope::Admin, |api, ask, _| Box::pin(get(api, ask))),
            Operation::delete(
                "deleteAnyJob",
                "Delete a job that has ended, with its files",
                super::shapes::admin::delete_job,
            )
            .keyed(Scope::Admin, |api, ask, caller| {
                Box::pin(delete(api, ask, caller))
            }),
        ],
    },
    Route {
        path: "/admin/jobs/{id}/cancel",
        operations: &[Operation::post(
            "cancelAnyJob",
            "Stop a job",
            super::shapes::admin::stop_job,
        )
        .keyed(Scope::Admin, |api, ask, caller| {
            Box::pin(cancel(api, ask, caller))
        })],
    },
    Route {
        path: "/admin/jobs/{id}/requeue",
        operations: &[Operation::post(
            "requeueJob",
            "Take a running job from its worker and put it back into the queue",
            super::shapes::admin::stop_job,
        )
        .keyed(Scope::Admin, |api, ask, caller| {
            Box::pin(requeue(api, ask, caller))
        })],
    },
];

async fn list(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let call = &ask.call;
    let mut mistakes = Vec::new();
    let asked = PageRequest::parse(&call.query, &ADMIN_PAGES, &mut mistakes);
    let status = jobs::status_filter(call, &mut mistakes);
    let kind = kind_filter(call, &mut mistakes);
    let user_id = match call.query.get("user") {
        None => None,
        // Nobody has the number 0.
        Some(name) => Some(api.store.user_id(name).await?.unwrap_or(0)),
    };
    refuse(mistakes)?;
    let query = AllJobsQuery {
        user_id,
        kind,
        status,
        descending: asked.descending,
        page: asked.page,
        per_page: asked.per_page,
    };
    let found = api.store.all_jobs(&query).await?;
    Ok(page_reply(call, &asked, &found, record))
}

/// A kind by its path, such as `stem-splits`.
fn kind_filter(call: &Call, mistakes: &mut Vec<FieldError>) -> Option<JobKind> {
    let text = call.query.get("kind")?;
    let found = kind_named(text);
    if found.is_none() {
        let words = JobKind::ALL.map(collection_of);
        mistakes.push(not_among("kind", &words));
    }
    found
}

/// The kind whose jobs lie at this path, or that has this name in records.
#[must_use]
pub fn kind_named(name: &str) -> Option<JobKind> {
    let mut by_path = JobKind::ALL.into_iter();
    let by_path = by_path.find(|kind| collection_of(*kind) == name);
    by_path.or_else(|| JobKind::parse(name))
}

async fn found(api: &Api, id: i64) -> Result<ListedJob, Problem> {
    api.store.listed_job(id).await?.ok_or(Problem::RowNotFound)
}

async fn get(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let job = found(api, ask.id()?).await?;
    Ok(reply::json(StatusCode::OK, &record(&job)))
}

async fn cancel(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    if let Some(answer) = done_before(api, &ask.call, &Fingerprint::of_nothing()).await? {
        return Ok(answer);
    }
    let id = ask.id()?;
    let actor = actor(&ask.call, caller);
    match api.store.cancel_any(id, &actor, clock::now_us()).await? {
        CancelOutcome::Unknown => Err(Problem::RowNotFound),
        CancelOutcome::Ended => Err(not_running()),
        CancelOutcome::Accepted(_) => {
            let job = found(api, id).await?;
            Ok(noted(reply::json(StatusCode::OK, &record(&job))))
        }
    }
}

async fn requeue(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    if let Some(answer) = done_before(api, &ask.call, &Fingerprint::of_nothing()).await? {
        return Ok(answer);
    }
    let actor = actor(&ask.call, caller);
    let done = api.store.requeue_job(ask.id()?, &actor, clock::now_us());
    match done.await? {
        JobHandled::Unknown => Err(Problem::RowNotFound),
        JobHandled::WrongState => Err(not_running()),
        JobHandled::Done(job) => Ok(noted(reply::json(StatusCode::OK, &record(&job)))),
    }
}

async fn delete(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let actor = actor(&ask.call, caller);
    let of = (ask.id()?, None);
    let done = api.store.remove_job(of, Some(&actor), clock::now_us());
    match done.await? {
        JobHandled::Unknown => Err(Problem::RowNotFound),
        JobHandled::WrongState => Err(Problem::Conflict {
            code: "E_JOB_RUNNING",
            detail: "The job has not ended: cancel it first.".to_owned(),
        }),
        JobHandled::Done(gone) => {
            api.files.delete_job(gone.job_id, &gone.input_keys).await?;
            Ok(noted(reply::empty(StatusCode::NO_CONTENT)))
        }
    }
}

fn not_running() -> Problem {
    Problem::Conflict {
        code: "E_JOB_NOT_RUNNING",
        detail: "The job is not running.".to_owned(),
    }
}

/// The record of a job as an operator sees it: where it stands, not what is in it.
#[must_use]
pub fn record(listed: &ListedJob) -> Value {
    let job = &listed.job;
    let error = match &job.state {
        JobState::Failed { failure, .. } => json!(failure),
        _ => Value::Null,
    };
    json!({
        "id": job.id,
        "kind": collection_of(job.kind),
        "user": listed.user,
        "status": job.state.status().as_str(),
        "state": job.state.name(),
        "stage": job.progress.stage.as_str(),
        "progress": job.progress.percent,
        "attempts": listed.attempts,
        "failures": listed.failures,
        "workerDeaths": listed.deaths,
        "createdAt": timestamp(job.created_at_us),
        "jobStartTime": timestamp(job.started_at_us),
        "jobEndTime": job.ended_at_us.map(timestamp),
        "inputBytes": job.input.as_ref().map(|input| input.bytes),
        "inputDurationS": job.input.as_ref().and_then(|input| input.duration_s),
        "requestId": job.request_id,
        "retryOf": job.retry_of,
        "error": error,
    })
}
