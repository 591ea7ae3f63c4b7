use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, SqliteConnection};

use super::audit::note_done;
use super::change::{Held, held_columns};
use super::models::{ModelRecord, model_columns, model_record};
use super::users::read_user;
use super::{Actor, Expired, Store, StoreError};
use vocalhost_job::{Event, next};

/// Whether a user other than $1 has a key that works and may manage the server.
const OTHER_ADMIN: &str = "SELECT EXISTS (SELECT 1 FROM api_keys k JOIN users u ON u.id = k.user_id \
     WHERE k.user_id <> $1 AND u.disabled_at_us IS NULL AND k.revoked_at_us IS NULL \
     AND (k.expires_at_us IS NULL OR k.expires_at_us > $2) AND k.scopes LIKE '%admin%')";

/// Whether user $1 has such a key.
const IS_ADMIN: &str = "SELECT EXISTS (SELECT 1 FROM api_keys k JOIN users u ON u.id = k.user_id \
     WHERE k.user_id = $1 AND u.disabled_at_us IS NULL AND k.revoked_at_us IS NULL \
     AND (k.expires_at_us IS NULL OR k.expires_at_us > $2) AND k.scopes LIKE '%admin%')";

/// What hangs on a user, those first that nothing hangs on. Deliveries, events and tags go along by themselves.
const BELONGINGS: [&str; 9] = [
    "DELETE FROM webhooks WHERE user_id = $1",
    "DELETE FROM idempotency_keys WHERE user_id = $1",
    "DELETE FROM uploads WHERE user_id = $1",
    "DELETE FROM pipelines WHERE owner_id = $1",
    "DELETE FROM usage_by_day WHERE user_id = $1",
    "DELETE FROM api_keys WHERE user_id = $1",
    "DELETE FROM voice_models WHERE owner_id = $1",
    // What was made public stays everybody's, and can go back to nobody.
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
    /// The keys of the files of the user's voices.
    pub voice_keys: Vec<String>,
    /// The ids of uploads.
    pub uploads: Vec<String>,
}

impl Store {
    /// Deletes a user with all keys, jobs, voices, pipelines, webhooks and uploads, and says whose files may go. Voices
    /// that were made public stay, and so does the audit log, and whoever alone may manage the server.
    pub async fn remove_user(
        &self,
        id: i64,
        actor: &Actor,
        now_us: i64,
    ) -> Result<UserRemoval, StoreError> {
        let mut transaction = self.writing().await?;
        let Some(user) = read_user(&mut transaction, id).await? else {
            return Ok(UserRemoval::Unknown);
        };
        if is_last_admin(&mut transaction, id, now_us).await? {
            return Err(StoreError::LastAdmin);
        }
        let stopping = stop_jobs(&mut transaction, id, now_us).await?;
        if !stopping.is_empty() {
            if user.disabled_at_us.is_none() {
                sqlx::query("UPDATE users SET disabled_at_us = $1 WHERE id = $2")
                    .bind(now_us)
                    .bind(id)
                    .execute(&mut *transaction)
                    .await?;
                let deed = ("disableUser", user.name.as_str());
                note_done(&mut transaction, actor, deed, now_us).await?;
            }
            transaction.commit().await?;
            for job in stopping {
                self.announce_change(job);
            }
            return Ok(UserRemoval::Stopping);
        }
        let removed = take_away(&mut transaction, id).await?;
        note_done(&mut transaction, actor, ("deleteUser", &user.name), now_us).await?;
        transaction.commit().await?;
        for job in &removed.jobs {
            self.announce_change(job.job_id);
        }
        Ok(UserRemoval::Removed(removed))
    }
}

/// Whether anybody has a key that works and may manage the server.
pub(super) async fn has_admin(
    connection: &mut SqliteConnection,
    now_us: i64,
) -> Result<bool, StoreError> {
    // Numbers of users begin at 1.
    let asked = sqlx::query_scalar(OTHER_ADMIN).bind(0_i64).bind(now_us);
    Ok(asked.fetch_one(connection).await?)
}

/// Whether nobody but user `id` has a key that works and may manage the server.
pub(super) async fn is_last_admin(
    connection: &mut SqliteConnection,
    id: i64,
    now_us: i64,
) -> Result<bool, StoreError> {
    let ask = async |connection: &mut SqliteConnection, question: &'static str| {
        let asked = sqlx::query_scalar::<_, bool>(question)
            .bind(id)
            .bind(now_us);
        asked.fetch_one(connection).await
    };
    Ok(ask(connection, IS_ADMIN).await? && !ask(connection, OTHER_ADMIN).await?)
}

/// Asks every job of a user to stop, and gives those that a worker still has to let go of.
async fn stop_jobs(
    connection: &mut SqliteConnection,
    user_id: i64,
    now_us: i64,
) -> Result<Vec<i64>, StoreError> {
    let rows = sqlx::query(concat!(
        "SELECT ",
        held_columns!(),
        " FROM jobs WHERE user_id = $1 AND ended_at_us IS NULL"
    ))
    .bind(user_id)
    .fetch_all(&mut *connection)
    .await?;
    let held: Vec<Held> = rows.iter().map(Held::read).collect::<Result<_, _>>()?;
    let at_work = |job: &&Held| job.state.run().is_some();
    let at_work: Vec<i64> = held.iter().filter(at_work).map(|job| job.id).collect();
    // Without one at work the jobs that wait go with the user, at once.
    if !at_work.is_empty() {
        for job in &held {
            if let Ok(state) = next(&job.state, Event::CancelRequested { at_us: now_us }) {
                job.change_to(connection, &state, now_us).await?;
            }
        }
    }
    Ok(at_work)
}

/// Deletes a user whose jobs are not at work.
async fn take_away(
    connection: &mut SqliteConnection,
    user_id: i64,
) -> Result<RemovedUser, StoreError> {
    let list = async |connection: &mut SqliteConnection, statement: &'static str| {
        let rows = sqlx::query(statement).bind(user_id).fetch_all(connection);
        rows.await
    };
    let jobs = "SELECT id, input_key, backing_key FROM jobs WHERE user_id = $1";
    let jobs = list(connection, jobs).await?;
    let voices = concat!(
        "SELECT ",
        model_columns!(),
        " FROM voice_models m WHERE m.owner_id = $1"
    );
    let voices = list(connection, voices).await?;
    let voices: Vec<ModelRecord> = voices.iter().map(model_record).collect::<Result<_, _>>()?;
    let uploads = list(connection, "SELECT id FROM uploads WHERE user_id = $1").await?;
    for statement in BELONGINGS
        .into_iter()
        .chain(["DELETE FROM users WHERE id = $1"])
    {
        sqlx::query(statement)
            .bind(user_id)
            .execute(&mut *connection)
            .await?;
    }
    Ok(RemovedUser {
        jobs: Expired::all_of(connection, &jobs).await?,
        voice_keys: voices.iter().flat_map(ModelRecord::file_keys).collect(),
        uploads: first_of_each(&uploads)?,
    })
}

fn first_of_each<T>(rows: &[SqliteRow]) -> Result<Vec<T>, sqlx::Error>
where
    T: for<'r> sqlx::Decode<'r, sqlx::Sqlite> + sqlx::Type<sqlx::Sqlite>,
{
    rows.iter().map(|row| row.try_get(0)).collect()
}
