use serde_json::{Value, json};

use super::StoreError;
use super::blends::settle_voice;
use super::events::{EventKind, append, standing};
use super::job_rows::{job_progress, job_state};
use super::outbox::tell_of_end;
use super::usage::settle_usage;
use crate::sql::{Row, Transaction, query};
use vocalhost_job::{Event, JobStage, JobState, Progress};

/// A job as a change of it needs to know it.
pub(super) struct Held {
    pub(super) id: i64,
    pub(super) state: JobState,
    pub(super) progress: Progress,
    /// Failures of ours so far.
    pub(super) failures: u32,
    /// Deaths of workers so far.
    pub(super) deaths: u32,
    /// Leases that ran out so far.
    pub(super) expiries: u32,
}

/// What `Held::read` reads of `jobs`.
macro_rules! held_columns {
    () => {
        "id, state, queued_since_us, not_before_us, attempt, lease_token, lease_until_us, failures, deaths, \
         expiries, stage, percent, ended_at_us, result, failure"
    };
}
pub(super) use held_columns;

impl Held {
    pub(super) fn read(row: &Row) -> Result<Self, StoreError> {
        Ok(Self {
            id: row.try_get("id")?,
            state: job_state(row)?,
            progress: job_progress(row)?,
            failures: row.try_get("failures")?,
            deaths: row.try_get("deaths")?,
            expiries: row.try_get("expiries")?,
        })
    }

    /// Counts a death of the worker.
    pub(super) fn died(&mut self, at_us: i64) -> Event {
        self.deaths += 1;
        Event::WorkerDied {
            deaths: self.deaths,
            at_us,
        }
    }

    /// Counts a lease that ran out.
    pub(super) fn expired(&mut self, at_us: i64) -> Event {
        self.expiries += 1;
        Event::Expired {
            expiries: self.expiries,
            at_us,
        }
    }

    fn token(&self) -> Option<&str> {
        self.state.run().map(|run| run.lease_token.as_str())
    }

    /// Writes that the job is now in the state `new`, with the event for it. `false`, and nothing written, when the row
    /// has changed since it was read.
    pub(super) async fn change_to(
        &self,
        transaction: &mut Transaction,
        new: &JobState,
        at_us: i64,
    ) -> Result<bool, StoreError> {
        let (failure, result) = match new {
            JobState::Failed { failure, .. } => (Some(serde_json::to_string(failure)?), None),
            JobState::Succeeded { result, .. } => (None, Some(serde_json::to_string(result)?)),
            JobState::Queued { .. }
            | JobState::Running(_)
            | JobState::Cancelling(_)
            | JobState::Cancelled { .. } => (None, None),
        };
        let queued = match new {
            JobState::Queued {
                since_us,
                not_before_us,
            } => Some((*since_us, *not_before_us)),
            _ => None,
        };
        let progress = self.progress_in(new);
        let changed = query(
            "UPDATE jobs SET state = $1, queued_since_us = COALESCE($2, queued_since_us), \
             not_before_us = COALESCE($3, not_before_us), attempt = COALESCE($4, attempt), \
             lease_token = $5, lease_until_us = $6, failures = $7, deaths = $8, stage = $9, percent = $10, \
             ended_at_us = $11, result = $12, failure = $13, started_at_us = COALESCE($17, started_at_us), \
             expiries = $18 WHERE id = $14 AND state = $15 AND lease_token IS NOT DISTINCT FROM $16",
        )
        .bind(new.name())
        .bind(queued.map(|(since_us, _)| since_us))
        .bind(queued.map(|(_, not_before_us)| not_before_us))
        .bind(new.run().map(|run| run.attempt))
        .bind(new.run().map(|run| run.lease_token.as_str()))
        .bind(new.run().map(|run| run.lease_until_us))
        .bind(self.failures)
        .bind(self.deaths)
        .bind(progress.stage.as_str())
        .bind(progress.percent)
        .bind(new.ended_at_us())
        .bind(result)
        .bind(failure)
        .bind(self.id)
        .bind(self.state.name())
        .bind(self.token())
        .bind(self.is_start(new).then_some(at_us))
        .bind(self.expiries)
        .execute(&mut *transaction)
        .await?;
        if changed == 0 {
            return Ok(false);
        }
        if let Some((kind, more)) = event_of(&self.state, new) {
            let detail = standing(new, progress, more);
            append(transaction, self.id, kind, &detail, at_us).await?;
        }
        settle_voice(transaction, self.id, new).await?;
        tell_of_end(transaction, self.id, new, at_us).await?;
        if new.ended_at_us().is_some() {
            settle_usage(transaction, self.id, (&self.state, new)).await?;
        }
        Ok(true)
    }

    fn is_start(&self, new: &JobState) -> bool {
        matches!(
            (&self.state, new),
            (JobState::Queued { .. }, JobState::Running(_))
        )
    }

    fn progress_in(&self, new: &JobState) -> Progress {
        let start = |stage| Progress {
            stage,
            percent: 0.0,
        };
        match (&self.state, new) {
            (_, JobState::Queued { .. }) => start(JobStage::Queued),
            (JobState::Queued { .. }, JobState::Running(_)) => start(JobStage::Decoding),
            (_, JobState::Succeeded { .. }) => Progress {
                stage: JobStage::Done,
                percent: 100.0,
            },
            // For a failed job, too, it is worth knowing how far it came.
            (_, JobState::Failed { .. } | JobState::Cancelled { .. }) => Progress {
                stage: JobStage::Done,
                percent: self.progress.percent,
            },
            (_, JobState::Running(_) | JobState::Cancelling(_)) => self.progress,
        }
    }
}

fn event_of(old: &JobState, new: &JobState) -> Option<(EventKind, Value)> {
    match new {
        JobState::Queued { .. } => Some((EventKind::Requeued, json!({}))),
        JobState::Running(run) => matches!(old, JobState::Queued { .. })
            .then(|| (EventKind::Started, json!({ "attempt": run.attempt }))),
        JobState::Cancelling(_) => {
            matches!(old, JobState::Running(_)).then(|| (EventKind::Cancelling, json!({})))
        }
        JobState::Failed { failure, .. } => Some((EventKind::Ended, json!({ "error": failure }))),
        JobState::Succeeded { .. } | JobState::Cancelled { .. } => {
            Some((EventKind::Ended, json!({})))
        }
    }
}
