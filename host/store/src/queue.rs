use std::collections::BTreeMap;

use sqlx::{QueryBuilder, Row as _, Sqlite, SqliteConnection};

use super::change::{Held, held_columns};
use super::jobs::read_job;
use super::rows::to_sql;
use super::{JobRecord, Store, StoreError};
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

/// The choice between users: whoever has the fewest jobs running comes first, then whoever was not served for the
/// longest time; each with their own first job of the kind by priority and acceptance. The parts go around the values.
const CHOOSE_USERS: &str = "WITH candidates AS (SELECT u.id AS user_id, u.last_served_at_us, u.max_running, \
     (SELECT COUNT(*) FROM jobs r WHERE r.user_id = u.id AND r.state IN ('running', 'cancelling')) AS running, \
     (SELECT q.id FROM jobs q WHERE q.user_id = u.id AND q.state = 'queued' AND q.not_before_us <= ";
const CHOOSE_KIND: &str = " AND q.kind = ";
const CHOOSE_ORDER: &str = " ORDER BY q.priority DESC, q.id LIMIT 1) AS job_id \
     FROM users u WHERE u.id IN (SELECT DISTINCT w.user_id FROM jobs w WHERE w.state = 'queued' AND w.kind = ";
const CHOOSE_ROOM: &str = ")) \
     SELECT user_id, job_id FROM candidates WHERE job_id IS NOT NULL AND running < COALESCE(max_running, ";
const CHOOSE_FIRST: &str = ") ORDER BY running, last_served_at_us, job_id LIMIT 1";

impl Store {
    /// Claims the next job that is due, if there is one. It is running from then on, under the token of the claim.
    pub async fn claim(
        &self,
        claim: &Claim,
        now_us: i64,
    ) -> Result<Option<ClaimedJob>, StoreError> {
        let mut transaction = self.writing().await?;
        let Some((user_id, job_id)) = choose(&mut transaction, claim, now_us).await? else {
            return Ok(None);
        };
        let row = sqlx::query(concat!(
            "SELECT ",
            held_columns!(),
            " FROM jobs WHERE id = $1"
        ))
        .bind(job_id)
        .fetch_one(&mut *transaction)
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
        sqlx::query("UPDATE users SET last_served_at_us = $1 WHERE id = $2")
            .bind(now_us)
            .bind(user_id)
            .execute(&mut *transaction)
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

/// The user whose turn it is, and that user's next job.
async fn choose(
    connection: &mut SqliteConnection,
    claim: &Claim,
    now_us: i64,
) -> Result<Option<(i64, i64)>, StoreError> {
    let mut query = choice(claim, now_us);
    let row = query.build().fetch_optional(connection).await?;
    row.map(|row| Ok((row.try_get("user_id")?, row.try_get("job_id")?)))
        .transpose()
}

fn choice(claim: &Claim, now_us: i64) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::<Sqlite>::new(CHOOSE_USERS);
    query.push_bind(now_us).push(CHOOSE_KIND);
    query.push_bind(claim.kind.as_str()).push(CHOOSE_ORDER);
    query.push_bind(claim.kind.as_str()).push(CHOOSE_ROOM);
    query.push_bind(to_sql(claim.max_running_per_user));
    query.push(CHOOSE_FIRST);
    query
}

/// The package of a voice that the user may still use, and the one whose place it has taken: a voice that was everybody's may have
/// been taken back while the job waited.
async fn package_id(
    connection: &mut SqliteConnection,
    (voice_model_id, user_id): (i64, i64),
) -> Result<Option<(String, Option<String>)>, StoreError> {
    let usable = "SELECT package_id, earlier_package_id FROM voice_models \
                  WHERE id = $1 AND usable AND (owner_id IS NULL OR owner_id = $2)";
    Ok(sqlx::query_as(usable)
        .bind(voice_model_id)
        .bind(user_id)
        .fetch_optional(connection)
        .await?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::plan;

    #[tokio::test]
    async fn the_choice_of_the_next_job_reads_indexes_only() {
        let claim = Claim {
            kind: JobKind::VoiceConversion,
            lease_token: "token".to_owned(),
            lease_us: 1,
            max_running_per_user: 1,
        };
        let plan = plan(choice(&claim, 0).sql().as_str()).await;
        for part in ["q", "r", "w"] {
            let reads: Vec<_> = plan
                .iter()
                .filter(|step| step.split(' ').nth(1) == Some(part))
                .collect();
            assert!(!reads.is_empty(), "{plan:#?}");
            for step in reads {
                assert!(step.contains("INDEX jobs_"), "{step}");
            }
        }
    }
}
