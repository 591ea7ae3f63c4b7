//! Jobs with their state, and how they are read from rows.

use serde::{Deserialize, Serialize};

use super::StoreError;
use super::rows::{damaged, from_sql, json, optional_json};
use super::training_state::TrainingState;
use crate::sql::Row;
use vocalhost_job::{InputWarning, JobKind, JobSpec, JobStage, JobState, Progress, Run};

/// A job and its state.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRecord {
    /// Its number; never given twice.
    pub id: i64,
    /// Whose it is.
    pub user_id: i64,
    /// Its kind.
    pub kind: JobKind,
    /// What it is to do.
    pub spec: JobSpec,
    /// Where it stands.
    pub state: JobState,
    /// How far it is.
    pub progress: Progress,
    /// When it was accepted.
    pub created_at_us: i64,
    /// When it was accepted, and again when work on it started.
    pub started_at_us: i64,
    /// When it ended.
    pub ended_at_us: Option<i64>,
    /// Its place among the coming claims, counted from 1 for the next one, if nothing ends meanwhile; only while it waits.
    pub queue_position: Option<u64>,
    /// The client's own notes.
    pub metadata: Option<serde_json::Value>,
    /// Its priority among the user's own waiting jobs: larger is sooner.
    pub priority: i32,
    /// The job that this one tries again.
    pub retry_of: Option<i64>,
    /// The request that made it.
    pub request_id: String,
    /// The recording; a blend has none.
    pub input: Option<StoredInput>,
    /// The progress of a training that has begun.
    pub training: Option<TrainingState>,
    /// Its links to other systems.
    pub ties: JobTies,
}

/// A job's links to other systems.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobTies {
    /// An address that is told of its end, besides the user's webhooks.
    pub webhook_url: Option<String>,
    /// The trace that it belongs to, as the header `traceparent` (W3C Trace Context) has it.
    pub trace_parent: Option<String>,
}

/// An uploaded recording that has been probed, or several that a voice is trained on: then `key` is the folder in which they lie, size and
/// length are those of all of them together, and the rest is the first one's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredInput {
    /// Where it lies in the file store.
    pub key: String,
    /// Its size.
    pub bytes: u64,
    /// SHA-256 of its content, lower-case hex.
    pub sha256: String,
    /// Its format: `wav`, `webm`, `mp3`, `flac`.
    pub format: String,
    /// Its channels.
    pub channels: u32,
    /// Its sample rate.
    pub sample_rate_hz: u32,
    /// Its length, when it is known before decoding.
    pub duration_s: Option<f64>,
    /// The recording that goes under the result; it is uploaded and deleted with this one.
    #[serde(default)]
    pub backing: Option<Box<StoredInput>>,
    /// What the probe found wrong.
    #[serde(default)]
    pub warnings: Vec<InputWarning>,
    /// The single recordings, if there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<StoredInput>,
}

impl StoredInput {
    /// Several recordings in one folder.
    #[must_use]
    pub fn folder(key: &str, parts: Vec<Self>) -> Option<Self> {
        let first = parts.first()?.clone();
        let lengths = parts.iter().map(|part| part.duration_s);
        Some(Self {
            key: key.to_owned(),
            bytes: parts.iter().map(|part| part.bytes).sum(),
            duration_s: lengths.sum(),
            parts,
            ..first
        })
    }
}

/// The columns that `job_record` reads of `jobs j`, or of `jobs` where the table has no alias.
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

/// The job of a row, without its position in the queue, which depends on all other jobs.
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
