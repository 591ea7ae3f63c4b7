use super::admins::is_last_admin;
use super::audit::note_done;
use super::page::{listing, page_of};
use super::rows::{from_sql, to_sql};
use super::{Actor, Page, Store, StoreError};
use crate::sql::{Alone, Row, Transaction, query};

/// The limits that an operator has given one user; `None` means that of the settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UserLimits {
    /// Jobs that run at a time.
    pub max_running: Option<u64>,
    /// Jobs that may wait.
    pub max_queued: Option<u64>,
    /// Bytes of recordings, results and voices; 0 means no limit.
    pub storage_quota_bytes: Option<u64>,
    /// Minutes of audio over 30 days; 0 means no limit.
    pub audio_minutes_quota: Option<u64>,
}

/// A user as an operator sees one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserRecord {
    /// The number.
    pub id: i64,
    /// The name.
    pub name: String,
    /// When the user was made.
    pub created_at_us: i64,
    /// Since when the user's keys do not work.
    pub disabled_at_us: Option<i64>,
    /// The user's own limits.
    pub limits: UserLimits,
}

/// A change of a user; what is `None` stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct UserChange {
    /// Whether the user's keys work.
    pub enabled: Option<bool>,
    /// All limits at once.
    pub limits: Option<UserLimits>,
    /// The limits as they were when the change was asked for. Limits that the change leaves alone keep their present value.
    pub seen: Option<UserLimits>,
}

impl UserChange {
    /// The limits that come of it, of what they are now.
    fn limits_of(&self, now: UserLimits) -> UserLimits {
        let (Some(wanted), Some(seen)) = (self.limits, self.seen) else {
            return self.limits.unwrap_or(now);
        };
        let each = |of: fn(&UserLimits) -> Option<u64>| {
            let is_changed = of(&wanted) != of(&seen);
            of(if is_changed { &wanted } else { &now })
        };
        UserLimits {
            max_running: each(|limits| limits.max_running),
            max_queued: each(|limits| limits.max_queued),
            storage_quota_bytes: each(|limits| limits.storage_quota_bytes),
            audio_minutes_quota: each(|limits| limits.audio_minutes_quota),
        }
    }

    /// What is done, by the names that the audit log has for it.
    fn deeds(&self) -> impl Iterator<Item = &'static str> {
        let enabled = self
            .enabled
            .map(|enabled| if enabled { "enableUser" } else { "disableUser" });
        let limited = self.limits.is_some() || enabled.is_none();
        enabled.into_iter().chain(limited.then_some("limitUser"))
    }
}

const COLUMNS: &str = "SELECT id, name, created_at_us, disabled_at_us, max_running, max_queued, \
     storage_quota_bytes, audio_minutes_quota FROM users";

impl Store {
    /// A page of all users, in the order in which they were made.
    pub async fn users(
        &self,
        descending: bool,
        place: (u64, u64),
    ) -> Result<Page<UserRecord>, StoreError> {
        let mut transaction = self.reading().await?;
        let heads = ["SELECT COUNT(*) FROM users", COLUMNS];
        let statements = listing(heads, |_| (), ("id", descending, place));
        page_of(&mut transaction, statements, user_record).await
    }

    /// The user with this number.
    pub async fn user(&self, id: i64) -> Result<Option<UserRecord>, StoreError> {
        let mut transaction = self.reading().await?;
        read_user(&mut transaction, id).await
    }

    /// Makes a user without keys; `None` when there is one of that name.
    pub async fn create_user(
        &self,
        name: &str,
        actor: &Actor,
        now_us: i64,
    ) -> Result<Option<UserRecord>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let made = query(
            "INSERT INTO users (name, created_at_us) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        )
        .bind(name)
        .bind(now_us)
        .execute(&mut transaction)
        .await?;
        if made == 0 {
            return Ok(None);
        }
        let id: i64 = query("SELECT id FROM users WHERE name = $1")
            .bind(name)
            .value(&mut transaction)
            .await?;
        let record = read_user(&mut transaction, id).await?;
        note_done(&mut transaction, actor, ("createUser", name), now_us).await?;
        transaction.commit().await?;
        Ok(record)
    }

    /// Changes a user; `None` when there is none with this number. A disabled user's jobs go on: only the keys stop working. The last user
    /// who can manage the server cannot be disabled.
    pub async fn change_user(
        &self,
        id: i64,
        change: &UserChange,
        actor: &Actor,
        now_us: i64,
    ) -> Result<Option<UserRecord>, StoreError> {
        let mut transaction = self.writing(Alone::Everybody).await?;
        let Some(before) = read_user(&mut transaction, id).await? else {
            return Ok(None);
        };
        if change.enabled == Some(false) && is_last_admin(&mut transaction, id, now_us).await? {
            return Err(StoreError::LastAdmin);
        }
        let disabled_at_us = match change.enabled {
            None => before.disabled_at_us,
            Some(true) => None,
            Some(false) => before.disabled_at_us.or(Some(now_us)),
        };
        let limits = change.limits_of(before.limits);
        query(
            "UPDATE users SET disabled_at_us = $1, max_running = $2, max_queued = $3, \
             storage_quota_bytes = $4, audio_minutes_quota = $5 WHERE id = $6",
        )
        .bind(disabled_at_us)
        .bind(limits.max_running.map(to_sql))
        .bind(limits.max_queued.map(to_sql))
        .bind(limits.storage_quota_bytes.map(to_sql))
        .bind(limits.audio_minutes_quota.map(to_sql))
        .bind(id)
        .execute(&mut transaction)
        .await?;
        for deed in change.deeds() {
            note_done(&mut transaction, actor, (deed, &before.name), now_us).await?;
        }
        let record = read_user(&mut transaction, id).await?;
        transaction.commit().await?;
        // A higher limit may let a job start.
        self.announce_due_job();
        Ok(record)
    }
}

/// The limits of a user within a transaction.
pub(super) async fn limits_of(
    transaction: &mut Transaction,
    user_id: i64,
) -> Result<UserLimits, StoreError> {
    let user = read_user(transaction, user_id).await?;
    Ok(user.map(|user| user.limits).unwrap_or_default())
}

/// A user within a transaction.
pub(super) async fn read_user(
    transaction: &mut Transaction,
    id: i64,
) -> Result<Option<UserRecord>, StoreError> {
    let mut one = query(COLUMNS);
    one.push(" WHERE id = ").push_bind(id);
    let row = one.fetch_optional(transaction).await?;
    row.as_ref().map(user_record).transpose()
}

fn user_record(row: &Row) -> Result<UserRecord, StoreError> {
    let limit = |name: &str| -> Result<Option<u64>, StoreError> {
        Ok(row.try_get::<Option<i64>>(name)?.map(from_sql))
    };
    Ok(UserRecord {
        id: row.try_get("id")?,
        name: row.try_get("name")?,
        created_at_us: row.try_get("created_at_us")?,
        disabled_at_us: row.try_get("disabled_at_us")?,
        limits: UserLimits {
            max_running: limit("max_running")?,
            max_queued: limit("max_queued")?,
            storage_quota_bytes: limit("storage_quota_bytes")?,
            audio_minutes_quota: limit("audio_minutes_quota")?,
        },
    })
}
