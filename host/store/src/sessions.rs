//! Sessions of the console: each stands for the key that opened it, and works as long as that key does.

use subtle::ConstantTimeEq;

use super::audit::note_done;
use super::keys::{LAST_USE_STEP_US, parse_scopes, sha256_hex};
use super::secret::{self, Secret};
use super::{Actor, Caller, Store, StoreError};
use crate::sql::{Alone, Row, Transaction, query};

/// The most sessions of one user; with one more the oldest ends. Nobody needs more, and a program that signs in for each request must not
/// fill the table.
const MOST_SESSIONS: usize = 100;

/// Of what a browser says of itself no more is kept.
const LONGEST_USER_AGENT: usize = 256;

/// A session to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// The public part of the key that was presented.
    pub key_id: String,
    /// When it ends at the latest; with the key it ends earlier.
    pub expires_at_us: i64,
    /// What the browser says of itself.
    pub user_agent: Option<String>,
}

/// A new session: the only time that its secret is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedSession {
    /// The public part.
    pub id: String,
    /// What the cookie has, `{id}.{secret}`.
    pub token: String,
    /// When it ends.
    pub expires_at_us: i64,
}

/// A session as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// The public part.
    pub id: String,
    /// Whose it is.
    pub user: String,
    /// The public part of the key that it was opened with.
    pub key_id: String,
    /// When it was opened.
    pub created_at_us: i64,
    /// When it ends.
    pub expires_at_us: i64,
    /// When it was last used, to the minute.
    pub last_used_at_us: i64,
    /// Where it was opened from.
    pub address: Option<String>,
    /// What the browser said of itself.
    pub user_agent: Option<String>,
}

impl Store {
    /// Opens a session for a key that was just authenticated. `None` when the key no longer works.
    pub async fn open_session(
        &self,
        new: &NewSession,
        actor: &Actor,
        now_us: i64,
    ) -> Result<Option<IssuedSession>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let row = query(
            "SELECT user_id, expires_at_us FROM api_keys WHERE id = $1 AND revoked_at_us IS NULL \
             AND (expires_at_us IS NULL OR expires_at_us > $2)",
        )
        .bind(&new.key_id)
        .bind(now_us)
        .fetch_optional(&mut transaction)
        .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        make_room(&mut transaction, row.try_get("user_id")?, now_us).await?;
        let key_ends_at_us: Option<i64> = row.try_get("expires_at_us")?;
        let expires_at_us =
            key_ends_at_us.map_or(new.expires_at_us, |at_us| at_us.min(new.expires_at_us));
        let issued = insert(&mut transaction, (new, expires_at_us), actor, now_us).await?;
        let deed = ("openConsoleSession", issued.id.as_str());
        note_done(&mut transaction, actor, deed, now_us).await?;
        transaction.commit().await?;
        Ok(Some(issued))
    }

    /// The user of this session, and when it ends. `None` when the session is unknown, wrong or over, its key is expired or revoked, or its
    /// user is disabled.
    pub async fn authenticate_session(
        &self,
        token: &str,
        now_us: i64,
    ) -> Result<Option<(Caller, i64)>, StoreError> {
        let Some((id, secret)) = token.split_once('.') else {
            return Ok(None);
        };
        let row = query(
            "SELECT s.secret_sha256, s.expires_at_us, s.last_used_at_us, k.id AS key_id, k.user_id, k.scopes, \
             u.name AS user_name \
             FROM console_sessions s JOIN api_keys k ON k.id = s.key_id JOIN users u ON u.id = k.user_id \
             WHERE s.id = $1 AND s.expires_at_us > $2 AND u.disabled_at_us IS NULL AND k.revoked_at_us IS NULL \
             AND (k.expires_at_us IS NULL OR k.expires_at_us > $2)",
        )
        .bind(id)
        .bind(now_us)
        .fetch_optional(self.readers())
        .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let stored: String = row.try_get("secret_sha256")?;
        let genuine: bool = sha256_hex(secret)
            .as_bytes()
            .ct_eq(stored.as_bytes())
            .into();
        if !genuine {
            return Ok(None);
        }
        let key_id: String = row.try_get("key_id")?;
        if row.try_get::<i64>("last_used_at_us")? <= now_us - LAST_USE_STEP_US {
            self.note_session_use(id, now_us).await;
            self.note_use(&key_id, now_us).await;
        }
        let caller = Caller {
            user_id: row.try_get("user_id")?,
            user_name: row.try_get("user_name")?,
            key_id,
            scopes: parse_scopes(&row.try_get::<String>("scopes")?),
            session_id: Some(id.to_owned()),
        };
        Ok(Some((caller, row.try_get("expires_at_us")?)))
    }

    /// The sessions that work, of one user or of all, oldest first.
    pub async fn list_sessions(
        &self,
        user_id: Option<i64>,
        now_us: i64,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        let rows = query(
            "SELECT s.id, s.key_id, s.created_at_us, s.expires_at_us, s.last_used_at_us, s.address, s.user_agent, \
             u.name AS user_name \
             FROM console_sessions s JOIN api_keys k ON k.id = s.key_id JOIN users u ON u.id = k.user_id \
             WHERE s.expires_at_us > $1 AND u.disabled_at_us IS NULL AND k.revoked_at_us IS NULL \
             AND (k.expires_at_us IS NULL OR k.expires_at_us > $1) AND (k.user_id = $2 OR $3) \
             ORDER BY s.created_at_us, s.id",
        )
        .bind(now_us)
        .bind(user_id.unwrap_or(0))
        .bind(user_id.is_none())
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(record).collect()
    }

    /// Ends a session, of user `user_id` if that is given; `action` is its name in the audit log. `false` when there is no such session.
    pub async fn close_session(
        &self,
        (id, user_id): (&str, Option<i64>),
        action: &str,
        actor: &Actor,
        now_us: i64,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let closed = query(
            "DELETE FROM console_sessions WHERE id = $1 AND expires_at_us > $2 \
             AND key_id IN (SELECT k.id FROM api_keys k WHERE k.user_id = $3 OR $4)",
        )
        .bind(id)
        .bind(now_us)
        .bind(user_id.unwrap_or(0))
        .bind(user_id.is_none())
        .execute(&mut transaction)
        .await?;
        if closed == 0 {
            return Ok(false);
        }
        note_done(&mut transaction, actor, (action, id), now_us).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Whether no key was ever used, as in a new installation.
    pub async fn is_untouched(&self) -> Result<bool, StoreError> {
        Ok(
            query("SELECT NOT EXISTS (SELECT 1 FROM api_keys WHERE last_used_at_us IS NOT NULL)")
                .value(self.readers())
                .await?,
        )
    }

    /// The date of the last use matters less than the request: a failure is only logged.
    async fn note_session_use(&self, id: &str, now_us: i64) {
        let noted = query("UPDATE console_sessions SET last_used_at_us = $1 WHERE id = $2")
            .bind(now_us)
            .bind(id)
            .execute(self.writers())
            .await;
        if let Err(error) = noted {
            tracing::warn!(session = id, %error, "cannot note the use of a session");
        }
    }
}

/// Forgets expired sessions, and a user's oldest ones when the maximum is reached.
async fn make_room(
    transaction: &mut Transaction,
    user_id: i64,
    now_us: i64,
) -> Result<(), StoreError> {
    query("DELETE FROM console_sessions WHERE expires_at_us <= $1")
        .bind(now_us)
        .execute(&mut *transaction)
        .await?;
    let sessions: Vec<String> = query(
        "SELECT s.id FROM console_sessions s JOIN api_keys k ON k.id = s.key_id WHERE k.user_id = $1 \
         ORDER BY s.created_at_us DESC, s.id DESC",
    )
    .bind(user_id)
    .all_values(&mut *transaction)
    .await?;
    for id in sessions.iter().skip(MOST_SESSIONS - 1) {
        query("DELETE FROM console_sessions WHERE id = $1")
            .bind(id)
            .execute(&mut *transaction)
            .await?;
    }
    Ok(())
}

async fn insert(
    transaction: &mut Transaction,
    (new, expires_at_us): (&NewSession, i64),
    actor: &Actor,
    now_us: i64,
) -> Result<IssuedSession, StoreError> {
    let user_agent = new.user_agent.as_deref();
    let user_agent: Option<String> =
        user_agent.map(|text| text.chars().take(LONGEST_USER_AGENT).collect());
    loop {
        let Secret { id, secret } = secret::draw()?;
        let inserted = query(
            "INSERT INTO console_sessions \
             (id, key_id, secret_sha256, created_at_us, expires_at_us, last_used_at_us, address, user_agent) \
             VALUES ($1, $2, $3, $4, $5, $4, $6, $7) ON CONFLICT (id) DO NOTHING",
        )
        .bind(&id)
        .bind(&new.key_id)
        .bind(sha256_hex(&secret))
        .bind(now_us)
        .bind(expires_at_us)
        .bind(&actor.address)
        .bind(&user_agent)
        .execute(&mut *transaction)
        .await?;
        // The public part is short: two sessions may draw the same one.
        if inserted > 0 {
            return Ok(IssuedSession {
                token: format!("{id}.{secret}"),
                id,
                expires_at_us,
            });
        }
    }
}

fn record(row: &Row) -> Result<SessionRecord, StoreError> {
    Ok(SessionRecord {
        id: row.try_get("id")?,
        user: row.try_get("user_name")?,
        key_id: row.try_get("key_id")?,
        created_at_us: row.try_get("created_at_us")?,
        expires_at_us: row.try_get("expires_at_us")?,
        last_used_at_us: row.try_get("last_used_at_us")?,
        address: row.try_get("address")?,
        user_agent: row.try_get("user_agent")?,
    })
}
