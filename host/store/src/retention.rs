use super::again::again;
use super::rows::{json, optional_json, to_sql};
use super::{Store, StoreError, StoredInput, TrainingState};
use crate::sql::{Alone, Row, Transaction, query};
use vocalhost_job::JobResult;

/// Whether a job still needs a recording, as the one that it works on or as the one that goes under the result.
const NEEDS_INPUT: &str = "SELECT EXISTS (SELECT 1 FROM jobs WHERE input_key = $1 AND input_deleted_at_us IS NULL) \
     OR EXISTS (SELECT 1 FROM jobs WHERE backing_key = $1 AND input_deleted_at_us IS NULL)";

/// The value of the column for the recording under this key: one of several lies in a folder, which stands for all of them.
fn input_of(key: &str) -> &str {
    match key.rsplit_once('/') {
        Some((folder, _)) if folder.contains('/') => folder,
        _ => key,
    }
}

/// A job some part of which is old enough to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expired {
    /// The job.
    pub job_id: i64,
    /// Its recordings, those that no other job needs.
    pub input_keys: Vec<String>,
}

impl Expired {
    /// Of a row with the job's number and its recordings.
    pub(super) fn of(row: &Row) -> Result<Self, StoreError> {
        let job_id = row.try_get("id")?;
        let parts: Option<Vec<StoredInput>> = optional_json(row, "recordings", "jobs", job_id)?;
        let keys: [Option<String>; 2] = [row.try_get("input_key")?, row.try_get("backing_key")?];
        let input_keys = match parts {
            Some(parts) => parts.into_iter().map(|part| part.key).collect(),
            None => keys.into_iter().flatten().collect(),
        };
        Ok(Self { job_id, input_keys })
    }

    /// Of rows that were changed or deleted within this transaction.
    pub(super) async fn all_of(
        transaction: &mut Transaction,
        rows: &[Row],
    ) -> Result<Vec<Self>, StoreError> {
        let mut expired = Vec::with_capacity(rows.len());
        for row in rows {
            let mut one = Self::of(row)?;
            one.keep_unneeded(transaction).await?;
            expired.push(one);
        }
        Ok(expired)
    }

    /// Keeps only those recordings that no job needs, within the transaction that forgets the job.
    pub(super) async fn keep_unneeded(
        &mut self,
        transaction: &mut Transaction,
    ) -> Result<(), StoreError> {
        let mut unneeded = Vec::new();
        for key in std::mem::take(&mut self.input_keys) {
            let needed: bool = query(NEEDS_INPUT)
                .bind(input_of(&key))
                .value(&mut *transaction)
                .await?;
            if !needed {
                unneeded.push(key);
            }
        }
        self.input_keys = unneeded;
        Ok(())
    }
}

impl Store {
    /// Forgets the results of at most `limit` jobs that ended before `before_us`, and returns the jobs whose files may be deleted now. The
    /// records stay, without files.
    pub async fn expire_results(
        &self,
        before_us: i64,
        limit: u64,
        now_us: i64,
    ) -> Result<Vec<Expired>, StoreError> {
        again!(self.expire_results_once(before_us, limit, now_us))
    }

    async fn expire_results_once(
        &self,
        before_us: i64,
        limit: u64,
        now_us: i64,
    ) -> Result<Vec<Expired>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let rows = query(
            "SELECT id, result FROM jobs \
             WHERE result IS NOT NULL AND results_deleted_at_us IS NULL AND ended_at_us < $1 LIMIT $2",
        )
        .locking_free(&transaction)
        .bind(before_us)
        .bind(to_sql(limit))
        .fetch_all(&mut transaction)
        .await?;
        let mut expired = Vec::with_capacity(rows.len());
        for row in &rows {
            let job_id = row.try_get("id")?;
            let mut result: JobResult = json(row, "result", "jobs", job_id)?;
            result.files.clear();
            query("UPDATE jobs SET result = $1, results_deleted_at_us = $2 WHERE id = $3")
                .bind(serde_json::to_string(&result)?)
                .bind(now_us)
                .bind(job_id)
                .execute(&mut transaction)
                .await?;
            expired.push(Expired {
                job_id,
                input_keys: Vec::new(),
            });
        }
        transaction.commit().await?;
        Ok(expired)
    }

    /// Forgets the recordings of at most `limit` jobs that ended before `before_us`, and returns those that may be deleted now: recordings
    /// that another job still needs are not among them. The flag says whether there may be more to forget.
    pub async fn expire_inputs(
        &self,
        before_us: i64,
        limit: u64,
        now_us: i64,
    ) -> Result<(Vec<Expired>, bool), StoreError> {
        again!(self.expire_inputs_once(before_us, limit, now_us))
    }

    async fn expire_inputs_once(
        &self,
        before_us: i64,
        limit: u64,
        now_us: i64,
    ) -> Result<(Vec<Expired>, bool), StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let old = query(
            "UPDATE jobs SET input_deleted_at_us = $1 WHERE id IN (SELECT id FROM jobs \
             WHERE input_deleted_at_us IS NULL AND ended_at_us < $2 LIMIT $3",
        )
        .bind(now_us)
        .bind(before_us)
        .bind(to_sql(limit));
        // One that is just being tried again is left for the next time.
        let mut old = old.locking_free(&transaction);
        old.push(") RETURNING id, input_key, backing_key, recordings");
        let rows = old.fetch_all(&mut transaction).await?;
        let mut expired = Expired::all_of(&mut transaction, &rows).await?;
        expired.retain(|one| !one.input_keys.is_empty());
        transaction.commit().await?;
        Ok((expired, !rows.is_empty()))
    }

    /// Forgets at most `limit` jobs that ended before `before_us`, and returns whose files may be deleted now.
    pub async fn expire_records(
        &self,
        before_us: i64,
        limit: u64,
    ) -> Result<Vec<Expired>, StoreError> {
        again!(self.expire_records_once(before_us, limit))
    }

    async fn expire_records_once(
        &self,
        before_us: i64,
        limit: u64,
    ) -> Result<Vec<Expired>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let old = query(
            "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs \
             WHERE ended_at_us IS NOT NULL AND ended_at_us < $1 LIMIT $2",
        )
        .bind(before_us)
        .bind(to_sql(limit));
        let mut old = old.locking_free(&transaction);
        old.push(") RETURNING id, input_key, backing_key, recordings");
        let rows = old.fetch_all(&mut transaction).await?;
        let expired = Expired::all_of(&mut transaction, &rows).await?;
        transaction.commit().await?;
        Ok(expired)
    }

    /// Whether a job still needs the recording under this key.
    pub async fn needs_input(&self, input_key: &str) -> Result<bool, StoreError> {
        Ok(query(NEEDS_INPUT)
            .bind(input_of(input_key))
            .value(self.readers())
            .await?)
    }

    /// Whether the file `key` belongs to the result of the job, was made under its current lease, or is a test of a voice that it trains.
    pub async fn needs_result(&self, job_id: i64, key: &str) -> Result<bool, StoreError> {
        let row =
            query("SELECT id, result, lease_token, training, ended_at_us FROM jobs WHERE id = $1")
                .bind(job_id)
                .fetch_optional(self.readers())
                .await?;
        let Some(row) = row else {
            return Ok(false);
        };
        let training: Option<TrainingState> = optional_json(&row, "training", "jobs", job_id)?;
        let has_ended = row.try_get::<Option<i64>>("ended_at_us")?.is_some();
        if !has_ended && training.is_some_and(|training| training.names(key)) {
            return Ok(true);
        }
        if let Some(token) = row.try_get::<Option<String>>("lease_token")? {
            return Ok(key.split('/').any(|segment| segment == token));
        }
        let result: Option<JobResult> = optional_json(&row, "result", "jobs", job_id)?;
        Ok(result.is_some_and(|result| result.files.iter().any(|file| file.key == key)))
    }
}
