use super::{Store, StoreError};
use crate::sql::{Alone, On, Statement, Transaction, query};

/// How long the answer to a request is kept under its idempotency key: a day, as the interface promises.
const KEPT_US: i64 = 24 * 60 * 60 * 1_000_000;

/// The right to do a request under its idempotency key.
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

/// The outcome of reserving a key for a request.
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

/// Makes the answer to a request from what the request has made.
pub type AnswerOf<'a, T> = dyn Fn(&T) -> KeptAnswer + Send + Sync + 'a;

/// What is written once a request under a key has been done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The right to it.
    pub reservation: Reservation,
    /// What was asked.
    pub fingerprint: String,
}

impl Store {
    /// Reserves a key for a request until `until_us`, unless a request with this key is under way or done. Entries that are too old are
    /// ignored.
    pub async fn reserve(
        &self,
        wanted: &Reservation,
        now_us: i64,
        until_us: i64,
    ) -> Result<Reserved, StoreError> {
        loop {
            // The key may have been given back just after it was found taken.
            if let Some(reserved) = self.reserve_once(wanted, now_us, until_us).await? {
                return Ok(reserved);
            }
        }
    }

    /// `None` when the key was given back meanwhile.
    async fn reserve_once(
        &self,
        wanted: &Reservation,
        now_us: i64,
        until_us: i64,
    ) -> Result<Option<Reserved>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let taken = query(
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
        .execute(&mut transaction)
        .await?;
        if taken > 0 {
            transaction.commit().await?;
            return Ok(Some(Reserved::Ours));
        }
        let row = query(
            "SELECT fingerprint, job_id, status, location, body FROM idempotency_keys \
             WHERE user_id = $1 AND operation = $2 AND key = $3",
        )
        .bind(wanted.user_id)
        .bind(&wanted.operation)
        .bind(&wanted.key)
        .fetch_optional(&mut transaction)
        .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let Some(fingerprint) = row.try_get("fingerprint")? else {
            return Ok(Some(Reserved::InProgress));
        };
        let status: Option<u16> = row.try_get("status")?;
        let body: Option<String> = row.try_get("body")?;
        let location = row.try_get("location")?;
        Ok(Some(Reserved::Done(KeptRequest {
            fingerprint,
            job_id: row.try_get("job_id")?,
            answer: status.zip(body).map(|(status, body)| KeptAnswer {
                status,
                location,
                body,
            }),
        })))
    }

    /// Gives a reserved key back, unless its request was completed.
    pub async fn release(&self, reservation: &Reservation) -> Result<(), StoreError> {
        let given_back = of(
            reservation,
            "DELETE FROM idempotency_keys WHERE user_id = $1 AND operation = $2 AND key = $3 AND token = $4 \
             AND fingerprint IS NULL",
        );
        given_back.execute(self.writers()).await?;
        Ok(())
    }

    /// Completes a request, if it is not complete yet, and keeps its answer. Keeps nothing when somebody else has the key by now.
    pub async fn keep_answer(
        &self,
        done: &Completion,
        answer: &KeptAnswer,
        now_us: i64,
    ) -> Result<(), StoreError> {
        write_answer(self.writers(), done, answer, now_us).await?;
        Ok(())
    }

    /// Forgets requests that are too old to be repeated, and reservations that were never completed.
    pub async fn forget_requests(&self, now_us: i64) -> Result<(), StoreError> {
        query("DELETE FROM idempotency_keys WHERE expires_at_us <= $1")
            .bind(now_us)
            .execute(self.writers())
            .await?;
        Ok(())
    }

    /// Forgets every reservation: for a server that has just started and knows that it is the only one, so that all holders are dead.
    pub async fn forget_reservations(&self) -> Result<(), StoreError> {
        query("DELETE FROM idempotency_keys WHERE fingerprint IS NULL")
            .execute(self.writers())
            .await?;
        Ok(())
    }
}

/// Completes a request within the transaction that does it. Without the reservation that must do nothing.
pub(super) async fn answered(
    transaction: &mut Transaction,
    done: &Completion,
    answer: &KeptAnswer,
    now_us: i64,
) -> Result<(), StoreError> {
    let written = write_answer(transaction, done, answer, now_us).await?;
    held(written)
}

/// Writes nothing when somebody else has the key by now.
async fn write_answer(
    to: impl Into<On<'_>>,
    done: &Completion,
    answer: &KeptAnswer,
    now_us: i64,
) -> Result<u64, StoreError> {
    let written = of(
        &done.reservation,
        "UPDATE idempotency_keys SET fingerprint = $5, expires_at_us = $6, status = $7, location = $8, body = $9 \
         WHERE user_id = $1 AND operation = $2 AND key = $3 AND token = $4",
    )
    .bind(&done.fingerprint)
    .bind(now_us + KEPT_US)
    .bind(answer.status)
    .bind(&answer.location)
    .bind(&answer.body);
    Ok(written.execute(to).await?)
}

/// Completes a request within the transaction that makes its job. Without the reservation there must be no job.
pub(super) async fn complete(
    transaction: &mut Transaction,
    done: &Completion,
    job_id: i64,
    now_us: i64,
) -> Result<(), StoreError> {
    let completed = of(
        &done.reservation,
        "UPDATE idempotency_keys SET fingerprint = $5, expires_at_us = $6, job_id = $7 \
         WHERE user_id = $1 AND operation = $2 AND key = $3 AND token = $4 AND fingerprint IS NULL",
    )
    .bind(&done.fingerprint)
    .bind(now_us + KEPT_US)
    .bind(job_id);
    held(completed.execute(transaction).await?)
}

/// A statement whose first four parameters say which reservation it is about.
fn of(reservation: &Reservation, statement: &'static str) -> Statement {
    query(statement)
        .bind(reservation.user_id)
        .bind(&reservation.operation)
        .bind(&reservation.key)
        .bind(&reservation.token)
}

/// Fails when the reservation was not found.
fn held(written: u64) -> Result<(), StoreError> {
    if written == 0 {
        return Err(StoreError::ReservationLost);
    }
    Ok(())
}
