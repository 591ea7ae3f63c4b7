use serde_json::Value;

use super::again::again;
use super::rows::{from_sql, json as json_column, to_sql};
use super::{Store, StoreError};
use crate::sql::{Alone, Row, query};

/// Whether anything is due, found out without locking anything. The claim looks closer.
const IS_DUE: &str = "SELECT EXISTS (SELECT 1 FROM webhooks w JOIN webhook_deliveries d ON d.webhook_id = w.id \
     WHERE w.enabled AND d.state = 'pending' AND d.next_attempt_us <= $1 AND d.claimed_until_us <= $1)";

/// How many deliveries to the webhook `w` are under way at the moment `$1`, by any server.
macro_rules! under_way {
    () => {
        "(SELECT COUNT(*) FROM webhook_deliveries c WHERE c.webhook_id = w.id AND c.claim_token IS NOT NULL \
         AND c.state = 'pending' AND c.claimed_until_us > $1)"
    };
}

/// What is due and unclaimed, for each webhook with room for more, longest due first.
const DUE: &str = concat!(
    "SELECT d.id, d.webhook_id, d.message_id, d.event, d.created_at_us, COALESCE(d.url, w.url) AS url, d.job_id, \
     d.payload, d.tries, w.secret, CASE WHEN w.former_until_us > $1 THEN w.former_secret END AS former_secret, \
     (SELECT j.trace_parent FROM jobs j WHERE j.id = d.job_id) AS trace_parent, ",
    under_way!(),
    " AS under_way FROM webhooks w JOIN webhook_deliveries d ON d.webhook_id = w.id AND d.state = 'pending' \
     WHERE w.enabled AND d.next_attempt_us <= $1 AND d.claimed_until_us <= $1 AND ",
    under_way!(),
    " < $2 AND d.id IN (SELECT n.id FROM webhook_deliveries n WHERE n.webhook_id = w.id AND n.state = 'pending' \
     AND n.next_attempt_us <= $1 AND n.claimed_until_us <= $1 ORDER BY n.next_attempt_us, n.id LIMIT $2) \
     ORDER BY d.next_attempt_us, d.id LIMIT $3"
);

/// Skips deliveries whose outcome is being recorded.
const HOLD: &str = " FOR UPDATE OF d SKIP LOCKED";

/// A delivery whose time has come, with everything that sending takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    /// The delivery.
    pub id: i64,
    /// The webhook that it goes to.
    pub webhook_id: i64,
    /// The message's own id.
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
    /// The secrets that sign it; more than one while a secret is being changed.
    pub secrets: Vec<String>,
    /// The trace that the job belongs to.
    pub trace_parent: Option<String>,
}

/// Who wants to make deliveries, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryClaim<'a> {
    /// Random; whoever reports on what was claimed must show it.
    pub token: &'a str,
    /// How long the claim holds.
    pub for_us: i64,
    /// At most as many for one webhook at a time, over all servers, so that a webhook that hangs does not delay the others.
    pub per_webhook: u64,
    /// At most as many in all.
    pub limit: u64,
}

impl Store {
    /// Claims deliveries whose time has come, the longest due first. Until the claim ends nobody else can claim them.
    pub async fn claim_deliveries(
        &self,
        claim: &DeliveryClaim<'_>,
        now_us: i64,
    ) -> Result<Vec<DueDelivery>, StoreError> {
        let is_due = query(IS_DUE).bind(now_us).value(self.readers());
        if claim.limit == 0 || !is_due.await? {
            return Ok(Vec::new());
        }
        again!(self.claim_deliveries_once(claim, now_us))
    }

    async fn claim_deliveries_once(
        &self,
        claim: &DeliveryClaim<'_>,
        now_us: i64,
    ) -> Result<Vec<DueDelivery>, StoreError> {
        // It counts what others have claimed.
        let mut transaction = self.writing(Alone::Deliverers).await?;
        let mut due = query(DUE)
            .bind(now_us)
            .bind(to_sql(claim.per_webhook))
            .bind(to_sql(claim.limit));
        due.push(if transaction.is_shared() { HOLD } else { "" });
        let mut claimed: Vec<DueDelivery> = Vec::new();
        for row in due.fetch_all(&mut transaction).await? {
            let delivery = read(&row)?;
            let of_it = claimed
                .iter()
                .filter(|other| other.webhook_id == delivery.webhook_id);
            let under_way = from_sql(row.try_get("under_way")?);
            if under_way + (of_it.count() as u64) < claim.per_webhook {
                claimed.push(delivery);
            }
        }
        for delivery in &claimed {
            query("UPDATE webhook_deliveries SET claim_token = $1, claimed_until_us = $2 WHERE id = $3")
                .bind(claim.token)
                .bind(now_us.saturating_add(claim.for_us))
                .bind(delivery.id)
                .execute(&mut transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(claimed)
    }

    /// Gives back what was claimed under a token and not recorded. Without a token, gives back all claims: for a server that has just
    /// started and knows that it is the only one.
    pub async fn release_deliveries(&self, token: Option<&str>) -> Result<(), StoreError> {
        query(
            "UPDATE webhook_deliveries SET claim_token = NULL, claimed_until_us = 0 \
             WHERE claim_token IS NOT NULL AND claim_token = COALESCE($1, claim_token)",
        )
        .bind(token)
        .execute(self.writers())
        .await?;
        Ok(())
    }
}

fn read(row: &Row) -> Result<DueDelivery, StoreError> {
    let id = row.try_get("id")?;
    let secret: String = row.try_get("secret")?;
    let former: Option<String> = row.try_get("former_secret")?;
    Ok(DueDelivery {
        id,
        webhook_id: row.try_get("webhook_id")?,
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
