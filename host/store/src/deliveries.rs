use super::page::{listing, page_of};
use super::rows::{damaged, from_sql, to_sql};
use super::{Page, Store, StoreError};
use crate::sql::{Alone, Row, Statement, Transaction, query};

/// What `delivery` reads of `webhook_deliveries`.
const COLUMNS: &str = "SELECT id, webhook_id, message_id, event, job_id, state, tries, next_attempt_us, created_at_us, \
     ended_at_us";

/// Goes on with the number of the webhook.
const OF_WEBHOOK: &str = " FROM webhook_deliveries WHERE webhook_id = ";

/// Where a delivery stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// It will be tried, or tried again.
    Pending,
    /// The receiver has it.
    Delivered,
    /// It was given up.
    Failed,
}

impl DeliveryState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Pending, Self::Delivered, Self::Failed];

    /// The word that is stored and shown.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }
}

/// A message on its way to one receiver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// Its number; never given twice.
    pub id: i64,
    /// Where it goes.
    pub webhook_id: i64,
    /// The message's own id, the same for every receiver and every try.
    pub message_id: String,
    /// What happened.
    pub event: String,
    /// To which job.
    pub job_id: Option<i64>,
    /// Its state.
    pub state: DeliveryState,
    /// When it is tried next, while it is pending.
    pub next_attempt_us: i64,
    /// When it happened.
    pub created_at_us: i64,
    /// When it was delivered or given up.
    pub ended_at_us: Option<i64>,
    /// Every try, oldest first.
    pub attempts: Vec<DeliveryAttempt>,
}

/// One try.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// When it began.
    pub at_us: i64,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// The status of the answer, when there was one.
    pub status: Option<u16>,
    /// What went wrong, when there was none.
    pub error: Option<String>,
    /// The beginning of the answer.
    pub answer: Option<String>,
}

impl Store {
    /// How many deliveries are still to be made.
    pub async fn webhook_backlog(&self) -> Result<u64, StoreError> {
        let count: i64 = query("SELECT COUNT(*) FROM webhook_deliveries WHERE state = 'pending'")
            .value(self.readers())
            .await?;
        Ok(from_sql(count))
    }

    /// A page of a webhook's past and pending deliveries, in the order of their events.
    pub async fn deliveries(
        &self,
        webhook_id: i64,
        descending: bool,
        place: (u64, u64),
    ) -> Result<Page<DeliveryRecord>, StoreError> {
        let mut transaction = self.reading().await?;
        let heads = ["SELECT COUNT(*)", COLUMNS];
        let of_webhook = |one: &mut Statement| {
            one.push(OF_WEBHOOK).push_bind(webhook_id);
        };
        let statements = listing(heads, of_webhook, ("id", descending, place));
        let mut page = page_of(&mut transaction, statements, delivery).await?;
        fill_in_attempts(&mut transaction, &mut page.rows).await?;
        Ok(page)
    }

    /// A delivery to this webhook.
    pub async fn delivery(
        &self,
        webhook_id: i64,
        id: i64,
    ) -> Result<Option<DeliveryRecord>, StoreError> {
        read(&mut self.reading().await?, webhook_id, id).await
    }

    /// Delivers again, at once and with all its tries, whatever the earlier outcome. `None` when there is no such
    /// delivery to this webhook.
    pub async fn replay_delivery(
        &self,
        webhook_id: i64,
        id: i64,
        now_us: i64,
    ) -> Result<Option<DeliveryRecord>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        query(
            "UPDATE webhook_deliveries SET state = 'pending', tries = 0, next_attempt_us = $1, ended_at_us = NULL \
             WHERE webhook_id = $2 AND id = $3",
        )
        .bind(now_us)
        .bind(webhook_id)
        .bind(id)
        .execute(&mut transaction)
        .await?;
        let replayed = read(&mut transaction, webhook_id, id).await?;
        transaction.commit().await?;
        self.announce_news();
        Ok(replayed)
    }

    /// Forgets at most `limit` deliveries that ended before `before_us`; returns how many.
    pub async fn forget_deliveries(&self, before_us: i64, limit: u64) -> Result<u64, StoreError> {
        let deleted = query(
            "DELETE FROM webhook_deliveries WHERE id IN (SELECT id FROM webhook_deliveries \
             WHERE ended_at_us IS NOT NULL AND ended_at_us < $1 LIMIT $2)",
        )
        .bind(before_us)
        .bind(to_sql(limit))
        .execute(self.writers())
        .await?;
        Ok(deleted)
    }
}

/// A delivery within a transaction.
pub(super) async fn read(
    transaction: &mut Transaction,
    webhook_id: i64,
    id: i64,
) -> Result<Option<DeliveryRecord>, StoreError> {
    let mut one = query(COLUMNS);
    one.push(OF_WEBHOOK)
        .push_bind(webhook_id)
        .push(" AND id = ")
        .push_bind(id);
    let row = one.fetch_optional(&mut *transaction).await?;
    let mut found = row.as_ref().map(delivery).transpose()?;
    fill_in_attempts(transaction, found.as_mut_slice()).await?;
    Ok(found)
}

async fn fill_in_attempts(
    transaction: &mut Transaction,
    deliveries: &mut [DeliveryRecord],
) -> Result<(), StoreError> {
    if deliveries.is_empty() {
        return Ok(());
    }
    let mut attempts = query(
        "SELECT delivery_id, at_us, duration_ms, status, error, answer FROM webhook_attempts WHERE delivery_id IN (",
    );
    for (number, delivery) in deliveries.iter().enumerate() {
        attempts.push(if number > 0 { ", " } else { "" });
        attempts.push_bind(delivery.id);
    }
    attempts.push(") ORDER BY id");
    for row in attempts.fetch_all(transaction).await? {
        let id: i64 = row.try_get("delivery_id")?;
        if let Some(delivery) = deliveries.iter_mut().find(|one| one.id == id) {
            delivery.attempts.push(DeliveryAttempt {
                at_us: row.try_get("at_us")?,
                duration_ms: from_sql(row.try_get("duration_ms")?),
                status: row.try_get("status")?,
                error: row.try_get("error")?,
                answer: row.try_get("answer")?,
            });
        }
    }
    Ok(())
}

fn delivery(row: &Row) -> Result<DeliveryRecord, StoreError> {
    let id = row.try_get("id")?;
    let word: String = row.try_get("state")?;
    let state = DeliveryState::ALL
        .into_iter()
        .find(|state| state.as_str() == word);
    Ok(DeliveryRecord {
        id,
        webhook_id: row.try_get("webhook_id")?,
        message_id: row.try_get("message_id")?,
        event: row.try_get("event")?,
        job_id: row.try_get("job_id")?,
        state: state.ok_or_else(|| damaged("webhook_deliveries", id, "its state is unknown"))?,
        next_attempt_us: row.try_get("next_attempt_us")?,
        created_at_us: row.try_get("created_at_us")?,
        ended_at_us: row.try_get("ended_at_us")?,
        attempts: Vec::new(),
    })
}
