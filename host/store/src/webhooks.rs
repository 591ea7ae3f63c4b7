use super::page::{listing, page_of};
use super::rows::{from_sql, json};
use super::{Page, Store, StoreError, secret};
use crate::sql::{Alone, Row, Statement, Transaction, query};

/// What `record` reads of `webhooks`.
const COLUMNS: &str = "SELECT id, user_id, url, events, description, enabled, disabled_reason, created_at_us, \
     last_success_at_us";

/// Goes on with the number of the user.
const OF_USER: &str = " FROM webhooks WHERE user_id = ";

/// How long a secret signs beside the one that took its place.
const FORMER_SECRET_US: i64 = 24 * 3_600 * 1_000_000;

/// A place to send news to, to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWebhook {
    /// Whose it is.
    pub user_id: i64,
    /// The address; `None` for the addresses that the user's jobs name themselves.
    pub url: Option<String>,
    /// The events to tell; empty for all.
    pub events: Vec<String>,
    /// What it is for, in its owner's words.
    pub description: String,
}

/// What is to be changed of a webhook; what is `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookChange {
    /// Another address.
    pub url: Option<String>,
    /// Other events.
    pub events: Option<Vec<String>>,
    /// Another description.
    pub description: Option<String>,
    /// Whether anything is sent.
    pub enabled: Option<bool>,
}

/// A place to send news to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRecord {
    /// Its number; never given twice.
    pub id: i64,
    /// Whose it is.
    pub user_id: i64,
    /// The address; `None` for the addresses that the user's jobs name themselves.
    pub url: Option<String>,
    /// The events to tell; empty for all.
    pub events: Vec<String>,
    /// What it is for, in its owner's words.
    pub description: String,
    /// Whether anything is sent.
    pub enabled: bool,
    /// Why the server disabled it, if it did.
    pub disabled_reason: Option<String>,
    /// When it was made.
    pub created_at_us: i64,
    /// When something last came through.
    pub last_success_at_us: Option<i64>,
}

impl Store {
    /// Makes a webhook and returns its secret, which is not shown again; a user may have `max_per_user`.
    pub async fn create_webhook(
        &self,
        new: &NewWebhook,
        max_per_user: u64,
        now_us: i64,
    ) -> Result<(WebhookRecord, String), StoreError> {
        let mut transaction = self.writing(Alone::User(new.user_id)).await?;
        if new.url.is_none() && for_jobs(&mut transaction, new.user_id).await?.is_some() {
            return Err(StoreError::WebhookExists);
        }
        let count: i64 = query("SELECT COUNT(*) FROM webhooks WHERE user_id = $1")
            .bind(new.user_id)
            .value(&mut transaction)
            .await?;
        if from_sql(count) >= max_per_user {
            return Err(StoreError::TooManyWebhooks);
        }
        let secret = secret::draw_for_webhook()?;
        let id = insert(&mut transaction, new, &secret, now_us).await?;
        let id = id.ok_or(StoreError::WebhookExists)?;
        let made = read(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok((made.ok_or(sqlx::Error::RowNotFound)?, secret))
    }

    /// The webhook with this number, whoever owns it.
    pub async fn webhook(&self, id: i64) -> Result<Option<WebhookRecord>, StoreError> {
        read(&mut self.reading().await?, id).await
    }

    /// A page of a user's webhooks, in the order in which they were made.
    pub async fn webhooks(
        &self,
        user_id: i64,
        descending: bool,
        place: (u64, u64),
    ) -> Result<Page<WebhookRecord>, StoreError> {
        let mut transaction = self.reading().await?;
        let heads = ["SELECT COUNT(*)", COLUMNS];
        let of_user = |one: &mut Statement| {
            one.push(OF_USER).push_bind(user_id);
        };
        let statements = listing(heads, of_user, ("id", descending, place));
        page_of(&mut transaction, statements, record).await
    }

    /// Changes a webhook. `None` when there is none with this number. Disabling one fails its pending deliveries, which
    /// can be replayed.
    pub async fn change_webhook(
        &self,
        id: i64,
        change: &WebhookChange,
        now_us: i64,
    ) -> Result<Option<WebhookRecord>, StoreError> {
        let events = change.events.as_ref().map(serde_json::to_string);
        let mut transaction = self.writing(Alone::No).await?;
        query(
            "UPDATE webhooks SET url = COALESCE($1, url), events = COALESCE($2, events), \
             description = COALESCE($3, description), enabled = COALESCE($4, enabled), \
             disabled_reason = CASE WHEN $4 IS NULL THEN disabled_reason END WHERE id = $5",
        )
        .bind(&change.url)
        .bind(events.transpose()?)
        .bind(&change.description)
        .bind(change.enabled)
        .bind(id)
        .execute(&mut transaction)
        .await?;
        if change.enabled == Some(false) {
            fail_pending(&mut transaction, id, now_us).await?;
        }
        let changed = read(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(changed)
    }

    /// Forgets a webhook with all its past and pending deliveries. `false` when there is none with this number.
    pub async fn delete_webhook(&self, id: i64) -> Result<bool, StoreError> {
        let deleted = query("DELETE FROM webhooks WHERE id = $1")
            .bind(id)
            .execute(self.writers())
            .await?;
        Ok(deleted > 0)
    }

    /// Gives a webhook another secret, which is not shown again; the former one also signs for a day. `None` when there
    /// is no webhook with this number.
    pub async fn rotate_webhook(&self, id: i64, now_us: i64) -> Result<Option<String>, StoreError> {
        let secret = secret::draw_for_webhook()?;
        let changed = query(
            "UPDATE webhooks SET former_secret = secret, former_until_us = $1, secret = $2 WHERE id = $3",
        )
        .bind(now_us + FORMER_SECRET_US)
        .bind(&secret)
        .bind(id)
        .execute(self.writers())
        .await?;
        Ok((changed > 0).then_some(secret))
    }
}

/// The row that stands for the addresses that a user's jobs name; made when it is first needed.
pub(super) async fn ensure_for_jobs(
    transaction: &mut Transaction,
    user_id: i64,
    now_us: i64,
) -> Result<WebhookRecord, StoreError> {
    if for_jobs(transaction, user_id).await?.is_none() {
        let new = NewWebhook {
            user_id,
            url: None,
            events: Vec::new(),
            description: String::new(),
        };
        // Where others write at the same time, another job of the user's may have made it first.
        insert(transaction, &new, &secret::draw_for_webhook()?, now_us).await?;
    }
    let id = for_jobs(transaction, user_id).await?;
    Ok(read(transaction, id.ok_or(sqlx::Error::RowNotFound)?)
        .await?
        .ok_or(sqlx::Error::RowNotFound)?)
}

/// The enabled endpoints of a user.
pub(super) async fn endpoints(
    transaction: &mut Transaction,
    user_id: i64,
) -> Result<Vec<WebhookRecord>, StoreError> {
    let mut list = query(COLUMNS);
    list.push(OF_USER).push_bind(user_id);
    list.push(" AND enabled AND url IS NOT NULL ORDER BY id");
    let rows = list.fetch_all(transaction).await?;
    rows.iter().map(record).collect()
}

/// Nothing of what waits for this webhook is sent.
pub(super) async fn fail_pending(
    transaction: &mut Transaction,
    id: i64,
    now_us: i64,
) -> Result<(), StoreError> {
    query(
        "UPDATE webhook_deliveries SET state = 'failed', ended_at_us = $1 WHERE webhook_id = $2 AND state = 'pending'",
    )
    .bind(now_us)
    .bind(id)
    .execute(transaction)
    .await?;
    Ok(())
}

async fn for_jobs(transaction: &mut Transaction, user_id: i64) -> Result<Option<i64>, StoreError> {
    Ok(
        query("SELECT id FROM webhooks WHERE user_id = $1 AND url IS NULL")
            .bind(user_id)
            .optional_value(transaction)
            .await?,
    )
}

async fn insert(
    transaction: &mut Transaction,
    new: &NewWebhook,
    secret: &str,
    now_us: i64,
) -> Result<Option<i64>, StoreError> {
    Ok(query(
        "INSERT INTO webhooks (user_id, url, events, description, secret, enabled, created_at_us) \
         VALUES ($1, $2, $3, $4, $5, TRUE, $6) \
         ON CONFLICT (user_id) WHERE url IS NULL DO NOTHING RETURNING id",
    )
    .bind(new.user_id)
    .bind(&new.url)
    .bind(serde_json::to_string(&new.events)?)
    .bind(&new.description)
    .bind(secret)
    .bind(now_us)
    .optional_value(transaction)
    .await?)
}

async fn read(transaction: &mut Transaction, id: i64) -> Result<Option<WebhookRecord>, StoreError> {
    let mut one = query(COLUMNS);
    one.push(" FROM webhooks WHERE id = ").push_bind(id);
    let row = one.fetch_optional(transaction).await?;
    row.as_ref().map(record).transpose()
}

fn record(row: &Row) -> Result<WebhookRecord, StoreError> {
    let id = row.try_get("id")?;
    Ok(WebhookRecord {
        id,
        user_id: row.try_get("user_id")?,
        url: row.try_get("url")?,
        events: json(row, "events", "webhooks", id)?,
        description: row.try_get("description")?,
        enabled: row.try_get("enabled")?,
        disabled_reason: row.try_get("disabled_reason")?,
        created_at_us: row.try_get("created_at_us")?,
        last_success_at_us: row.try_get("last_success_at_us")?,
    })
}
