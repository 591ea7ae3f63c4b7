use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::again::again;
use super::choice::{Look, is_due, taking};
use super::events::{EventKind, append, standing};
use super::job_rows::job_record;
use super::{JobRecord, Store, StoreError};
use crate::sql::{Alone, query};
use vocalhost_job::{JobKind, Succession};

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
    /// The moment just before the claim was sent to the database: from then on the lease holds at least as long as it says.
    pub asked_at: Instant,
    /// The ids of the packages of the voices that it works with, by the voice's number; voices that can no longer be used are missing.
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
    /// The lease was lost: nothing was recorded, and the caller must drop its work.
    LeaseLost,
}

/// How often a claim looks for a job again while others take what it finds.
const LOOKS: u32 = 50;

/// What there is to claim.
enum Choice {
    /// The job that was next.
    Job(Box<ClaimedJob>),
    /// No job is due.
    Nothing,
    /// One is due, but others are about to take it, or another job of its user.
    Taken,
}

impl Store {
    /// Claims the next due job, if there is one. It is running from then on, under the token of the claim.
    pub async fn claim(
        &self,
        claim: &Claim,
        now_us: i64,
    ) -> Result<Option<ClaimedJob>, StoreError> {
        // Alone, nobody comes in between, so that one look says it all.
        let (mut look, looks) = if self.is_shared() {
            (Look::Quick, LOOKS)
        } else {
            (Look::Thorough, 1)
        };
        for _ in 0..looks {
            match again!(self.claim_once(claim, look, now_us))? {
                Choice::Job(job) => {
                    self.announce_change(job.lease.job_id);
                    return Ok(Some(*job));
                }
                Choice::Nothing => break,
                Choice::Taken => {}
            }
            if look == Look::Thorough {
                // Not all at the same time again.
                tokio::time::sleep(Duration::from_millis(rand::random_range(1..20))).await;
            }
            look = Look::Thorough;
        }
        // Whoever asks looks again by themselves.
        Ok(None)
    }

    async fn claim_once(
        &self,
        claim: &Claim,
        look: Look,
        now_us: i64,
    ) -> Result<Choice, StoreError> {
        let asked_at = Instant::now();
        let is_shared = self.is_shared();
        let taken = taking(claim, self.node(), (look, is_shared), now_us);
        if is_shared {
            let Some(row) = taken.fetch_optional(self.writers()).await? else {
                let is_taken = is_due(self.writers(), claim, now_us).await?;
                return Ok(if is_taken {
                    Choice::Taken
                } else {
                    Choice::Nothing
                });
            };
            return self.claimed(claim, job_record(&row)?, asked_at).await;
        }
        let mut transaction = self.writing(Alone::No).await?;
        let Some(row) = taken.fetch_optional(&mut transaction).await? else {
            return Ok(Choice::Nothing);
        };
        let record = job_record(&row)?;
        let run = record.state.run().ok_or(sqlx::Error::RowNotFound)?;
        let more = serde_json::json!({ "attempt": run.attempt });
        let detail = standing(&record.state, record.progress, more);
        append(
            &mut transaction,
            record.id,
            EventKind::Started,
            &detail,
            now_us,
        )
        .await?;
        transaction.commit().await?;
        self.claimed(claim, record, asked_at).await
    }

    /// A job that was just claimed, with the present packages of its voices. If they cannot be read, its lease runs out.
    async fn claimed(
        &self,
        claim: &Claim,
        record: JobRecord,
        asked_at: Instant,
    ) -> Result<Choice, StoreError> {
        let (mut packages, mut successions) = (BTreeMap::new(), Vec::new());
        for id in record.spec.voice_models() {
            let found = self.package_id((id, record.user_id)).await?;
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
        Ok(Choice::Job(Box::new(ClaimedJob {
            lease: Lease {
                job_id: record.id,
                token: claim.lease_token.clone(),
            },
            asked_at,
            record,
            packages,
            successions,
        })))
    }

    /// The package of a voice that the user may still use, and the one that it replaced: a public voice may have been taken back while the
    /// job waited.
    async fn package_id(
        &self,
        (voice_model_id, user_id): (i64, i64),
    ) -> Result<Option<(String, Option<String>)>, StoreError> {
        let usable = "SELECT package_id, earlier_package_id FROM voice_models \
                      WHERE id = $1 AND usable AND (owner_id IS NULL OR owner_id = $2)";
        let row = query(usable)
            .bind(voice_model_id)
            .bind(user_id)
            .fetch_optional(self.readers())
            .await?;
        row.map(|row| {
            Ok((
                row.try_get("package_id")?,
                row.try_get("earlier_package_id")?,
            ))
        })
        .transpose()
    }
}
