use std::collections::BTreeMap;

use super::rows::{from_sql, to_sql};
use super::users::limits_of;
use super::{NewJob, Store, StoreError, UserLimits};
use crate::sql::{Transaction, query};
use vocalhost_job::{FileRole, JobKind, JobResult, JobState};

const DAY_US: i64 = 86_400_000_000;

/// Minutes of audio count for this many days, today among them.
pub const USAGE_DAYS: i64 = 30;

/// What live conversions are called among the kinds of job.
const LIVE: &str = "live-conversion";

/// What a user gave in since a day.
const GIVEN_IN: &str = "SELECT CAST(COALESCE(SUM(jobs), 0) AS BIGINT) AS jobs, \
     CAST(COALESCE(SUM(audio_ms), 0) AS BIGINT) AS audio_ms FROM usage_by_day WHERE user_id = $1 AND day > $2";

/// How many jobs of a kind a user began on a day.
const BEGUN: &str = "SELECT jobs FROM usage_by_day WHERE user_id = $1 AND day = $2 AND kind = $3";

/// How many jobs of a user stand where.
const BY_STATE: &str =
    "SELECT kind, state, COUNT(*) AS count FROM jobs WHERE user_id = $1 GROUP BY kind, state";

/// The bytes of a user's files. A recording that several jobs share counts once; an upload counts with its announced size until it is
/// deleted or expires.
const STORED: &str = "SELECT CAST(COALESCE((SELECT SUM(result_bytes) FROM jobs WHERE user_id = $1 \
     AND result_bytes IS NOT NULL AND results_deleted_at_us IS NULL), 0) \
     + COALESCE((SELECT SUM(i.bytes) FROM (SELECT MAX(input_bytes) AS bytes FROM jobs WHERE user_id = $1 \
     AND input_key IS NOT NULL AND input_deleted_at_us IS NULL GROUP BY input_key) i), 0) \
     + COALESCE((SELECT SUM(i.bytes) FROM (SELECT MAX(backing_bytes) AS bytes FROM jobs WHERE user_id = $1 \
     AND backing_key IS NOT NULL AND input_deleted_at_us IS NULL GROUP BY backing_key) i), 0) \
     + COALESCE((SELECT SUM(bytes) FROM uploads WHERE user_id = $1 AND expires_at_us > $2), 0) \
     + COALESCE((SELECT SUM(recorded_bytes) FROM live_conversions WHERE user_id = $1 AND recorded IS NOT NULL), 0) \
     + COALESCE((SELECT SUM(package_bytes) FROM voice_models WHERE owner_id = $1), 0) AS BIGINT)";

/// What a user has used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// Bytes of stored recordings, results, voices and uploads, and of live recordings.
    pub storage_bytes: u64,
    /// Audio that was submitted over the last [`USAGE_DAYS`] days, in seconds.
    pub audio_s: f64,
    /// Jobs that were accepted in that time.
    pub jobs_accepted: u64,
    /// Jobs with a record, by kind and by the name of their state.
    pub jobs: BTreeMap<(String, String), u64>,
    /// Limits of the user's own.
    pub limits: UserLimits,
}

impl Store {
    /// What a user has used.
    pub async fn usage(&self, user_id: i64, now_us: i64) -> Result<Usage, StoreError> {
        let mut transaction = self.reading().await?;
        let limits = limits_of(&mut transaction, user_id).await?;
        let storage_bytes = stored_bytes(&mut transaction, user_id, now_us).await?;
        let row = query(GIVEN_IN)
            .bind(user_id)
            .bind(day_of(now_us) - USAGE_DAYS)
            .fetch_one(&mut transaction)
            .await?;
        let rows = query(BY_STATE)
            .bind(user_id)
            .fetch_all(&mut transaction)
            .await?;
        let mut jobs = BTreeMap::new();
        for row in &rows {
            let key = (row.try_get("kind")?, row.try_get("state")?);
            jobs.insert(key, from_sql(row.try_get("count")?));
        }
        Ok(Usage {
            storage_bytes,
            audio_s: from_sql(row.try_get("audio_ms")?) as f64 / 1e3,
            jobs_accepted: from_sql(row.try_get("jobs")?),
            jobs,
            limits,
        })
    }
}

/// Checks whether a job exceeds its user's quotas of storage and audio, within the transaction that makes it.
pub(super) async fn check_quotas(
    transaction: &mut Transaction,
    new: &NewJob,
    own: &UserLimits,
    now_us: i64,
) -> Result<(), StoreError> {
    // A retry shares its recording, which counts already.
    let input = new.input.as_ref().filter(|_| new.retry_of.is_none());
    let recordings = input.map_or(0, |input| {
        input.bytes + input.backing.as_ref().map_or(0, |backing| backing.bytes)
    });
    let quota = new.limits.storage_quota_bytes;
    check_storage(transaction, (new.user_id, now_us), own, (recordings, quota)).await?;
    check_trainings(transaction, new, now_us).await?;
    let minutes = own
        .audio_minutes_quota
        .unwrap_or(new.limits.audio_minutes_quota);
    if new.input.is_some() {
        // A recording whose length is not known yet needs at least some room.
        let more_ms = audio_ms(new).max(1);
        check_minutes(transaction, (new.user_id, minutes), more_ms, now_us).await?;
    }
    Ok(())
}

/// Whether more audio would exceed the minutes that a user may submit; 0 means no limit.
pub(super) async fn check_minutes(
    transaction: &mut Transaction,
    (user_id, minutes): (i64, u64),
    more_ms: u64,
    now_us: i64,
) -> Result<(), StoreError> {
    if minutes == 0 {
        return Ok(());
    }
    let row = query(GIVEN_IN)
        .bind(user_id)
        .bind(day_of(now_us) - USAGE_DAYS)
        .fetch_one(transaction)
        .await?;
    let used_ms = from_sql(row.try_get("audio_ms")?);
    if used_ms.saturating_add(more_ms) > minutes.saturating_mul(60_000) {
        return Err(StoreError::AudioQuota {
            used_ms,
            more_ms,
            minutes,
        });
    }
    Ok(())
}

/// Counts the heard sound of a live conversion that began at a given time: its first piece also counts the conversion.
pub(super) async fn add_live(
    transaction: &mut Transaction,
    (user_id, began_at_us): (i64, i64),
    (is_first, more_ms): (bool, i64),
) -> Result<(), StoreError> {
    let at = (user_id, day_of(began_at_us), LIVE);
    add(transaction, at, (i64::from(is_first), more_ms)).await
}

/// Whether a training would exceed its user's number of trainings on this day.
async fn check_trainings(
    transaction: &mut Transaction,
    new: &NewJob,
    now_us: i64,
) -> Result<(), StoreError> {
    let (kind, most) = (new.spec.kind(), new.limits.trainings_per_day);
    if kind != JobKind::VoiceTraining || most == 0 {
        return Ok(());
    }
    let begun: Option<i64> = query(BEGUN)
        .bind(new.user_id)
        .bind(day_of(now_us))
        .bind(kind.as_str())
        .optional_value(transaction)
        .await?;
    if from_sql(begun.unwrap_or_default()) >= most {
        return Err(StoreError::TrainingQuota { most });
    }
    Ok(())
}

/// Whether `more` bytes of a user would exceed the quota: the user's own, or else that of the settings. 0 means no limit.
pub(super) async fn check_storage(
    transaction: &mut Transaction,
    (user_id, now_us): (i64, i64),
    own: &UserLimits,
    (more, quota): (u64, u64),
) -> Result<(), StoreError> {
    let quota = own.storage_quota_bytes.unwrap_or(quota);
    if quota > 0 {
        let used = stored_bytes(transaction, user_id, now_us).await?;
        if used.saturating_add(more) > quota {
            return Err(StoreError::StorageQuota { used, more, quota });
        }
    }
    Ok(())
}

/// Counts a job that is being accepted.
pub(super) async fn count_job(
    transaction: &mut Transaction,
    new: &NewJob,
    now_us: i64,
) -> Result<(), StoreError> {
    add(
        transaction,
        (new.user_id, day_of(now_us), new.spec.kind().as_str()),
        (1, to_sql(audio_ms(new))),
    )
    .await
}

/// What the end of a job means for its user's account: audio of a job that failed, or was cancelled before work on it started, does not
/// count; an unknown length becomes known with the result. Within the transaction that ends it.
pub(super) async fn settle_usage(
    transaction: &mut Transaction,
    job_id: i64,
    (old, new): (&JobState, &JobState),
) -> Result<(), StoreError> {
    let row = query(
        "SELECT user_id, kind, created_at_us, input_duration_s, input_key FROM jobs WHERE id = $1",
    )
    .bind(job_id)
    .fetch_one(&mut *transaction)
    .await?;
    let known_s: Option<f64> = row.try_get("input_duration_s")?;
    let has_input = row.try_get::<Option<String>>("input_key")?.is_some();
    let more_ms = match (old, new) {
        (_, JobState::Failed { .. }) | (JobState::Queued { .. }, JobState::Cancelled { .. }) => {
            -to_ms(known_s.unwrap_or(0.0))
        }
        (_, JobState::Succeeded { result, .. }) => {
            set_result_bytes(transaction, job_id, result).await?;
            if has_input && known_s.is_none() {
                to_ms(result.duration_s)
            } else {
                0
            }
        }
        _ => 0,
    };
    if more_ms == 0 {
        return Ok(());
    }
    let (kind, created_at_us): (String, i64) =
        (row.try_get("kind")?, row.try_get("created_at_us")?);
    let at = (
        row.try_get("user_id")?,
        day_of(created_at_us),
        kind.as_str(),
    );
    add(transaction, at, (0, more_ms)).await
}

/// Counts what the files of a result take up, those that are made.
pub(super) async fn set_result_bytes(
    transaction: &mut Transaction,
    job_id: i64,
    result: &JobResult,
) -> Result<(), StoreError> {
    query("UPDATE jobs SET result_bytes = $1 WHERE id = $2")
        .bind(to_sql(bytes_of(result)))
        .bind(job_id)
        .execute(transaction)
        .await?;
    Ok(())
}

/// What the files of a result take up, those that are made.
pub(super) fn bytes_of(result: &JobResult) -> u64 {
    // The package of a voice belongs to the voice, which outlives the result. A file with several roles exists once.
    let files = result.files.iter();
    let files = files.filter(|file| file.role != FileRole::Package);
    let files: BTreeMap<&str, u64> = files
        .filter_map(|file| Some((file.key.as_str(), file.content.as_ref()?.bytes)))
        .collect();
    files.values().sum()
}

async fn add(
    transaction: &mut Transaction,
    (user_id, day, kind): (i64, i64, &str),
    (jobs, audio_ms): (i64, i64),
) -> Result<(), StoreError> {
    query(
        "INSERT INTO usage_by_day (user_id, day, kind, jobs, audio_ms) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (user_id, day, kind) DO UPDATE SET \
         jobs = usage_by_day.jobs + excluded.jobs, audio_ms = usage_by_day.audio_ms + excluded.audio_ms",
    )
    .bind(user_id)
    .bind(day)
    .bind(kind)
    .bind(jobs)
    .bind(audio_ms)
    .execute(transaction)
    .await?;
    Ok(())
}

async fn stored_bytes(
    transaction: &mut Transaction,
    user_id: i64,
    now_us: i64,
) -> Result<u64, StoreError> {
    let bytes: i64 = query(STORED)
        .bind(user_id)
        .bind(now_us)
        .value(transaction)
        .await?;
    Ok(from_sql(bytes))
}

fn audio_ms(new: &NewJob) -> u64 {
    let input = new.input.as_ref().and_then(|input| input.duration_s);
    from_sql(to_ms(input.unwrap_or(0.0)))
}

fn to_ms(seconds: f64) -> i64 {
    (seconds * 1e3).round() as i64
}

fn day_of(at_us: i64) -> i64 {
    at_us.div_euclid(DAY_US)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::plan;

    #[tokio::test]
    async fn what_a_user_has_used_is_read_from_indexes_only() {
        for statement in [GIVEN_IN, BEGUN, BY_STATE, STORED] {
            let plan = plan(query(statement)).await;
            let reads = || plan.iter().filter(|step| !step.starts_with("SCAN i"));
            assert!(reads().any(|step| step.contains("INDEX")), "{plan:#?}");
            assert!(
                !reads().any(|step| step.starts_with("SCAN ") && !step.contains("CONSTANT")),
                "{plan:#?}"
            );
        }
    }
}
