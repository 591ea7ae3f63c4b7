use super::again::again;
use super::audit::note_done;
use super::change::{Held, held_columns};
use super::events::{EventKind, append, standing};
use super::jobs::read_job;
use super::rows::to_sql;
use super::usage::bytes_of;
use super::{Actor, Handled, JobRecord, Lease, Store, StoreError};
use crate::sql::{Alone, Transaction, query};
use vocalhost_job::{
    Event, Failure, FileRole, JobKind, JobResult, JobStage, JobState, Progress, next,
};

/// A step of progress that is worth an event of its own, in percent.
const PROGRESS_STEP_PERCENT: f64 = 5.0;

/// What became of the wish to cancel a job.
#[derive(Debug, Clone, PartialEq)]
pub enum CancelOutcome {
    /// There is no such job.
    Unknown,
    /// The job, cancelled or about to be.
    Accepted(Box<JobRecord>),
    /// The job had ended.
    Ended,
}

impl Store {
    /// Extends the lease to `now_us + lease_us`. A renewal that was sent earlier but arrives later does not shorten it.
    pub async fn renew(
        &self,
        lease: &Lease,
        lease_us: i64,
        now_us: i64,
    ) -> Result<Handled, StoreError> {
        let state: Option<String> = query(
            "UPDATE jobs SET lease_until_us = CASE WHEN lease_until_us > $1 THEN lease_until_us ELSE $1 END \
             WHERE id = $2 AND lease_token = $3 AND state IN ('running', 'cancelling') RETURNING state",
        )
        .bind(now_us + lease_us)
        .bind(lease.job_id)
        .bind(&lease.token)
        .optional_value(self.writers())
        .await?;
        Ok(handled(state.as_deref()))
    }

    /// Whether the lease still holds, without extending it; writes nothing.
    pub async fn look_at(&self, lease: &Lease) -> Result<Handled, StoreError> {
        let state: Option<String> = query(
            "SELECT state FROM jobs WHERE id = $1 AND lease_token = $2 AND state IN ('running', 'cancelling')",
        )
        .bind(lease.job_id)
        .bind(&lease.token)
        .optional_value(self.readers())
        .await?;
        Ok(handled(state.as_deref()))
    }

    /// Records how far the job is, with an event when the stage is new or the progress is large enough.
    pub async fn report_progress(
        &self,
        lease: &Lease,
        progress: &Progress,
        now_us: i64,
    ) -> Result<Handled, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let Some(held) = held_under(&mut transaction, lease).await? else {
            return Ok(Handled::LeaseLost);
        };
        let percent = progress.percent.clamp(held.progress.percent, 100.0);
        query("UPDATE jobs SET stage = $1, percent = $2 WHERE id = $3 AND lease_token = $4")
            .bind(progress.stage.as_str())
            .bind(percent)
            .bind(lease.job_id)
            .bind(&lease.token)
            .execute(&mut transaction)
            .await?;
        let steps = |percent: f64| (percent / PROGRESS_STEP_PERCENT).floor() as i64;
        let step =
            progress.stage != held.progress.stage || steps(percent) > steps(held.progress.percent);
        if step {
            let made = Progress {
                percent,
                ..*progress
            };
            let detail = standing(&held.state, made, serde_json::json!({}));
            append(
                &mut transaction,
                lease.job_id,
                EventKind::Progress,
                &detail,
                now_us,
            )
            .await?;
        }
        transaction.commit().await?;
        if step {
            self.announce_change(lease.job_id);
        }
        Ok(match held.state {
            JobState::Cancelling(_) => Handled::Cancelling,
            _ => Handled::Recorded,
        })
    }

    /// Ends the job in `success`, or, if it was asked to stop, in `cancelled`; then the result is dropped.
    pub async fn complete(
        &self,
        lease: &Lease,
        result: &JobResult,
        now_us: i64,
    ) -> Result<Handled, StoreError> {
        if self.is_shared() && again!(self.complete_at_once(lease, result, now_us))? {
            self.announce_change(lease.job_id);
            return Ok(Handled::Recorded);
        }
        self.report(lease, now_us, |_| Event::Completed {
            result: Box::new(result.clone()),
            at_us: now_us,
        })
        .await
    }

    /// Ends the job in `success` by one statement, if nothing else follows from its end: it runs, its user has no webhook to be told, the
    /// length of its sound was known before, and its result is no voice. `false`, and nothing written, for all others.
    async fn complete_at_once(
        &self,
        lease: &Lease,
        result: &JobResult,
        now_us: i64,
    ) -> Result<bool, StoreError> {
        if result
            .files
            .iter()
            .any(|file| file.role == FileRole::Package)
        {
            return Ok(false);
        }
        let state = JobState::Succeeded {
            result: Box::new(result.clone()),
            at_us: now_us,
        };
        let done = Progress {
            stage: JobStage::Done,
            percent: 100.0,
        };
        let detail = standing(&state, done, serde_json::json!({}));
        let told = query(
            "WITH ended AS (UPDATE jobs SET state = $1, lease_token = NULL, lease_until_us = NULL, stage = $2, percent = $3, \
             ended_at_us = $4, result = $5, result_bytes = $6 \
             WHERE id = $7 AND lease_token = $8 AND state = 'running' AND webhook_url IS NULL \
             AND (input_key IS NULL OR input_duration_s IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM webhooks w \
             WHERE w.user_id = jobs.user_id AND w.enabled AND w.url IS NOT NULL) RETURNING id) \
             INSERT INTO job_events (job_id, kind, at_us, detail) SELECT id, $9, $4, $10 FROM ended",
        )
        .bind(state.name())
        .bind(done.stage.as_str())
        .bind(done.percent)
        .bind(now_us)
        .bind(serde_json::to_string(result)?)
        .bind(to_sql(bytes_of(result)))
        .bind(lease.job_id)
        .bind(&lease.token)
        .bind(EventKind::Ended.as_str())
        .bind(detail.to_string())
        .execute(self.writers())
        .await?;
        Ok(told > 0)
    }

    /// Counts a failure of the job, which ends it unless it was a fault of ours that may mend.
    pub async fn fail(
        &self,
        lease: &Lease,
        failure: &Failure,
        now_us: i64,
    ) -> Result<Handled, StoreError> {
        self.report(lease, now_us, |held| {
            held.failures += 1;
            Event::Failed {
                failure: failure.clone(),
                failures: held.failures,
                at_us: now_us,
            }
        })
        .await
    }

    /// Counts a death of the worker; the job is tried again unless it was one too many.
    pub async fn worker_died(&self, lease: &Lease, now_us: i64) -> Result<Handled, StoreError> {
        self.report(lease, now_us, |held| held.died(now_us)).await
    }

    /// Puts the job back into the queue as if it had never been claimed.
    pub async fn hand_back(&self, lease: &Lease, now_us: i64) -> Result<Handled, StoreError> {
        self.report(lease, now_us, |_| Event::HandedBack { at_us: now_us })
            .await
    }

    /// Ends the job in `cancelled`, after it was asked to stop and its worker did.
    pub async fn stopped(&self, lease: &Lease, now_us: i64) -> Result<Handled, StoreError> {
        self.report(lease, now_us, |_| Event::Stopped { at_us: now_us })
            .await
    }

    /// Asks a job to stop: one that waits is cancelled at once, one at work soon.
    pub async fn cancel(
        &self,
        kind: JobKind,
        id: i64,
        now_us: i64,
    ) -> Result<CancelOutcome, StoreError> {
        self.ask_to_stop((id, Some(kind)), None, now_us).await
    }

    /// The same for an operator, whatever the job's kind; noted in the audit log in the same transaction.
    pub async fn cancel_any(
        &self,
        id: i64,
        actor: &Actor,
        now_us: i64,
    ) -> Result<CancelOutcome, StoreError> {
        self.ask_to_stop((id, None), Some(actor), now_us).await
    }

    async fn ask_to_stop(
        &self,
        job: (i64, Option<JobKind>),
        actor: Option<&Actor>,
        now_us: i64,
    ) -> Result<CancelOutcome, StoreError> {
        let outcome = again!(self.ask_to_stop_once(job, actor, now_us))?;
        if let CancelOutcome::Accepted(record) = &outcome {
            self.announce_change(record.id);
            self.announce_news();
        }
        Ok(outcome)
    }

    async fn ask_to_stop_once(
        &self,
        (id, kind): (i64, Option<JobKind>),
        actor: Option<&Actor>,
        now_us: i64,
    ) -> Result<CancelOutcome, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let row = query(concat!(
            "SELECT ",
            held_columns!(),
            " FROM jobs WHERE id = $1 AND kind = COALESCE($2, kind)"
        ))
        .locking(&transaction)
        .bind(id)
        .bind(kind.map(JobKind::as_str))
        .fetch_optional(&mut transaction)
        .await?;
        let Some(row) = row else {
            return Ok(CancelOutcome::Unknown);
        };
        let held = Held::read(&row)?;
        let Ok(state) = next(&held.state, Event::CancelRequested { at_us: now_us }) else {
            return Ok(CancelOutcome::Ended);
        };
        held.change_to(&mut transaction, &state, now_us).await?;
        if let Some(actor) = actor {
            let target = id.to_string();
            note_done(&mut transaction, actor, ("cancelAnyJob", &target), now_us).await?;
        }
        let record = read_job(&mut transaction, id)
            .await?
            .ok_or(sqlx::Error::RowNotFound)?;
        transaction.commit().await?;
        Ok(CancelOutcome::Accepted(Box::new(record)))
    }

    async fn report(
        &self,
        lease: &Lease,
        now_us: i64,
        event: impl Fn(&mut Held) -> Event + Sync,
    ) -> Result<Handled, StoreError> {
        let Some((old, new)) = again!(self.report_once(lease, now_us, &event))? else {
            return Ok(Handled::LeaseLost);
        };
        self.announce_change(lease.job_id);
        if matches!(new, JobState::Queued { .. }) {
            self.announce_due_job();
        } else {
            self.announce_news();
        }
        Ok(match old {
            JobState::Cancelling(_) => Handled::Cancelling,
            _ => Handled::Recorded,
        })
    }

    /// The state before and the one after, unless the lease was lost.
    async fn report_once(
        &self,
        lease: &Lease,
        now_us: i64,
        event: &(impl Fn(&mut Held) -> Event + Sync),
    ) -> Result<Option<(JobState, JobState)>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let Some(mut held) = held_under(&mut transaction, lease).await? else {
            return Ok(None);
        };
        let event = event(&mut held);
        let Ok(state) = next(&held.state, event) else {
            return Ok(None);
        };
        if !held.change_to(&mut transaction, &state, now_us).await? {
            return Ok(None);
        }
        transaction.commit().await?;
        Ok(Some((held.state, state)))
    }
}

pub(super) async fn held_under(
    transaction: &mut Transaction,
    lease: &Lease,
) -> Result<Option<Held>, StoreError> {
    let row = query(concat!(
        "SELECT ",
        held_columns!(),
        " FROM jobs WHERE id = $1 AND lease_token = $2 AND state IN ('running', 'cancelling')"
    ))
    .locking(transaction)
    .bind(lease.job_id)
    .bind(&lease.token)
    .fetch_optional(transaction)
    .await?;
    row.as_ref().map(Held::read).transpose()
}

fn handled(state: Option<&str>) -> Handled {
    match state {
        None => Handled::LeaseLost,
        Some("cancelling") => Handled::Cancelling,
        Some(_) => Handled::Recorded,
    }
}
