use super::again::again;
use super::audit::note_done;
use super::events::{EventKind, append, standing};
use super::idempotency::complete;
use super::job_rows::{job_columns, job_record};
use super::page::{listing, page_of};
use super::position;
use super::retry::check_source;
use super::rows::{from_sql, to_sql};
use super::usage::{check_quotas, count_job};
use super::users::limits_of;
use super::webhooks::ensure_for_jobs;
use super::{JobRecord, JobTies, NewJob, Page, Store, StoreError};
use crate::sql::{Alone, Statement, Transaction, query};
use vocalhost_job::{Consent, JobKind, JobSpec, JobStage, JobState, JobStatus, Progress};

/// The action in the audit log when somebody declares that a voice may be trained.
const DECLARED: &str = "declareConsent";

/// Which jobs to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobQuery {
    /// Whose.
    pub user_id: i64,
    /// Of which kind only.
    pub kind: Option<JobKind>,
    /// With which status only.
    pub status: Option<JobStatus>,
    /// Newest first.
    pub descending: bool,
    /// Counts from 1.
    pub page: u64,
    /// Rows on a page.
    pub per_page: u64,
}

impl Store {
    /// Accepts a job: writes its row and its first event, in one transaction that also checks the limits.
    pub async fn create_job(&self, new: &NewJob, now_us: i64) -> Result<JobRecord, StoreError> {
        let record = again!(self.create_job_once(new, now_us))?;
        self.announce_due_job();
        self.announce_change(record.id);
        Ok(record)
    }

    async fn create_job_once(&self, new: &NewJob, now_us: i64) -> Result<JobRecord, StoreError> {
        let mut transaction = self.writing(Alone::User(new.user_id)).await?;
        let id = accept(&mut transaction, new, now_us).await?;
        let record = read_job(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(record.ok_or(sqlx::Error::RowNotFound)?)
    }

    /// The job of this kind with this number, whoever owns it.
    pub async fn job(&self, kind: JobKind, id: i64) -> Result<Option<JobRecord>, StoreError> {
        let mut transaction = self.reading().await?;
        let job = read_job(&mut transaction, id).await?;
        Ok(job.filter(|job| job.kind == kind))
    }

    /// The job with this number, whatever its kind and whoever owns it.
    pub async fn any_job(&self, id: i64) -> Result<Option<JobRecord>, StoreError> {
        let mut transaction = self.reading().await?;
        read_job(&mut transaction, id).await
    }

    /// A page of a user's jobs, in the order of acceptance.
    pub async fn jobs(&self, query: &JobQuery) -> Result<Page<JobRecord>, StoreError> {
        let mut transaction = self.reading().await?;
        let mut page = page_of(&mut transaction, statements(query), job_record).await?;
        position::fill_in(&mut transaction, &mut page.rows).await?;
        Ok(page)
    }
}

/// Accepts a job within a transaction, and gives its number.
pub(super) async fn accept(
    transaction: &mut Transaction,
    new: &NewJob,
    now_us: i64,
) -> Result<i64, StoreError> {
    if let Some(source) = new.retry_of {
        check_source(transaction, source).await?;
    }
    check_limits(transaction, new, now_us).await?;
    // Locks the job's line before the user's account, the same order as at the job's end, so that there is no deadlock.
    let id = insert_job(transaction, new, now_us).await?;
    count_job(transaction, new, now_us).await?;
    tie(transaction, id, (&new.ties, new.user_id), now_us).await?;
    let waiting = JobState::Queued {
        since_us: now_us,
        not_before_us: now_us,
    };
    let start = Progress {
        stage: JobStage::Queued,
        percent: 0.0,
    };
    let detail = standing(&waiting, start, serde_json::json!({}));
    append(transaction, id, EventKind::Created, &detail, now_us).await?;
    if let Some(completion) = &new.completes {
        complete(transaction, completion, id, now_us).await?;
    }
    if let Some(deed) = &new.deed {
        let target = format!("{}/{id}", deed.collection);
        note_done(transaction, &deed.actor, (deed.operation, &target), now_us).await?;
        if let JobSpec::VoiceTraining(spec) = &new.spec {
            let declared = format!("{target}: {}", declared(&spec.consent));
            note_done(transaction, &deed.actor, (DECLARED, &declared), now_us).await?;
        }
    }
    Ok(id)
}

/// The detail of a consent in the audit log: which statement, by what right, whose voice, and the spoken number.
fn declared(consent: &Consent) -> String {
    let whose = consent.name.as_deref();
    let whose = whose.map_or_else(String::new, |name| format!(", {name}"));
    let said = consent.spoken.as_deref();
    let said = said.map_or_else(String::new, |number| format!(", said with {number}"));
    let (version, by) = (consent.version, consent.by.as_str());
    format!("statement {version}, {by}{whose}{said}")
}

/// Stores a new job's links to other systems.
async fn tie(
    transaction: &mut Transaction,
    id: i64,
    (ties, user_id): (&JobTies, i64),
    now_us: i64,
) -> Result<(), StoreError> {
    if *ties == JobTies::default() {
        return Ok(());
    }
    if ties.webhook_url.is_some() {
        // So that its secret can be asked for before the first message is signed with it.
        ensure_for_jobs(transaction, user_id, now_us).await?;
    }
    query("UPDATE jobs SET webhook_url = $1, trace_parent = $2 WHERE id = $3")
        .bind(&ties.webhook_url)
        .bind(&ties.trace_parent)
        .bind(id)
        .execute(transaction)
        .await?;
    Ok(())
}

/// Reads a job within a transaction.
pub(super) async fn read_job(
    transaction: &mut Transaction,
    id: i64,
) -> Result<Option<JobRecord>, StoreError> {
    let row = query(concat!(
        "SELECT ",
        job_columns!(),
        " FROM jobs j WHERE j.id = $1"
    ))
    .bind(id)
    .fetch_optional(&mut *transaction)
    .await?;
    let mut job = row.as_ref().map(job_record).transpose()?;
    position::fill_in(transaction, job.as_mut_slice()).await?;
    Ok(job)
}

/// The statements of a list of jobs.
fn statements(query: &JobQuery) -> [Statement; 2] {
    let heads = [
        "SELECT COUNT(*) FROM jobs j WHERE ",
        concat!("SELECT ", job_columns!(), " FROM jobs j WHERE "),
    ];
    let place = ("j.id", query.descending, (query.page, query.per_page));
    listing(heads, |one| push_filter(one, query), place)
}

fn push_filter(builder: &mut Statement, query: &JobQuery) {
    builder.push("j.user_id = ");
    builder.push_bind(query.user_id);
    push_kind_and_status(builder, query.kind, query.status);
}

/// Adds the conditions that jobs are of this kind and have this status, if they are given.
pub(super) fn push_kind_and_status(
    builder: &mut Statement,
    kind: Option<JobKind>,
    status: Option<JobStatus>,
) {
    if let Some(kind) = kind {
        builder.push(" AND j.kind = ").push_bind(kind.as_str());
    }
    // The states for each word, as `JobState::status` has them.
    builder.push(match status {
        None => "",
        Some(JobStatus::Running) => " AND j.state IN ('queued', 'running', 'cancelling')",
        Some(JobStatus::Success) => " AND j.state = 'succeeded'",
        Some(JobStatus::Error) => " AND j.state = 'failed'",
        Some(JobStatus::Cancelled) => " AND j.state = 'cancelled'",
    });
}

async fn check_limits(
    transaction: &mut Transaction,
    new: &NewJob,
    now_us: i64,
) -> Result<(), StoreError> {
    let own = limits_of(transaction, new.user_id).await?;
    let max_queued = own.max_queued.unwrap_or(new.limits.max_queued_per_user);
    let row = query(
        "SELECT CAST(COALESCE(SUM(waiting), 0) AS BIGINT) AS of_all, CAST(COALESCE(\
         SUM(CASE WHEN user_id = $1 THEN waiting END), 0) AS BIGINT) AS of_user FROM lines WHERE waiting > 0",
    )
    .bind(new.user_id)
    .fetch_one(&mut *transaction)
    .await?;
    if from_sql(row.try_get("of_user")?) >= max_queued {
        return Err(StoreError::UserQueueFull);
    }
    if from_sql(row.try_get("of_all")?) >= new.limits.max_queue {
        return Err(StoreError::QueueFull);
    }
    check_quotas(transaction, new, &own, now_us).await
}

async fn insert_job(
    transaction: &mut Transaction,
    new: &NewJob,
    now_us: i64,
) -> Result<i64, StoreError> {
    let metadata = new
        .metadata
        .as_ref()
        .map(serde_json::to_string)
        .transpose()?;
    let input = new.input.as_ref();
    let backing = input.and_then(|input| input.backing.as_ref());
    let warnings = input.map(|input| &input.warnings);
    let warnings = warnings
        .filter(|warnings| !warnings.is_empty())
        .map(serde_json::to_string)
        .transpose()?;
    let parts = input.map(|input| &input.parts);
    let parts = parts
        .filter(|parts| !parts.is_empty())
        .map(serde_json::to_string)
        .transpose()?;
    Ok(query(
        "INSERT INTO jobs (user_id, kind, spec, metadata, request_id, retry_of, input_key, input_bytes, \
         input_sha256, input_format, input_channels, input_sample_rate_hz, input_duration_s, backing_key, \
         backing, backing_bytes, state, queued_since_us, not_before_us, stage, percent, created_at_us, started_at_us, priority, \
         input_warnings, recordings) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $19, 'queued', $16, $16, $17, 0, \
         $16, $16, $18, $20, $21) RETURNING id",
    )
    .bind(new.user_id)
    .bind(new.spec.kind().as_str())
    .bind(serde_json::to_string(&new.spec)?)
    .bind(metadata)
    .bind(&new.request_id)
    .bind(new.retry_of)
    .bind(input.map(|input| &input.key))
    .bind(input.map(|input| to_sql(input.bytes)))
    .bind(input.map(|input| &input.sha256))
    .bind(input.map(|input| &input.format))
    .bind(input.map(|input| input.channels))
    .bind(input.map(|input| input.sample_rate_hz))
    .bind(input.and_then(|input| input.duration_s))
    .bind(backing.map(|backing| &backing.key))
    .bind(backing.map(serde_json::to_string).transpose()?)
    .bind(now_us)
    .bind(JobStage::Queued.as_str())
    .bind(new.priority)
    .bind(backing.map(|backing| to_sql(backing.bytes)))
    .bind(warnings)
    .bind(parts)
    .value(transaction)
    .await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::plan;

    #[tokio::test]
    async fn a_list_of_jobs_walks_along_an_index() {
        for kind in [None, Some(JobKind::VoiceConversion)] {
            for status in [None, Some(JobStatus::Success)] {
                let query = JobQuery {
                    user_id: 1,
                    kind,
                    status,
                    descending: true,
                    page: 2,
                    per_page: 10,
                };
                let [_, list] = statements(&query);
                for step in plan(list).await {
                    // Found and sorted by the index: no row is read except for the page.
                    assert!(step.contains("USING INDEX jobs_"), "{query:?}: {step}");
                }
            }
        }
    }
}
