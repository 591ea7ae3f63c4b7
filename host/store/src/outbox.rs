use serde_json::{Value, json};

use super::deliveries::{DeliveryAttempt, DeliveryRecord, DeliveryState, read};
use super::rows::{json as json_column, to_sql};
use super::webhooks::{endpoints, ensure_for_jobs, fail_pending};
use super::{Store, StoreError, secret};
use crate::sql::{Alone, Row, Transaction, query};
use vocalhost_job::JobState;

/// The name of the event of a webhook that is tried out.
pub const TEST_EVENT: &str = "webhook.test";

/// Every event that is told of jobs.
pub const JOB_EVENTS: [&str; 3] = ["job.success", "job.error", "job.cancelled"];

/// A delivery whose time has come, with everything that sending takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    /// The delivery.
    pub id: i64,
    /// The news' own id.
    pub message_id: String,
    /// What happened.
    pub event: String,
    /// When.
    pub created_at_us: i64,
    /// Where to.
    pub url: String,
    /// To which job.
    pub job_id: Option<i64>,
    /// What to say when there is nothing better.
    pub payload: Value,
    /// Tries so far, since it was made or replayed.
    pub tries: u32,
    /// What signs it; more than one while a secret is being changed.
    pub secrets: Vec<String>,
    /// The trace that the job belongs to.
    pub trace_parent: Option<String>,
}

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
    /// It is given up, and so is the endpoint unless something else came through meanwhile.
    EndpointDead {
        /// For the endpoint's owner.
        reason: String,
    },
    /// The receiver wants nothing any more: the endpoint is given up.
    EndpointGone {
        /// For the endpoint's owner.
        reason: String,
    },
}

impl Store {
    /// Returns when there may be something new to deliver. It only hints, like `job_due`.
    pub async fn webhook_due(&self) {
        self.news().notified().await;
    }

    /// The deliveries whose time has come, the longest due first: at most `per_webhook` of a webhook, so that none that
    /// hangs holds the others up, and at most `limit`.
    pub async fn due_deliveries(
        &self,
        per_webhook: u64,
        limit: u64,
        now_us: i64,
    ) -> Result<Vec<DueDelivery>, StoreError> {
        let rows = query(
            "SELECT d.id, d.message_id, d.event, d.created_at_us, COALESCE(d.url, w.url) AS url, d.job_id, d.payload, \
             d.tries, w.secret, CASE WHEN w.former_until_us > $1 THEN w.former_secret END AS former_secret, \
             (SELECT j.trace_parent FROM jobs j WHERE j.id = d.job_id) AS trace_parent \
             FROM webhooks w JOIN webhook_deliveries d ON d.webhook_id = w.id AND d.state = 'pending' \
             WHERE w.enabled AND d.next_attempt_us <= $1 AND d.id IN (SELECT n.id FROM webhook_deliveries n \
             WHERE n.webhook_id = w.id AND n.state = 'pending' AND n.next_attempt_us <= $1 \
             ORDER BY n.next_attempt_us, n.id LIMIT $2) ORDER BY d.next_attempt_us, d.id LIMIT $3",
        )
        .bind(now_us)
        .bind(to_sql(per_webhook))
        .bind(to_sql(limit))
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(due).collect()
    }

    /// Records a try and what follows from it, in one transaction.
    pub async fn record_attempt(
        &self,
        delivery_id: i64,
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
             next_attempt_us = COALESCE($3, next_attempt_us) WHERE id = $4 AND state = 'pending' \
             RETURNING webhook_id, created_at_us",
        )
        .bind(state.as_str())
        .bind((state != DeliveryState::Pending).then_some(now_us))
        .bind(next_us)
        .bind(delivery_id)
        .fetch_optional(&mut transaction)
        .await?;
        // Meanwhile it may have been forgotten or given up with its endpoint.
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

/// Within the transaction that ends a job: writes down who is to be told.
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

/// What a try means for the endpoint. The row that stands for the addresses of jobs is never given up: they are many.
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

fn due(row: &Row) -> Result<DueDelivery, StoreError> {
    let id = row.try_get("id")?;
    let secret: String = row.try_get("secret")?;
    let former: Option<String> = row.try_get("former_secret")?;
    Ok(DueDelivery {
        id,
        message_id: row.try_get("message_id")?,
        event: row.try_get("event")?,
        created_at_us: row.try_get("created_at_us")?,
        url: row.try_get("url")?,
        job_id: row.try_get("job_id")?,
        payload: json_column(row, "payload", "webhook_deliveries", id)?,
        tries: row.try_get("tries")?,
        secrets: std::iter::once(secret).chain(former).collect(),
        trace_parent: row.try_get("trace_parent")?,
    })
}
