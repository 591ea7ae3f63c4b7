use serde_json::json;

use super::events::{EventKind, append, standing};
use super::reports::held_under;
use super::retention::Expired;
use super::rows::optional_json;
use super::training_state::{TrainingNews, TrainingState};
use super::{Handled, Lease, Store, StoreError};
use crate::sql::{Alone, Transaction, query};
use vocalhost_job::JobState;

impl Store {
    /// Stores news of a training, under the lease of its attempt; steps also become an event. Returns the keys of files that are no longer
    /// needed.
    pub async fn report_training(
        &self,
        lease: &Lease,
        news: TrainingNews,
        now_us: i64,
    ) -> Result<(Handled, Vec<String>), StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let Some(held) = held_under(&mut transaction, lease).await? else {
            return Ok((Handled::LeaseLost, Vec::new()));
        };
        let mut state = read_state(&mut transaction, lease.job_id).await?;
        let step = match &news {
            TrainingNews::Step(step) => Some(*step),
            TrainingNews::Heard(_) | TrainingNews::Checkpoint(_) => None,
        };
        let reached = state.reached();
        let unneeded = state.note(news);
        if state.reached() > reached {
            // It gets on, however often it was cut off before.
            query("UPDATE jobs SET failures = 0, deaths = 0, expiries = 0 WHERE id = $1")
                .bind(lease.job_id)
                .execute(&mut transaction)
                .await?;
        }
        query("UPDATE jobs SET training = $1 WHERE id = $2 AND lease_token = $3")
            .bind(serde_json::to_string(&state)?)
            .bind(lease.job_id)
            .bind(&lease.token)
            .execute(&mut transaction)
            .await?;
        if let Some(step) = step {
            let more = json!({
                "step": step.step,
                "steps": step.steps,
                "loss": step.loss,
                "heldOutLoss": step.held_out_loss,
                "etaS": step.eta_s,
            });
            let detail = standing(&held.state, held.progress, more);
            let of = (lease.job_id, EventKind::Progress);
            append(&mut transaction, of.0, of.1, &detail, now_us).await?;
        }
        transaction.commit().await?;
        self.announce_change(lease.job_id);
        let handled = match held.state {
            JobState::Cancelling(_) => Handled::Cancelling,
            _ => Handled::Recorded,
        };
        Ok((handled, unneeded))
    }

    /// Forgets the recordings of an ended job early, and returns those that may be deleted now because no other job needs them.
    pub async fn forget_recordings(
        &self,
        job_id: i64,
        now_us: i64,
    ) -> Result<Vec<String>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let rows = query(
            "UPDATE jobs SET input_deleted_at_us = $1 WHERE id = $2 AND input_deleted_at_us IS NULL \
             AND ended_at_us IS NOT NULL RETURNING id, input_key, backing_key, recordings",
        )
        .bind(now_us)
        .bind(job_id)
        .fetch_all(&mut transaction)
        .await?;
        let expired = Expired::all_of(&mut transaction, &rows).await?;
        transaction.commit().await?;
        Ok(expired.into_iter().flat_map(|one| one.input_keys).collect())
    }

    /// Whether a training that has not ended still needs the file under this key.
    pub async fn needs_training_file(&self, job_id: i64, key: &str) -> Result<bool, StoreError> {
        let mut transaction = self.reading().await?;
        let row = query("SELECT id, training FROM jobs WHERE id = $1 AND ended_at_us IS NULL")
            .bind(job_id)
            .fetch_optional(&mut transaction)
            .await?;
        let Some(row) = row else {
            return Ok(false);
        };
        let state: Option<TrainingState> = optional_json(&row, "training", "jobs", job_id)?;
        Ok(state.is_some_and(|state| state.names(key)))
    }
}

async fn read_state(
    transaction: &mut Transaction,
    job_id: i64,
) -> Result<TrainingState, StoreError> {
    let row = query("SELECT training FROM jobs WHERE id = $1")
        .bind(job_id)
        .fetch_one(transaction)
        .await?;
    Ok(optional_json(&row, "training", "jobs", job_id)?.unwrap_or_default())
}
