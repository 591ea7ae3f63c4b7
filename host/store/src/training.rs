use serde::{Deserialize, Serialize};
use serde_json::json;

use super::change::standing;
use super::events::{EventKind, append};
use super::reports::held_under;
use super::retention::Expired;
use super::rows::optional_json;
use super::{Handled, Lease, Store, StoreError};
use crate::sql::{Alone, Transaction, query};
use vocalhost_job::{FileContent, FileRole, JobState, ResultFile, TrainingStep};

/// How many checkpoints of a training are kept: one that turns out to be damaged has one before it.
const KEPT_CHECKPOINTS: usize = 2;

/// How far a training is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrainingState {
    /// What was measured every few steps, in their order.
    pub curve: Vec<TrainingStep>,
    /// Tests of the voice, each after some of the steps, in their order.
    pub heard: Vec<ResultFile>,
    /// Where a training can be gone on from, the latest last.
    pub checkpoints: Vec<Checkpoint>,
}

/// What a training can be gone on from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The last step that was reported before it.
    pub step: u32,
    /// Where it lies in the file store.
    pub key: String,
    /// What is in it.
    pub content: FileContent,
}

/// What is new of a training.
#[derive(Debug, Clone, PartialEq)]
pub enum TrainingNews {
    /// Some more steps were taken.
    Step(TrainingStep),
    /// A test of the voice as it is, published.
    Heard(ResultFile),
    /// A checkpoint, published.
    Checkpoint(Checkpoint),
}

impl TrainingState {
    /// Takes in what is new, and gives the keys of files that are of no more use. What an attempt that was cut off had reported beyond
    /// its last checkpoint is reported once more, and takes the place of what was there.
    pub fn note(&mut self, news: TrainingNews) -> Vec<String> {
        let mut unneeded = Vec::new();
        match news {
            TrainingNews::Step(step) => {
                self.curve.retain(|known| known.step < step.step);
                self.curve.push(step);
            }
            TrainingNews::Heard(file) => {
                let is_later = |known: &mut ResultFile| after(known.role) >= after(file.role);
                let later = self.heard.extract_if(.., is_later).map(|known| known.key);
                unneeded.extend(later.filter(|key| *key != file.key));
                self.heard.push(file);
            }
            TrainingNews::Checkpoint(checkpoint) => {
                self.checkpoints.retain(|known| known.key != checkpoint.key);
                self.checkpoints.push(checkpoint);
                let more = self.checkpoints.len().saturating_sub(KEPT_CHECKPOINTS);
                unneeded.extend(self.checkpoints.drain(..more).map(|known| known.key));
            }
        }
        unneeded
    }

    /// The step of the last checkpoint.
    fn reached(&self) -> Option<u32> {
        self.checkpoints.last().map(|checkpoint| checkpoint.step)
    }

    /// Whether one of its files lies there.
    pub(super) fn names(&self, key: &str) -> bool {
        let heard = self.heard.iter().map(|file| &file.key);
        let checkpoints = self.checkpoints.iter().map(|checkpoint| &checkpoint.key);
        heard.chain(checkpoints).any(|known| known == key)
    }
}

/// After how many steps a test was made.
fn after(role: FileRole) -> u32 {
    match role {
        FileRole::Heard(step) => step,
        _ => 0,
    }
}

impl Store {
    /// Notes what is new of a training, under the lease of its attempt; steps are an event, too. Gives the keys of files that are of no
    /// more use.
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

    /// Forgets the recordings of a job that has ended, before their time, and says which may be deleted now: those that no other job
    /// needs.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn content() -> FileContent {
        FileContent {
            bytes: 1,
            sha256: String::new(),
            crc32: None,
        }
    }

    fn step(step: u32) -> TrainingNews {
        TrainingNews::Step(TrainingStep {
            step,
            steps: 100,
            loss: 1.0,
            held_out_loss: None,
            eta_s: 0.0,
        })
    }

    fn checkpoint(step: u32, key: &str) -> TrainingNews {
        TrainingNews::Checkpoint(Checkpoint {
            step,
            key: key.to_owned(),
            content: content(),
        })
    }

    fn heard(step: u32, key: &str) -> TrainingNews {
        TrainingNews::Heard(ResultFile {
            role: FileRole::Heard(step),
            key: key.to_owned(),
            content: Some(content()),
        })
    }

    #[test]
    fn what_an_attempt_says_again_takes_the_place_of_what_an_earlier_one_said() {
        let mut state = TrainingState::default();
        for at in [10, 20, 30, 40, 30, 40] {
            assert!(state.note(step(at)).is_empty());
        }
        let steps: Vec<u32> = state.curve.iter().map(|step| step.step).collect();
        assert_eq!(steps, [10, 20, 30, 40]);
        assert!(state.note(heard(30, "a")).is_empty());
        assert!(state.note(heard(100, "b")).is_empty());
        assert_eq!(state.note(heard(100, "c")), ["b"]);
        let keys: Vec<&str> = state.heard.iter().map(|file| file.key.as_str()).collect();
        assert_eq!(keys, ["a", "c"]);
    }

    #[test]
    fn two_checkpoints_are_kept() {
        let mut state = TrainingState::default();
        assert!(state.note(checkpoint(10, "a")).is_empty());
        assert!(state.note(checkpoint(20, "b")).is_empty());
        assert!(state.note(checkpoint(20, "b")).is_empty());
        assert_eq!(state.note(checkpoint(30, "c")), ["a"]);
        assert!(state.names("b") && state.names("c") && !state.names("a"));
    }
}
