use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use super::admins::has_admin;
use super::audit::note_done;
use super::secret::{self, Secret};
use super::{Actor, Store, StoreError};
use crate::sql::{Alone, Row, Transaction, query};

/// The last use of a key is written at most once in this time: nobody needs it to be more precise.
pub(super) const LAST_USE_STEP_US: i64 = 60_000_000;

/// What a key may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Reading the user's own jobs and the catalogues.
    Read,
    /// Making and changing the user's own jobs.
    Write,
    /// Managing keys and the server.
    Admin,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Admin];

    /// The word that is stored and shown.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }

    /// The scope named `word`.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}

/// A key to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// Whose key it is; the user is made when there is none of that name.
    pub user: String,
    /// What the key is for, in its owner's words.
    pub label: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// When it stops working.
    pub expires_at_us: Option<i64>,
}

/// A new key: the only time that its secret is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssuedKey {
    /// The public part.
    pub id: String,
    /// The whole key, `{id}.{secret}`.
    pub key: String,
    /// Whose it is.
    pub user: String,
}

/// A key as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// The public part.
    pub id: String,
    /// Whose it is.
    pub user: String,
    /// What it is for.
    pub label: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// When it was made.
    pub created_at_us: i64,
    /// When it stops working.
    pub expires_at_us: Option<i64>,
    /// When it was revoked.
    pub revoked_at_us: Option<i64>,
    /// When it was last used, to the minute.
    pub last_used_at_us: Option<i64>,
}

/// The authenticated caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The user's number.
    pub user_id: i64,
    /// The user's name.
    pub user_name: String,
    /// The public part of the key.
    pub key_id: String,
    /// What the key may be used for.
    pub scopes: Vec<Scope>,
    /// The session of the console through which it is used; `None` when the key itself was presented.
    pub session_id: Option<String>,
}

impl Caller {
    /// Whether the key has `scope`.
    #[must_use]
    pub fn may(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }
}

impl Store {
    /// In an empty database, makes the user `admin` and a key with every scope. Otherwise `None`.
    pub async fn bootstrap(&self, now_us: i64) -> Result<Option<IssuedKey>, StoreError> {
        let mut transaction = self.writing(Alone::Everybody).await?;
        let inhabited: bool = query("SELECT EXISTS (SELECT 1 FROM users)")
            .value(&mut transaction)
            .await?;
        if inhabited {
            return Ok(None);
        }
        let first = NewKey {
            user: "admin".to_owned(),
            label: "first key".to_owned(),
            scopes: Scope::ALL.to_vec(),
            expires_at_us: None,
        };
        let issued = insert_key(&mut transaction, &first, now_us).await?;
        let made = ("createKey", issued.id.as_str());
        note_done(&mut transaction, &Actor::server(), made, now_us).await?;
        transaction.commit().await?;
        Ok(Some(issued))
    }

    /// Makes a key, and its user when there is none of that name.
    pub async fn create_key(
        &self,
        new: &NewKey,
        actor: &Actor,
        now_us: i64,
    ) -> Result<IssuedKey, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let issued = insert_key(&mut transaction, new, now_us).await?;
        note_done(&mut transaction, actor, ("createKey", &issued.id), now_us).await?;
        transaction.commit().await?;
        Ok(issued)
    }

    /// Every key, oldest first.
    pub async fn list_keys(&self) -> Result<Vec<KeyRecord>, StoreError> {
        let rows = query(
            "SELECT k.id, u.name AS user_name, k.label, k.scopes, k.created_at_us, k.expires_at_us, \
             k.revoked_at_us, k.last_used_at_us \
             FROM api_keys k JOIN users u ON u.id = k.user_id ORDER BY k.created_at_us, k.id",
        )
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(key_record).collect()
    }

    /// The number of the user of this name.
    pub async fn user_id(&self, name: &str) -> Result<Option<i64>, StoreError> {
        Ok(query("SELECT id FROM users WHERE name = $1")
            .bind(name)
            .optional_value(self.readers())
            .await?)
    }

    /// Revokes the key with this public part. `false` when there is none, or it was revoked before. The last key that may manage the server
    /// cannot be revoked through the server, which would lock everybody out: it can be rotated, and on the command line it can be revoked.
    pub async fn revoke_key(
        &self,
        id: &str,
        actor: &Actor,
        now_us: i64,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.writing(Alone::Everybody).await?;
        let revoked =
            query("UPDATE api_keys SET revoked_at_us = $1 WHERE id = $2 AND revoked_at_us IS NULL")
                .bind(now_us)
                .bind(id)
                .execute(&mut transaction)
                .await?;
        if revoked == 0 {
            return Ok(false);
        }
        if actor.key_id.is_some() && !has_admin(&mut transaction, now_us).await? {
            return Err(StoreError::LastAdmin);
        }
        note_done(&mut transaction, actor, ("revokeKey", id), now_us).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// The user of this key: `None` when the key is unknown, wrong, expired or revoked, or its user is disabled.
    pub async fn authenticate(
        &self,
        presented: &str,
        now_us: i64,
    ) -> Result<Option<Caller>, StoreError> {
        let Some((id, secret)) = presented.split_once('.') else {
            return Ok(None);
        };
        let row = query(
            "SELECT k.id, k.user_id, u.name AS user_name, k.scopes, k.secret_sha256, k.expires_at_us, \
             k.revoked_at_us, k.last_used_at_us \
             FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.id = $1 AND u.disabled_at_us IS NULL",
        )
        .bind(id)
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
        let expires_at_us: Option<i64> = row.try_get("expires_at_us")?;
        let revoked_at_us: Option<i64> = row.try_get("revoked_at_us")?;
        let valid = revoked_at_us.is_none() && expires_at_us.is_none_or(|end_us| now_us < end_us);
        if !(genuine && valid) {
            return Ok(None);
        }
        if row
            .try_get::<Option<i64>>("last_used_at_us")?
            .is_none_or(|last_us| last_us <= now_us - LAST_USE_STEP_US)
        {
            self.note_use(id, now_us).await;
        }
        Ok(Some(Caller {
            user_id: row.try_get("user_id")?,
            user_name: row.try_get("user_name")?,
            key_id: row.try_get("id")?,
            scopes: parse_scopes(&row.try_get::<String>("scopes")?),
            session_id: None,
        }))
    }

    /// The date of the last use matters less than the request: a failure is only logged.
    pub(super) async fn note_use(&self, id: &str, now_us: i64) {
        let noted = query("UPDATE api_keys SET last_used_at_us = $1 WHERE id = $2")
            .bind(now_us)
            .bind(id)
            .execute(self.writers())
            .await;
        if let Err(error) = noted {
            tracing::warn!(key = id, %error, "cannot note the use of a key");
        }
    }
}

pub(super) async fn insert_key(
    transaction: &mut Transaction,
    new: &NewKey,
    now_us: i64,
) -> Result<IssuedKey, StoreError> {
    query("INSERT INTO users (name, created_at_us) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
        .bind(&new.user)
        .bind(now_us)
        .execute(&mut *transaction)
        .await?;
    let user_id: i64 = query("SELECT id FROM users WHERE name = $1")
        .bind(&new.user)
        .value(&mut *transaction)
        .await?;
    loop {
        let Secret { id, secret } = secret::draw()?;
        let scopes: Vec<_> = new.scopes.iter().map(|scope| scope.as_str()).collect();
        let inserted = query(
            "INSERT INTO api_keys (id, user_id, label, scopes, secret_sha256, created_at_us, expires_at_us) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING",
        )
        .bind(&id)
        .bind(user_id)
        .bind(&new.label)
        .bind(scopes.join(" "))
        .bind(sha256_hex(&secret))
        .bind(now_us)
        .bind(new.expires_at_us)
        .execute(&mut *transaction)
        .await?;
        // The public part is short, so two keys may draw the same one.
        if inserted > 0 {
            return Ok(IssuedKey {
                key: format!("{id}.{secret}"),
                id,
                user: new.user.clone(),
            });
        }
    }
}

pub(super) fn key_record(row: &Row) -> Result<KeyRecord, StoreError> {
    Ok(KeyRecord {
        id: row.try_get("id")?,
        user: row.try_get("user_name")?,
        label: row.try_get("label")?,
        scopes: parse_scopes(&row.try_get::<String>("scopes")?),
        created_at_us: row.try_get("created_at_us")?,
        expires_at_us: row.try_get("expires_at_us")?,
        revoked_at_us: row.try_get("revoked_at_us")?,
        last_used_at_us: row.try_get("last_used_at_us")?,
    })
}

/// A word that this release does not know gives no right.
pub(super) fn parse_scopes(words: &str) -> Vec<Scope> {
    words.split(' ').filter_map(Scope::parse).collect()
}

/// A plain hash suffices: the secret is random and long, so there is nothing to guess and no need for a slow hash.
pub(super) fn sha256_hex(secret: &str) -> String {
    base16ct::lower::encode_string(&Sha256::digest(secret.as_bytes()))
}
