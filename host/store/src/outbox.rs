use serde_json::{Value, json};

use super::again::again;
use super::deliveries::{DeliveryAttempt, DeliveryRecord, DeliveryState, read};
use super::rows::to_sql;
use super::webhooks::{endpoints, ensure_for_jobs, fail_pending};
use super::{Store, StoreError, secret};
use crate::sql::{Alone, Transaction, query};
use vocalhost_job::JobState;

/// The name of the event of a webhook that is tried out.
pub const TEST_EVENT: &str = "webhook.test";

/// Every event that is told of jobs.
pub const JOB_EVENTS: [&str; 3] = ["job.success", "job.error", "job.cancelled"];

/// What follows a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AfterAttempt {
    /// The receiver has it.
    Delivered,
    /// It is tried again then.
    Again {
        /// When.
        at_us: i64,
    },
    /// It is given up.
    GivenUp,
    /// The delivery is given up. So is the endpoint, unless another delivery succeeded meanwhile.
    EndpointDead {
        /// For the endpoint's owner.
        reason: String,
    },
    /// The receiver wants no more deliveries: the endpoint is given up.
    EndpointGone {
        /// For the endpoint's owner.
        reason: String,
    },
}

impl Store {
    /// Returns when there may be something new to deliver. Only a hint, like `job_due`.
    pub async fn webhook_due(&self) {
        self.news().notified().await;
    }

    /// Records a try and its consequences, in one transaction; nothing when the claim under which it was made has passed to another.
    pub async fn record_attempt(
        &self,
        claimed: (i64, &str),
        attempt: &DeliveryAttempt,
        after: &AfterAttempt,
        now_us: i64,
    ) -> Result<(), StoreError> {
        again!(self.record_attempt_once(claimed, attempt, after, now_us))
    }

    async fn record_attempt_once(
        &self,
        (delivery_id, token): (i64, &str),
        attempt: &DeliveryAttempt,
        after: &AfterAttempt,
        now_us: i64,
    ) -> Result<(), StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let (state, next_us) = match after {
            AfterAttempt::Delivered => (DeliveryState::Delivered, None),
            AfterAttempt::Again { at_us } => (DeliveryState::Pending, Some(*at_us)),
            AfterAttempt::GivenUp
            | AfterAttempt::EndpointDead { .. }
            | AfterAttempt::EndpointGone { .. } => (DeliveryState::Failed, None),
        };
        let row = query(
            "UPDATE webhook_deliveries SET state = $1, tries = tries + 1, ended_at_us = $2, \
             next_attempt_us = COALESCE($3, next_attempt_us), claim_token = NULL, claimed_until_us = 0 \
             WHERE id = $4 AND state = 'pending' AND claim_token = $5 RETURNING webhook_id, created_at_us",
        )
        .bind(state.as_str())
        .bind((state != DeliveryState::Pending).then_some(now_us))
        .bind(next_us)
        .bind(delivery_id)
        .bind(token)
        .fetch_optional(&mut transaction)
        .await?;
        // Meanwhile the delivery may have been forgotten, given up with its endpoint, or claimed by another.
        let Some(row) = row else {
            return Ok(());
        };
        insert_attempt(&mut transaction, delivery_id, attempt).await?;
        let webhook = (row.try_get("webhook_id")?, row.try_get("created_at_us")?);
        settle_endpoint(&mut transaction, webhook, after, now_us).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Sends something that means nothing, to try a webhook out.
    pub async fn test_webhook(
        &self,
        webhook_id: i64,
        now_us: i64,
    ) -> Result<DeliveryRecord, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let news = News {
            message_id: secret::draw_message_id()?,
            event: TEST_EVENT,
            job_id: None,
            payload: json!({ "webhookId": webhook_id }),
            at_us: now_us,
        };
        let id = news.write(&mut transaction, webhook_id, None).await?;
        let made = read(&mut transaction, webhook_id, id).await?;
        transaction.commit().await?;
        self.announce_news();
        Ok(made.ok_or(sqlx::Error::RowNotFound)?)
    }
}

/// Something that happened, to be told.
struct News {
    message_id: String,
    event: &'static str,
    job_id: Option<i64>,
    payload: Value,
    at_us: i64,
}

impl News {
    async fn write(
        &self,
        transaction: &mut Transaction,
        webhook_id: i64,
        url: Option<&str>,
    ) -> Result<i64, StoreError> {
        Ok(query(
            "INSERT INTO webhook_deliveries (webhook_id, message_id, event, url, job_id, payload, state, \
             next_attempt_us, created_at_us) VALUES ($1, $2, $3, $4, $5, $6, 'pending', $7, $7) RETURNING id",
        )
        .bind(webhook_id)
        .bind(&self.message_id)
        .bind(self.event)
        .bind(url)
        .bind(self.job_id)
        .bind(self.payload.to_string())
        .bind(self.at_us)
        .value(transaction)
        .await?)
    }
}

/// Writes the deliveries for the end of a job, within the transaction that ends it.
pub(super) async fn tell_of_end(
    transaction: &mut Transaction,
    job_id: i64,
    new: &JobState,
    at_us: i64,
) -> Result<(), StoreError> {
    let event = match new {
        JobState::Succeeded { .. } => JOB_EVENTS[0],
        JobState::Failed { .. } => JOB_EVENTS[1],
        JobState::Cancelled { .. } => JOB_EVENTS[2],
        JobState::Queued { .. } | JobState::Running(_) | JobState::Cancelling(_) => return Ok(()),
    };
    let job = query("SELECT user_id, kind, webhook_url FROM jobs WHERE id = $1")
        .bind(job_id)
        .fetch_one(&mut *transaction)
        .await?;
    let user_id: i64 = job.try_get("user_id")?;
    let kind: String = job.try_get("kind")?;
    let own_url: Option<String> = job.try_get("webhook_url")?;
    let endpoints = endpoints(transaction, user_id).await?;
    if endpoints.is_empty() && own_url.is_none() {
        return Ok(());
    }
    let news = News {
        message_id: secret::draw_message_id()?,
        event,
        job_id: Some(job_id),
        payload: json!({ "kind": kind, "id": job_id, "status": new.status().as_str() }),
        at_us,
    };
    for endpoint in endpoints {
        if endpoint.events.is_empty() || endpoint.events.iter().any(|wanted| wanted == event) {
            news.write(transaction, endpoint.id, None).await?;
        }
    }
    if let Some(url) = own_url {
        let for_jobs = ensure_for_jobs(transaction, user_id, at_us).await?;
        if for_jobs.enabled {
            news.write(transaction, for_jobs.id, Some(&url)).await?;
        }
    }
    Ok(())
}

async fn insert_attempt(
    transaction: &mut Transaction,
    delivery_id: i64,
    attempt: &DeliveryAttempt,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO webhook_attempts (delivery_id, at_us, duration_ms, status, error, answer) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(delivery_id)
    .bind(attempt.at_us)
    .bind(to_sql(attempt.duration_ms))
    .bind(attempt.status)
    .bind(&attempt.error)
    .bind(&attempt.answer)
    .execute(transaction)
    .await?;
    Ok(())
}

/// What a try means for the endpoint. The row that stands for the addresses of jobs is never given up, since it stands for many.
async fn settle_endpoint(
    transaction: &mut Transaction,
    (webhook_id, since_us): (i64, i64),
    after: &AfterAttempt,
    now_us: i64,
) -> Result<(), StoreError> {
    let (reason, since_us) = match after {
        AfterAttempt::Delivered => {
            query("UPDATE webhooks SET last_success_at_us = $1 WHERE id = $2")
                .bind(now_us)
                .bind(webhook_id)
                .execute(transaction)
                .await?;
            return Ok(());
        }
        AfterAttempt::Again { .. } | AfterAttempt::GivenUp => return Ok(()),
        AfterAttempt::EndpointDead { reason } => (reason, since_us),
        AfterAttempt::EndpointGone { reason } => (reason, i64::MAX),
    };
    let disabled = query(
        "UPDATE webhooks SET enabled = FALSE, disabled_reason = $1 WHERE id = $2 AND url IS NOT NULL AND enabled \
         AND (last_success_at_us IS NULL OR last_success_at_us < $3)",
    )
    .bind(reason)
    .bind(webhook_id)
    .bind(since_us)
    .execute(&mut *transaction)
    .await?;
    if disabled > 0 {
        fail_pending(transaction, webhook_id, now_us).await?;
    }
    Ok(())
}
