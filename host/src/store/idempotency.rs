use sqlx::{Row as _, SqliteConnection, SqliteExecutor};

use super::{Store, StoreError};

/// How long the answer to a request is kept under its key: a day, as the interface promises.
const KEPT_US: i64 = 24 * 60 * 60 * 1_000_000;

/// The right to do a request under its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    /// Whose key it is.
    pub user_id: i64,
    /// The name of the operation.
    pub operation: String,
    /// The key that the client chose.
    pub key: String,
    /// Random, never used before.
    pub token: String,
}

/// What became of the wish to do a request under a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reserved {
    /// The key is ours until it is completed, released or too old.
    Ours,
    /// Somebody does a request under this key right now.
    InProgress,
    /// A request was done under this key.
    Done(KeptRequest),
}

/// A request that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRequest {
    /// What was asked.
    pub fingerprint: String,
    /// The job that it made.
    pub job_id: Option<i64>,
    /// The answer, once it was kept.
    pub answer: Option<KeptAnswer>,
}

/// An answer to give again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The `Location` header.
    pub location: Option<String>,
    /// The body, JSON.
    pub body: String,
}

/// Says what the answer to a request is, of what the request has made.
pub type AnswerOf<'a, T> = dyn Fn(&T) -> KeptAnswer + Send + Sync + 'a;

/// What is written when a request under a key was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The right to it.
    pub reservation: Reservation,
    /// What was asked.
    pub fingerprint: String,
}

impl Store {
    /// Reserves a key for a request until `until_us`, unless a request is being done or was done under it. What is too
    /// old counts as never having been.
    pub async fn reserve(
        &self,
        wanted: &Reservation,
        now_us: i64,
        until_us: i64,
    ) -> Result<Reserved, StoreError> {
        let mut transaction = self.writing().await?;
        let taken = sqlx::query(
            "INSERT INTO idempotency_keys AS k (user_id, operation, key, token, expires_at_us) \
             VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (user_id, operation, key) DO UPDATE SET token = excluded.token, \
             expires_at_us = excluded.expires_at_us, fingerprint = NULL, job_id = NULL, status = NULL, \
             location = NULL, body = NULL WHERE k.expires_at_us <= $6",
        )
        .bind(wanted.user_id)
        .bind(&wanted.operation)
        .bind(&wanted.key)
        .bind(&wanted.token)
        .bind(until_us)
        .bind(now_us)
        .execute(&mut *transaction)
        .await?;
        if taken.rows_affected() > 0 {
            transaction.commit().await?;
            return Ok(Reserved::Ours);
        }
        let row = sqlx::query(
            "SELECT fingerprint, job_id, status, location, body FROM idempotency_keys \
             WHERE user_id = $1 AND operation = $2 AND key = $3",
        )
        .bind(wanted.user_id)
        .bind(&wanted.operation)
        .bind(&wanted.key)
        .fetch_one(&mut *transaction)
        .await?;
        let Some(fingerprint) = row.try_get("fingerprint")? else {
            return Ok(Reserved::InProgress);
        };
        let status: Option<u16> = row.try_get("status")?;
        let body: Option<String> = row.try_get("body")?;
        let location = row.try_get("location")?;
        Ok(Reserved::Done(KeptRequest {
            fingerprint,
            job_id: row.try_get("job_id")?,
            answer: status.zip(body).map(|(status, body)| KeptAnswer {
                status,
                location,
                body,
            }),
        }))
    }

    /// Gives a reserved key back, unless its request was completed.
    pub async fn release(&self, reservation: &Reservation) -> Result<(), StoreError> {
        sqlx::query(
            "DELETE FROM idempotency_keys WHERE user_id = $1 AND operation = $2 AND key = $3 AND token = $4 \
             AND fingerprint IS NULL",
        )
        .bind(reservation.user_id)
        .bind(&reservation.operation)
        .bind(&reservation.key)
        .bind(&reservation.token)
        .execute(self.writer())
        .await?;
        Ok(())
    }

    /// Completes a request, if it was not, and keeps its answer. Nothing is kept when the key is somebody else's by now.
    pub async fn keep_answer(
        &self,
        done: &Completion,
        answer: &KeptAnswer,
        now_us: i64,
    ) -> Result<(), StoreError> {
        write_answer(self.writer(), done, answer, now_us).await?;
        Ok(())
    }

    /// Forgets the requests that are too old to be asked for again, and reservations that nobody came back for.
    pub async fn forget_requests(&self, now_us: i64) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM idempotency_keys WHERE expires_at_us <= $1")
            .bind(now_us)
            .execute(self.writer())
            .await?;
        Ok(())
    }

    /// Forgets every reservation: for a server that has just started and knows that it is the only one, so that whoever
    /// had them is dead.
    pub async fn forget_reservations(&self) -> Result<(), StoreError> {
        sqlx::query("DELETE FROM idempotency_keys WHERE fingerprint IS NULL")
            .execute(self.writer())
            .await?;
        Ok(())
    }
}

/// Completes a request within the transaction that does it. Without the reservation nothing must be done.
pub(super) async fn answered(
    connection: &mut SqliteConnection,
    done: &Completion,
    answer: &KeptAnswer,
    now_us: i64,
) -> Result<(), StoreError> {
    if write_answer(connection, done, answer, now_us).await? == 0 {
        return Err(StoreError::ReservationLost);
    }
    Ok(())
}

/// Gives the number of requests that it was the answer to: none when the key is somebody else's by now.
async fn write_answer(
    to: impl SqliteExecutor<'_>,
    done: &Completion,
    answer: &KeptAnswer,
    now_us: i64,
) -> Result<u64, StoreError> {
    let written = sqlx::query(
        "UPDATE idempotency_keys SET fingerprint = $1, status = $2, location = $3, body = $4, \
         expires_at_us = $5 WHERE user_id = $6 AND operation = $7 AND key = $8 AND token = $9",
    )
    .bind(&done.fingerprint)
    .bind(answer.status)
    .bind(&answer.location)
    .bind(&answer.body)
    .bind(now_us + KEPT_US)
    .bind(done.reservation.user_id)
    .bind(&done.reservation.operation)
    .bind(&done.reservation.key)
    .bind(&done.reservation.token)
    .execute(to)
    .await?;
    Ok(written.rows_affected())
}

/// Completes a request within the transaction that makes its job. Without the reservation there must be no job.
pub(super) async fn complete(
    connection: &mut SqliteConnection,
    done: &Completion,
    job_id: i64,
    now_us: i64,
) -> Result<(), StoreError> {
    let held = sqlx::query(
        "UPDATE idempotency_keys SET fingerprint = $1, job_id = $2, expires_at_us = $3 \
         WHERE user_id = $4 AND operation = $5 AND key = $6 AND token = $7 AND fingerprint IS NULL",
    )
    .bind(&done.fingerprint)
    .bind(job_id)
    .bind(now_us + KEPT_US)
    .bind(done.reservation.user_id)
    .bind(&done.reservation.operation)
    .bind(&done.reservation.key)
    .bind(&done.reservation.token)
    .execute(connection)
    .await?;
    if held.rows_affected() == 0 {
        return Err(StoreError::ReservationLost);
    }
    Ok(())
}
