use std::time::Duration;

use tokio::time::Instant;

use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_store::JobRecord;

/// The job once it has ended, but after `limit` at the latest, or when the server is told to stop. A job that is deleted
/// meanwhile is not found.
pub async fn until_ended(api: &Api, job: JobRecord, limit: Duration) -> Result<JobRecord, Problem> {
    if limit.is_zero() || job.ended_at_us.is_some() {
        return Ok(job);
    }
    let deadline = Instant::now() + limit;
    let mut changes = api.store.changes();
    while api.store.goes_on(job.id).await? && !api.is_draining() {
        let change = tokio::time::timeout_at(deadline, changes.of(job.id));
        if change.await.is_err() {
            break;
        }
    }
    let job = api.store.job(job.kind, job.id).await?;
    job.ok_or(Problem::RowNotFound)
}
