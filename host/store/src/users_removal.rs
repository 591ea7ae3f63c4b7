use super::admins::is_last_admin;
use super::again::again;
use super::audit::note_done;
use super::change::{Held, held_columns};
use super::live::keys_of;
use super::models::{ModelRecord, model_columns, model_record};
use super::users::read_user;
use super::{Actor, Expired, Store, StoreError};
use crate::sql::{Alone, Transaction, query};
use vocalhost_job::{Event, next};

/// Rows that depend on a user, in the order of deletion. Deliveries, events and tags are deleted along with them.
const BELONGINGS: [&str; 10] = [
    "DELETE FROM live_conversions WHERE user_id = $1",
    "DELETE FROM webhooks WHERE user_id = $1",
    "DELETE FROM idempotency_keys WHERE user_id = $1",
    "DELETE FROM uploads WHERE user_id = $1",
    "DELETE FROM pipelines WHERE owner_id = $1",
    "DELETE FROM usage_by_day WHERE user_id = $1",
    "DELETE FROM api_keys WHERE user_id = $1",
    "DELETE FROM voice_models WHERE owner_id = $1",
    // A voice that was made public stays public, and can no longer be given back to anybody.
    "UPDATE voice_models SET published_from = NULL WHERE published_from = $1",
    "DELETE FROM jobs WHERE user_id = $1",
];

/// What became of the wish to delete a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UserRemoval {
    /// There is no such user.
    Unknown,
    /// Jobs of the user are at work. They are being stopped, and the user is disabled: ask again in a moment.
    Stopping,
    /// The user is gone, and these files may go.
    Removed(RemovedUser),
}

/// The files that a deleted user leaves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemovedUser {
    /// The jobs.
    pub jobs: Vec<Expired>,
    /// The keys of the files of the user's voices, and of recordings of live conversions.
    pub keys: Vec<String>,
    /// The ids of uploads.
    pub uploads: Vec<String>,
}

impl Store {
    /// Deletes a user with all keys, jobs, voices, pipelines, webhooks and uploads, and returns whose files may be
    /// deleted. Public voices and the audit log stay. The only user who can manage the server cannot be removed.
    pub async fn remove_user(
        &self,
        id: i64,
        actor: &Actor,
        now_us: i64,
    ) -> Result<UserRemoval, StoreError> {
        let (outcome, changed) = again!(self.remove_user_once(id, actor, now_us))?;
        for job in changed {
            self.announce_change(job);
        }
        Ok(outcome)
    }

    /// What became of it, and the jobs that it changed.
    async fn remove_user_once(
        &self,
        id: i64,
        actor: &Actor,
        now_us: i64,
    ) -> Result<(UserRemoval, Vec<i64>), StoreError> {
        let mut transaction = self.writing(Alone::Everybody).await?;
        let Some(user) = read_user(&mut transaction, id).await? else {
            return Ok((UserRemoval::Unknown, Vec::new()));
        };
        if is_last_admin(&mut transaction, id, now_us).await? {
            return Err(StoreError::LastAdmin);
        }
        let stopping = stop_jobs(&mut transaction, id, now_us).await?;
        if !stopping.is_empty() {
            if user.disabled_at_us.is_none() {
                query("UPDATE users SET disabled_at_us = $1 WHERE id = $2")
                    .bind(now_us)
                    .bind(id)
                    .execute(&mut transaction)
                    .await?;
                let deed = ("disableUser", user.name.as_str());
                note_done(&mut transaction, actor, deed, now_us).await?;
            }
            transaction.commit().await?;
            return Ok((UserRemoval::Stopping, stopping));
        }
        let removed = take_away(&mut transaction, id).await?;
        note_done(&mut transaction, actor, ("deleteUser", &user.name), now_us).await?;
        transaction.commit().await?;
        let gone = removed.jobs.iter().map(|job| job.job_id).collect();
        Ok((UserRemoval::Removed(removed), gone))
    }
}

/// Asks every job of a user to stop, and returns those that a worker still has.
async fn stop_jobs(
    transaction: &mut Transaction,
    user_id: i64,
    now_us: i64,
) -> Result<Vec<i64>, StoreError> {
    let rows = query(concat!(
        "SELECT ",
        held_columns!(),
        " FROM jobs WHERE user_id = $1 AND ended_at_us IS NULL ORDER BY id"
    ))
    .locking(transaction)
    .bind(user_id)
    .fetch_all(&mut *transaction)
    .await?;
    let held: Vec<Held> = rows.iter().map(Held::read).collect::<Result<_, _>>()?;
    let at_work = |job: &&Held| job.state.run().is_some();
    let at_work: Vec<i64> = held.iter().filter(at_work).map(|job| job.id).collect();
    // If none is at work, the waiting jobs are deleted with the user, at once.
    if !at_work.is_empty() {
        for job in &held {
            if let Ok(state) = next(&job.state, Event::CancelRequested { at_us: now_us }) {
                job.change_to(transaction, &state, now_us).await?;
            }
        }
    }
    Ok(at_work)
}

/// Deletes a user whose jobs are not at work.
async fn take_away(transaction: &mut Transaction, user_id: i64) -> Result<RemovedUser, StoreError> {
    let list = async |transaction: &mut Transaction, statement: &'static str| {
        let rows = query(statement).bind(user_id).fetch_all(transaction);
        rows.await
    };
    let jobs = "SELECT id, input_key, backing_key, recordings FROM jobs WHERE user_id = $1";
    let jobs = list(transaction, jobs).await?;
    let voices = concat!(
        "SELECT ",
        model_columns!(),
        " FROM voice_models m WHERE m.owner_id = $1"
    );
    let voices = list(transaction, voices).await?;
    let voices: Vec<ModelRecord> = voices.iter().map(model_record).collect::<Result<_, _>>()?;
    let uploads = list(transaction, "SELECT id FROM uploads WHERE user_id = $1").await?;
    let lives =
        "SELECT id, recorded FROM live_conversions WHERE user_id = $1 AND recorded IS NOT NULL";
    let lives = list(transaction, lives).await?;
    for statement in BELONGINGS
        .into_iter()
        .chain(["DELETE FROM users WHERE id = $1"])
    {
        query(statement)
            .bind(user_id)
            .execute(&mut *transaction)
            .await?;
    }
    let uploads = uploads.iter().map(|row| row.try_get(0));
    let mut keys: Vec<String> = voices.iter().flat_map(ModelRecord::file_keys).collect();
    keys.extend(keys_of(&lives)?);
    Ok(RemovedUser {
        jobs: Expired::all_of(transaction, &jobs).await?,
        keys,
        uploads: uploads.collect::<Result<_, _>>()?,
    })
}
