use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row as _, Sqlite, SqliteConnection};

use super::database::last_row_id;
use super::rows::{from_sql, json, listing, page_of};
use super::{Page, Store, StoreError, secret};

/// What `record` reads of `webhooks`.
const COLUMNS: &str = "id, user_id, url, events, description, enabled, disabled_reason, created_at_us, \
     last_success_at_us";

/// How long a secret signs beside the one that took its place.
const FORMER_SECRET_US: i64 = 24 * 3_600 * 1_000_000;

/// A place to send news to, to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWebhook {
    /// Whose it is.
    pub user_id: i64,
    /// Where to; `None` for the addresses that the user's jobs name themselves.
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
    /// Where to; `None` for the addresses that the user's jobs name themselves.
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
    /// Makes a webhook and gives its secret, which is not shown again; a user may have `max_per_user`.
    pub async fn create_webhook(
        &self,
        new: &NewWebhook,
        max_per_user: u64,
        now_us: i64,
    ) -> Result<(WebhookRecord, String), StoreError> {
        let mut transaction = self.writing().await?;
        if new.url.is_none() && for_jobs(&mut transaction, new.user_id).await?.is_some() {
            return Err(StoreError::WebhookExists);
        }
        let count: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM webhooks WHERE user_id = $1")
            .bind(new.user_id)
            .fetch_one(&mut *transaction)
            .await?;
        if from_sql(count) >= max_per_user {
            return Err(StoreError::TooManyWebhooks);
        }
        let secret = secret::draw_for_webhook()?;
        let id = insert(&mut transaction, new, &secret, now_us).await?;
        let made = read(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok((made.ok_or(sqlx::Error::RowNotFound)?, secret))
    }

    /// The webhook with this number, whoever owns it.
    pub async fn webhook(&self, id: i64) -> Result<Option<WebhookRecord>, StoreError> {
        read(&mut *self.reading().await?, id).await
    }

    /// A page of a user's webhooks, in the order in which they were made.
    pub async fn webhooks(
        &self,
        user_id: i64,
        descending: bool,
        place: (u64, u64),
    ) -> Result<Page<WebhookRecord>, StoreError> {
        let mut transaction = self.reading().await?;
        let heads = ["COUNT(*)", COLUMNS]
            .map(|what| format!("SELECT {what} FROM webhooks WHERE user_id = "));
        let of_user = |one: &mut QueryBuilder<Sqlite>| {
            one.push_bind(user_id);
        };
        let statements = listing(heads, of_user, ("id", descending, place));
        page_of(&mut transaction, statements, record).await
    }

    /// Changes a webhook. `None` when there is none with this number. One that is disabled sends nothing later on: what
    /// waits for it has failed, and can be replayed.
    pub async fn change_webhook(
        &self,
        id: i64,
        change: &WebhookChange,
        now_us: i64,
    ) -> Result<Option<WebhookRecord>, StoreError> {
        let events = change.events.as_ref().map(serde_json::to_string);
        let mut transaction = self.writing().await?;
        sqlx::query(
            "UPDATE webhooks SET url = COALESCE($1, url), events = COALESCE($2, events), \
             description = COALESCE($3, description), enabled = COALESCE($4, enabled), \
             disabled_reason = CASE WHEN $4 IS NULL THEN disabled_reason END WHERE id = $5",
        )
        .bind(&change.url)
        .bind(events.transpose()?)
        .bind(&change.description)
        .bind(change.enabled)
        .bind(id)
        .execute(&mut *transaction)
        .await?;
        if change.enabled == Some(false) {
            fail_pending(&mut transaction, id, now_us).await?;
        }
        let changed = read(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(changed)
    }

    /// Forgets a webhook with everything that was or is to be sent there. `false` when there is none with this number.
    pub async fn delete_webhook(&self, id: i64) -> Result<bool, StoreError> {
        let deleted = sqlx::query("DELETE FROM webhooks WHERE id = $1")
            .bind(id)
            .execute(self.writer())
            .await?;
        Ok(deleted.rows_affected() > 0)
    }

    /// Gives a webhook another secret, which is not shown again; the former one signs too for a day. `None` when there
    /// is no webhook with this number.
    pub async fn rotate_webhook(&self, id: i64, now_us: i64) -> Result<Option<String>, StoreError> {
        let secret = secret::draw_for_webhook()?;
        let changed = sqlx::query(
            "UPDATE webhooks SET former_secret = secret, former_until_us = $1, secret = $2 WHERE id = $3",
        )
        .bind(now_us + FORMER_SECRET_US)
        .bind(&secret)
        .bind(id)
        .execute(self.writer())
        .await?;
        Ok((changed.rows_affected() > 0).then_some(secret))
    }
}

/// The row that stands for the addresses that a user's jobs name; made when it is first needed.
pub(super) async fn ensure_for_jobs(
    connection: &mut SqliteConnection,
    user_id: i64,
    now_us: i64,
) -> Result<WebhookRecord, StoreError> {
    let id = if let Some(id) = for_jobs(connection, user_id).await? {
        id
    } else {
        let new = NewWebhook {
            user_id,
            url: None,
            events: Vec::new(),
            description: String::new(),
        };
        insert(connection, &new, &secret::draw_for_webhook()?, now_us).await?
    };
    Ok(read(connection, id)
        .await?
        .ok_or(sqlx::Error::RowNotFound)?)
}

/// The enabled endpoints of a user.
pub(super) async fn endpoints(
    connection: &mut SqliteConnection,
    user_id: i64,
) -> Result<Vec<WebhookRecord>, StoreError> {
    let list = format!(
        "SELECT {COLUMNS} FROM webhooks WHERE user_id = $1 AND enabled AND url IS NOT NULL ORDER BY id"
    );
    let rows = sqlx::query(sqlx::AssertSqlSafe(list))
        .bind(user_id)
        .fetch_all(connection)
        .await?;
    rows.iter().map(record).collect()
}

/// Nothing of what waits for this webhook is sent.
pub(super) async fn fail_pending(
    connection: &mut SqliteConnection,
    id: i64,
    now_us: i64,
) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE webhook_deliveries SET state = 'failed', ended_at_us = $1 WHERE webhook_id = $2 AND state = 'pending'",
    )
    .bind(now_us)
    .bind(id)
    .execute(connection)
    .await?;
    Ok(())
}

async fn for_jobs(
    connection: &mut SqliteConnection,
    user_id: i64,
) -> Result<Option<i64>, StoreError> {
    Ok(
        sqlx::query_scalar("SELECT id FROM webhooks WHERE user_id = $1 AND url IS NULL")
            .bind(user_id)
            .fetch_optional(connection)
            .await?,
    )
}

async fn insert(
    connection: &mut SqliteConnection,
    new: &NewWebhook,
    secret: &str,
    now_us: i64,
) -> Result<i64, StoreError> {
    sqlx::query(
        "INSERT INTO webhooks (user_id, url, events, description, secret, enabled, created_at_us) \
         VALUES ($1, $2, $3, $4, $5, TRUE, $6)",
    )
    .bind(new.user_id)
    .bind(&new.url)
    .bind(serde_json::to_string(&new.events)?)
    .bind(&new.description)
    .bind(secret)
    .bind(now_us)
    .execute(&mut *connection)
    .await?;
    last_row_id(connection).await
}

async fn read(
    connection: &mut SqliteConnection,
    id: i64,
) -> Result<Option<WebhookRecord>, StoreError> {
    let one = format!("SELECT {COLUMNS} FROM webhooks WHERE id = $1");
    let row = sqlx::query(sqlx::AssertSqlSafe(one))
        .bind(id)
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(record).transpose()
}

fn record(row: &SqliteRow) -> Result<WebhookRecord, StoreError> {
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
