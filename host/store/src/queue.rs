use std::collections::BTreeMap;
use std::time::Duration;

use super::change::{Held, held_columns};
use super::choice::{Choice, choose};
use super::jobs::read_job;
use super::{JobRecord, Store, StoreError};
use crate::sql::{Alone, Transaction, query};
use vocalhost_job::{Event, JobKind, Run, Succession, next};

/// What a free worker is ready to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The kind of job: the queue to take from.
    pub kind: JobKind,
    /// Random, never used before.
    pub lease_token: String,
    /// How long the lease holds.
    pub lease_us: i64,
    /// How many jobs of one user may run at a time.
    pub max_running_per_user: u64,
}

/// A job that was claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedJob {
    /// The job, now running.
    pub record: JobRecord,
    /// What to show when reporting on it.
    pub lease: Lease,
    /// The ids of the packages of the voices that it works with, by the voice's number; those that cannot be used any
    /// more are missing.
    pub packages: BTreeMap<i64, String>,
    /// Those of the voices that have the numbers of earlier ones.
    pub successions: Vec<Succession>,
}

/// The right to report on a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The job.
    pub job_id: i64,
    /// The token of this claim.
    pub token: String,
}

/// What became of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handled {
    /// It was recorded, and the job goes on as it was asked to.
    Recorded,
    /// It was recorded, and the job is to be stopped.
    Cancelling,
    /// The lease was lost: nothing was recorded, and what was made must be dropped.
    LeaseLost,
}

/// How often a claim looks for a job while others take what it finds.
const LOOKS: u32 = 50;

impl Store {
    /// Claims the next job that is due, if there is one. It is running from then on, under the token of the claim.
    pub async fn claim(
        &self,
        claim: &Claim,
        now_us: i64,
    ) -> Result<Option<ClaimedJob>, StoreError> {
        for _ in 0..LOOKS {
            let mut transaction = self.writing(Alone::No).await?;
            match choose(&mut transaction, claim, now_us).await? {
                Choice::Job { user_id, job_id } => {
                    return self
                        .take(transaction, claim, (user_id, job_id), now_us)
                        .await;
                }
                Choice::Nothing => return Ok(None),
                Choice::Taken => drop(transaction),
            }
            // Not all at the same time again.
            tokio::time::sleep(Duration::from_millis(rand::random_range(1..20))).await;
        }
        // Whoever asks looks again by themselves.
        Ok(None)
    }

    /// Claims a job that was chosen within the transaction.
    async fn take(
        &self,
        mut transaction: Transaction,
        claim: &Claim,
        (user_id, job_id): (i64, i64),
        now_us: i64,
    ) -> Result<Option<ClaimedJob>, StoreError> {
        let row = query(concat!(
            "SELECT ",
            held_columns!(),
            " FROM jobs WHERE id = $1"
        ))
        .bind(job_id)
        .fetch_one(&mut transaction)
        .await?;
        let held = Held::read(&row)?;
        let attempt: u32 = row.try_get("attempt")?;
        let run = Run {
            attempt: attempt + 1,
            lease_token: claim.lease_token.clone(),
            lease_until_us: now_us + claim.lease_us,
        };
        let Ok(running) = next(&held.state, Event::Claimed(run)) else {
            return Ok(None);
        };
        if !held.change_to(&mut transaction, &running, now_us).await? {
            return Ok(None);
        }
        query("UPDATE users SET last_served_at_us = $1 WHERE id = $2")
            .bind(now_us)
            .bind(user_id)
            .execute(&mut transaction)
            .await?;
        let record = read_job(&mut transaction, job_id)
            .await?
            .ok_or(sqlx::Error::RowNotFound)?;
        let (mut packages, mut successions) = (BTreeMap::new(), Vec::new());
        for id in record.spec.voice_models() {
            let found = package_id(&mut transaction, (id, user_id)).await?;
            let Some((package, earlier)) = found else {
                continue;
            };
            successions.extend(earlier.map(|earlier| Succession {
                model_id: id,
                earlier,
                later: package.clone(),
            }));
            packages.insert(id, package);
        }
        transaction.commit().await?;
        self.announce_change(job_id);
        Ok(Some(ClaimedJob {
            lease: Lease {
                job_id,
                token: claim.lease_token.clone(),
            },
            record,
            packages,
            successions,
        }))
    }
}

/// The package of a voice that the user may still use, and the one whose place it has taken: a voice that was everybody's may have
/// been taken back while the job waited.
async fn package_id(
    transaction: &mut Transaction,
    (voice_model_id, user_id): (i64, i64),
) -> Result<Option<(String, Option<String>)>, StoreError> {
    let usable = "SELECT package_id, earlier_package_id FROM voice_models \
                  WHERE id = $1 AND usable AND (owner_id IS NULL OR owner_id = $2)";
    let row = query(usable)
        .bind(voice_model_id)
        .bind(user_id)
        .fetch_optional(transaction)
        .await?;
    row.map(|row| {
        Ok((
            row.try_get("package_id")?,
            row.try_get("earlier_package_id")?,
        ))
    })
    .transpose()
}
