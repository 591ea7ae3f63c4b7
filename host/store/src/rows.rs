use serde::de::DeserializeOwned;

use super::{JobRecord, JobTies, Page, StoreError, StoredInput};
use crate::sql::{Row, Statement, Transaction, query};
use vocalhost_job::{JobKind, JobStage, JobState, Progress, Run};

/// What `job_record` reads of `jobs j`, or of `jobs` alone where the table has no other name.
macro_rules! job_columns {
    () => {
        job_columns!("j.")
    };
    ($of:literal) => {
        job_columns!(
            $of:
            id, user_id, kind, priority, spec, metadata, request_id, retry_of, input_key, input_bytes, input_sha256,
            input_format, input_channels, input_sample_rate_hz, input_duration_s, backing, input_warnings, state,
            queued_since_us, not_before_us, attempt, lease_token, lease_until_us, failures, deaths, stage, percent,
            created_at_us, started_at_us, ended_at_us, result, failure, webhook_url, trace_parent, recordings, training
        )
    };
    ($of:literal: id, $($column:ident),+) => {
        concat!($of, "id", $(", ", $of, stringify!($column)),+)
    };
}
pub(super) use job_columns;

const JOBS: &str = "jobs";

/// The job of a row, without its position in the queue, which is a matter of all other jobs.
pub(super) fn job_record(row: &Row) -> Result<JobRecord, StoreError> {
    let id: i64 = row.try_get("id")?;
    let kind: String = row.try_get("kind")?;
    Ok(JobRecord {
        id,
        user_id: row.try_get("user_id")?,
        kind: JobKind::parse(&kind).ok_or_else(|| damaged(JOBS, id, "its kind is unknown"))?,
        spec: json(row, "spec", JOBS, id)?,
        state: job_state(row)?,
        progress: job_progress(row)?,
        created_at_us: row.try_get("created_at_us")?,
        started_at_us: row.try_get("started_at_us")?,
        ended_at_us: row.try_get("ended_at_us")?,
        queue_position: None,
        metadata: optional_json(row, "metadata", JOBS, id)?,
        priority: row.try_get("priority")?,
        retry_of: row.try_get("retry_of")?,
        request_id: row.try_get("request_id")?,
        input: stored_input(row)?,
        training: optional_json(row, "training", JOBS, id)?,
        ties: JobTies {
            webhook_url: row.try_get("webhook_url")?,
            trace_parent: row.try_get("trace_parent")?,
        },
    })
}

fn stored_input(row: &Row) -> Result<Option<StoredInput>, StoreError> {
    let Some(key) = row.try_get("input_key")? else {
        return Ok(None);
    };
    Ok(Some(StoredInput {
        key,
        bytes: from_sql(row.try_get("input_bytes")?),
        sha256: row.try_get("input_sha256")?,
        format: row.try_get("input_format")?,
        channels: row.try_get("input_channels")?,
        sample_rate_hz: row.try_get("input_sample_rate_hz")?,
        duration_s: row.try_get("input_duration_s")?,
        backing: optional_json(row, "backing", JOBS, row.try_get("id")?)?,
        warnings: optional_json(row, "input_warnings", JOBS, row.try_get("id")?)?
            .unwrap_or_default(),
        parts: optional_json(row, "recordings", JOBS, row.try_get("id")?)?.unwrap_or_default(),
    }))
}

pub(super) fn job_state(row: &Row) -> Result<JobState, StoreError> {
    let id: i64 = row.try_get("id")?;
    let name: String = row.try_get("state")?;
    let ended_at_us = || -> Result<i64, StoreError> {
        row.try_get::<Option<i64>>("ended_at_us")?
            .ok_or_else(|| damaged(JOBS, id, "it ended, but not at any time"))
    };
    match name.as_str() {
        "queued" => Ok(JobState::Queued {
            since_us: row.try_get("queued_since_us")?,
            not_before_us: row.try_get("not_before_us")?,
        }),
        "running" => Ok(JobState::Running(job_run(row, id)?)),
        "cancelling" => Ok(JobState::Cancelling(job_run(row, id)?)),
        "succeeded" => Ok(JobState::Succeeded {
            result: json(row, "result", JOBS, id)?,
            at_us: ended_at_us()?,
        }),
        "failed" => Ok(JobState::Failed {
            failure: json(row, "failure", JOBS, id)?,
            at_us: ended_at_us()?,
        }),
        "cancelled" => Ok(JobState::Cancelled {
            at_us: ended_at_us()?,
        }),
        _ => Err(damaged(JOBS, id, "its state is unknown")),
    }
}

fn job_run(row: &Row, id: i64) -> Result<Run, StoreError> {
    let lease_token: Option<String> = row.try_get("lease_token")?;
    let lease_until_us: Option<i64> = row.try_get("lease_until_us")?;
    match (lease_token, lease_until_us) {
        (Some(lease_token), Some(lease_until_us)) => Ok(Run {
            attempt: row.try_get("attempt")?,
            lease_token,
            lease_until_us,
        }),
        _ => Err(damaged(JOBS, id, "a worker has it, but without a lease")),
    }
}

pub(super) fn job_progress(row: &Row) -> Result<Progress, StoreError> {
    let stage: String = row.try_get("stage")?;
    Ok(Progress {
        stage: JobStage::parse(&stage).ok_or_else(|| {
            damaged(
                JOBS,
                row.try_get("id").unwrap_or_default(),
                "its stage is unknown",
            )
        })?,
        percent: row.try_get("percent")?,
    })
}

/// A column of JSON that must be there.
pub(super) fn json<T: DeserializeOwned>(
    row: &Row,
    column: &str,
    table: &'static str,
    id: i64,
) -> Result<T, StoreError> {
    optional_json(row, column, table, id)?
        .ok_or_else(|| damaged(table, id, &format!("{column} is empty")))
}

/// A column of JSON that may be NULL.
pub(super) fn optional_json<T: DeserializeOwned>(
    row: &Row,
    column: &str,
    table: &'static str,
    id: i64,
) -> Result<Option<T>, StoreError> {
    row.try_get::<Option<String>>(column)?
        .map(|text| serde_json::from_str(&text))
        .transpose()
        .map_err(|error| damaged(table, id, &format!("{column}: {error}")))
}

pub(super) fn damaged(table: &'static str, row: i64, reason: &str) -> StoreError {
    StoreError::Damaged {
        table,
        row,
        reason: reason.to_owned(),
    }
}

/// SQL has no unsigned numbers. What is too large for it is larger than anything that is stored.
pub(super) fn to_sql(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The other way round: counts and sizes are never negative.
pub(super) fn from_sql(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// The statements of a list: one that counts all its rows, and one that gives a page of them, in the order of a column. They begin as
/// `heads` say, and `filter` adds to both which rows are meant.
pub(super) fn listing(
    heads: [&'static str; 2],
    filter: impl Fn(&mut Statement),
    (column, descending, (page, per_page)): (&'static str, bool, (u64, u64)),
) -> [Statement; 2] {
    let [count, mut list] = heads.map(|head| {
        let mut statement = query(head);
        filter(&mut statement);
        statement
    });
    list.push(" ORDER BY ").push(column);
    list.push(if descending { " DESC" } else { "" });
    list.push(" LIMIT ").push_bind(to_sql(per_page));
    list.push(" OFFSET ").push_bind(offset(page, per_page));
    [count, list]
}

/// A page of a list by its statements.
pub(super) async fn page_of<T>(
    transaction: &mut Transaction,
    [count, list]: [Statement; 2],
    read: fn(&Row) -> Result<T, StoreError>,
) -> Result<Page<T>, StoreError> {
    let total: i64 = count.value(&mut *transaction).await?;
    let rows = list.fetch_all(transaction).await?;
    Ok(Page {
        rows: rows.iter().map(read).collect::<Result<_, _>>()?,
        total: from_sql(total),
    })
}

/// How many rows lie before a page that counts from 1.
pub(super) fn offset(page: u64, per_page: u64) -> i64 {
    to_sql(page.saturating_sub(1).saturating_mul(per_page))
}
