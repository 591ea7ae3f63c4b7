use serde_json::json;

use super::admin_jobs::kind_named;
use super::job_record::Voices;
use super::jobs;
use crate::Api;
use crate::rules::call::Call;
use crate::rules::mistakes::not_among;
use crate::rules::page::{JOB_PAGES, list_reply};
use crate::rules::problem::{FieldError, Problem};
use crate::rules::route::{Operation, Route};
use vocalhost_http::reply::Reply;
use vocalhost_job::JobKind;
use vocalhost_store::{Caller, Scope};

/// What may be asked here.
pub const ROUTES: &[Route] = &[Route {
    path: "/jobs",
    operations: &[Operation::get(
        "listJobs",
        "Your jobs of all kinds",
        super::shapes::actions::list,
    )
    .keyed(Scope::Read, |api, ask, caller| {
        Box::pin(async move { list(api, &ask.call, caller).await })
    })],
}];

/// `GET /jobs`: the caller's own jobs, each the record of its kind with a `kind`.
async fn list(api: &Api, call: &Call, caller: &Caller) -> Result<Reply, Problem> {
    let mut mistakes = Vec::new();
    let kind = kind_filter(call, &mut mistakes);
    let (asked, found) = jobs::page(api, call, caller, (kind, &JOB_PAGES), mistakes).await?;
    let mut voices = Voices::default();
    let mut data = Vec::with_capacity(found.rows.len());
    for job in &found.rows {
        let mut record = voices.record(api, job).await?;
        record["kind"] = json!(job.kind.as_str());
        data.push(record);
    }
    Ok(list_reply(call, &asked, found.total, &data))
}

fn kind_filter(call: &Call, mistakes: &mut Vec<FieldError>) -> Option<JobKind> {
    let found = kind_named(call.query.get("kind")?);
    if found.is_none() {
        let words = JobKind::ALL.map(JobKind::as_str);
        mistakes.push(not_among("kind", &words));
    }
    found
}
