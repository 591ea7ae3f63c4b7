//! Live conversions: who may begin one, their state, and how they went.

use super::keys::sha256_hex;
use super::page::{listing, page_of};
use super::rows::{damaged, from_sql, json, optional_json, to_sql};
use super::usage::{add_live, check_minutes, check_storage};
use super::users::limits_of;
use super::{Page, Store, StoreError};
use crate::sql::{Alone, Row, Statement, Transaction, query};
use vocalhost_job::{LiveEnd, LiveFigures, LiveRecorded, LiveRecording, LiveSpec, LiveState};

/// How long a stream may be opened after its conversion was made, in microseconds.
pub const LIVE_TICKET_US: i64 = 30_000_000;

/// How long a server may be silent about a running conversion before it is taken for lost, in microseconds: several times its usual
/// interval.
const SILENCE_US: i64 = 30_000_000;

const TABLE: &str = "live_conversions";

/// The columns of a [`LiveRecord`].
macro_rules! columns {
    () => {
        "id, user_id, spec, state, why, figures, recorded, created_at_us, started_at_us, ended_at_us"
    };
}

/// Ends conversions that were not opened in time, or whose server is silent.
const SETTLE: &str = "UPDATE live_conversions SET state = 'ended', \
     ended_at_us = CASE WHEN state = 'waiting' THEN created_at_us + $2 ELSE seen_at_us END, \
     why = CASE WHEN state = 'waiting' THEN 'expired' ELSE 'serverStopped' END \
     WHERE state <> 'ended' AND seen_at_us <= $1";

/// Ends conversions that were not opened in time.
const EXPIRE: &str = "UPDATE live_conversions SET state = 'ended', ended_at_us = created_at_us + $2, why = 'expired' \
     WHERE state = 'waiting' AND seen_at_us <= $1";

/// A live conversion that is to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct NewLive {
    /// Whose it is.
    pub user_id: i64,
    /// What it is to do.
    pub spec: LiveSpec,
    /// The ticket that opens its stream; only its hash is stored.
    pub ticket: String,
}

/// A user's limits for live conversions, unless the user has limits of their own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LiveLimits {
    /// At a time; 0 means no limit.
    pub at_a_time: u64,
    /// Minutes of audio of all kinds within the days that count; 0 means no limit.
    pub audio_minutes_quota: u64,
    /// Bytes that a user may store: a user who has reached it cannot record more; 0 means no limit.
    pub storage_quota_bytes: u64,
}

/// A live conversion.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveRecord {
    /// Its number; never given twice.
    pub id: i64,
    /// Whose it is.
    pub user_id: i64,
    /// What it does.
    pub spec: LiveSpec,
    /// Where it stands.
    pub state: LiveState,
    /// Why it ended.
    pub why: Option<LiveEnd>,
    /// How it went so far.
    pub figures: LiveFigures,
    /// Its recordings, from its end until they are too old.
    pub recorded: LiveRecorded,
    /// When it was made.
    pub created_at_us: i64,
    /// When its stream was opened.
    pub started_at_us: Option<i64>,
    /// When it ended.
    pub ended_at_us: Option<i64>,
}

/// What a stream is opened with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LiveKey<'a> {
    /// The ticket that was given to whoever made it.
    Ticket(&'a str),
    /// A key of this user.
    User(i64),
}

impl LiveKey<'_> {
    /// The hash of the ticket, and the user, that open a conversion; of the two, the one that is not given is a value that none has.
    fn columns(self) -> (String, i64) {
        match self {
            Self::Ticket(ticket) => (sha256_hex(ticket), -1),
            Self::User(user_id) => (String::new(), user_id),
        }
    }
}

impl Store {
    /// Makes a live conversion, whose stream is to be opened within [`LIVE_TICKET_US`].
    ///
    /// # Errors
    /// [`StoreError::LiveQuota`], [`StoreError::AudioQuota`] and, if it is to be recorded, [`StoreError::StorageQuota`], when the user has
    /// reached the limit.
    pub async fn create_live(
        &self,
        new: &NewLive,
        limits: LiveLimits,
        now_us: i64,
    ) -> Result<LiveRecord, StoreError> {
        let mut transaction = self.writing(Alone::User(new.user_id)).await?;
        // This request must not decide whether the server of a running conversion is gone: it may be the database that was away.
        query(EXPIRE)
            .bind(now_us - SILENCE_US)
            .bind(LIVE_TICKET_US)
            .execute(&mut transaction)
            .await?;
        let open: i64 =
            query("SELECT COUNT(*) FROM live_conversions WHERE user_id = $1 AND state <> 'ended'")
                .bind(new.user_id)
                .value(&mut transaction)
                .await?;
        if limits.at_a_time > 0 && from_sql(open) >= limits.at_a_time {
            let most = limits.at_a_time;
            return Err(StoreError::LiveQuota { most });
        }
        let own = limits_of(&mut transaction, new.user_id).await?;
        let minutes = own
            .audio_minutes_quota
            .unwrap_or(limits.audio_minutes_quota);
        check_minutes(&mut transaction, (new.user_id, minutes), 1, now_us).await?;
        if new.spec.record != LiveRecording::None {
            let of = (new.user_id, now_us);
            let room = (1, limits.storage_quota_bytes);
            check_storage(&mut transaction, of, &own, room).await?;
        }
        let row = query(
            "INSERT INTO live_conversions (user_id, spec, ticket_sha256, state, figures, created_at_us, seen_at_us) \
             VALUES ($1, $2, $3, 'waiting', $4, $5, $5) RETURNING id",
        )
        .bind(new.user_id)
        .bind(serde_json::to_string(&new.spec)?)
        .bind(sha256_hex(&new.ticket))
        .bind(serde_json::to_string(&LiveFigures::default())?)
        .bind(now_us)
        .fetch_one(&mut transaction)
        .await?;
        let id = row.try_get("id")?;
        let made = read(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(made.ok_or(sqlx::Error::RowNotFound)?)
    }

    /// Whether [`Store::open_live`] would open the stream.
    pub async fn may_open_live(
        &self,
        id: i64,
        key: LiveKey<'_>,
        now_us: i64,
    ) -> Result<bool, StoreError> {
        let (ticket, user_id) = key.columns();
        let waits: i64 = query(
            "SELECT COUNT(*) FROM live_conversions \
             WHERE id = $1 AND state = 'waiting' AND created_at_us > $2 AND (ticket_sha256 = $3 OR user_id = $4)",
        )
        .bind(id)
        .bind(now_us - LIVE_TICKET_US)
        .bind(ticket)
        .bind(user_id)
        .value(&mut self.reading().await?)
        .await?;
        Ok(waits > 0)
    }

    /// Opens the stream of a waiting conversion, once. `None` when it is not waiting, or the key does not fit.
    pub async fn open_live(
        &self,
        id: i64,
        key: LiveKey<'_>,
        now_us: i64,
    ) -> Result<Option<LiveRecord>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let (ticket, user_id) = key.columns();
        let opened = query(
            "UPDATE live_conversions SET state = 'running', started_at_us = $2, seen_at_us = $2 \
             WHERE id = $1 AND state = 'waiting' AND created_at_us > $3 AND (ticket_sha256 = $4 OR user_id = $5)",
        )
        .bind(id)
        .bind(now_us)
        .bind(now_us - LIVE_TICKET_US)
        .bind(ticket)
        .bind(user_id)
        .execute(&mut transaction)
        .await?;
        if opened == 0 {
            return Ok(None);
        }
        let record = read(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(record)
    }

    /// Notes that a conversion goes on, and how. `false` when it is no longer running, because it was deleted for example. The sound that
    /// was heard counts towards its user's minutes.
    pub async fn note_live(
        &self,
        id: i64,
        figures: &LiveFigures,
        now_us: i64,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let is_there = count(&mut transaction, id, figures, now_us).await?;
        transaction.commit().await?;
        Ok(is_there)
    }

    /// Ends a running conversion and stores `spec`, its last settings; changes nothing if it has ended already.
    pub async fn end_live(
        &self,
        id: i64,
        (why, figures, spec): (LiveEnd, &LiveFigures, &LiveSpec),
        now_us: i64,
    ) -> Result<Option<LiveRecord>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        if count(&mut transaction, id, figures, now_us).await? {
            query(
                "UPDATE live_conversions SET state = 'ended', why = $2, ended_at_us = $3, spec = $4 WHERE id = $1",
            )
            .bind(id)
            .bind(why.as_str())
            .bind(now_us)
            .bind(serde_json::to_string(spec)?)
            .execute(&mut transaction)
            .await?;
        }
        let record = read(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(record)
    }

    /// One conversion.
    pub async fn live(&self, id: i64) -> Result<Option<LiveRecord>, StoreError> {
        read(&mut self.reading().await?, id).await
    }

    /// A page of a user's conversions.
    pub async fn lives(
        &self,
        user_id: i64,
        (descending, page, per_page): (bool, u64, u64),
    ) -> Result<Page<LiveRecord>, StoreError> {
        let mut transaction = self.reading().await?;
        let heads = [
            "SELECT COUNT(*) FROM live_conversions WHERE ",
            concat!("SELECT ", columns!(), " FROM live_conversions WHERE "),
        ];
        let filter = |one: &mut Statement| {
            one.push("user_id = ");
            one.push_bind(user_id);
        };
        let statements = listing(heads, filter, ("id", descending, (page, per_page)));
        page_of(&mut transaction, statements, record).await
    }

    /// Notes the recordings of a conversion that has ended. `None` when it was forgotten meanwhile: its files may be deleted.
    pub async fn keep_live_files(
        &self,
        id: i64,
        recorded: &LiveRecorded,
    ) -> Result<Option<LiveRecord>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let bytes = recorded.files().map(|file| file.bytes).sum();
        query("UPDATE live_conversions SET recorded = $2, recorded_bytes = $3 WHERE id = $1")
            .bind(id)
            .bind(serde_json::to_string(recorded)?)
            .bind(to_sql(bytes))
            .execute(&mut transaction)
            .await?;
        let record = read(&mut transaction, id).await?;
        transaction.commit().await?;
        Ok(record)
    }

    /// Whether a conversion still has this recording.
    pub async fn needs_live_file(&self, id: i64, key: &str) -> Result<bool, StoreError> {
        let live = self.live(id).await?;
        Ok(live.is_some_and(|live| live.recorded.files().any(|file| file.key == key)))
    }

    /// Forgets the recordings of at most `limit` conversions that ended before a time, and returns their keys.
    pub async fn expire_live_files(
        &self,
        before_us: i64,
        limit: u64,
    ) -> Result<Vec<String>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let rows = query(
            "SELECT id, recorded FROM live_conversions WHERE recorded IS NOT NULL AND ended_at_us < $1 LIMIT $2",
        )
        .locking_free(&transaction)
        .bind(before_us)
        .bind(to_sql(limit))
        .fetch_all(&mut transaction)
        .await?;
        for row in &rows {
            let id: i64 = row.try_get("id")?;
            query("UPDATE live_conversions SET recorded = NULL, recorded_bytes = 0 WHERE id = $1")
                .bind(id)
                .execute(&mut transaction)
                .await?;
        }
        let keys = keys_of(&rows)?;
        transaction.commit().await?;
        Ok(keys)
    }

    /// Forgets a conversion, and returns the keys of its recordings. A running one ends as soon as its server learns of it.
    pub async fn delete_live(&self, id: i64) -> Result<Vec<String>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let rows = query("DELETE FROM live_conversions WHERE id = $1 RETURNING id, recorded")
            .bind(id)
            .fetch_all(&mut transaction)
            .await?;
        transaction.commit().await?;
        keys_of(&rows)
    }

    /// Ends conversions that nobody opened in time, and those of servers that are gone.
    pub async fn settle_lives(&self, now_us: i64) -> Result<u64, StoreError> {
        let settled = query(SETTLE).bind(now_us - SILENCE_US).bind(LIVE_TICKET_US);
        Ok(settled.execute(self.writers()).await?)
    }

    /// Ends all running conversions. For a server that is alone: it finds some only after a crash.
    pub async fn release_lives(&self) -> Result<u64, StoreError> {
        let statement = "UPDATE live_conversions SET state = 'ended', why = 'serverStopped', \
             ended_at_us = seen_at_us WHERE state = 'running'";
        Ok(query(statement).execute(self.writers()).await?)
    }

    /// Forgets the conversions that ended before a time, and returns the keys of their recordings.
    pub async fn forget_lives(&self, before_us: i64) -> Result<Vec<String>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let rows = query(
            "DELETE FROM live_conversions WHERE state = 'ended' AND ended_at_us < $1 RETURNING id, recorded",
        )
        .bind(before_us)
        .fetch_all(&mut transaction)
        .await?;
        transaction.commit().await?;
        keys_of(&rows)
    }
}

/// The keys of all recordings that are named in rows with `id` and `recorded`.
pub(super) fn keys_of(rows: &[Row]) -> Result<Vec<String>, StoreError> {
    let mut keys = Vec::new();
    for row in rows {
        let recorded = recorded(row)?;
        keys.extend(recorded.files().map(|file| file.key.clone()));
    }
    Ok(keys)
}

fn recorded(row: &Row) -> Result<LiveRecorded, StoreError> {
    let id = row.try_get("id")?;
    Ok(optional_json(row, "recorded", TABLE, id)?.unwrap_or_default())
}

/// Notes how a running conversion goes, and counts the new sound. `false` when it is not running.
async fn count(
    transaction: &mut Transaction,
    id: i64,
    figures: &LiveFigures,
    now_us: i64,
) -> Result<bool, StoreError> {
    let row = query(
        "SELECT user_id, counted_ms, started_at_us FROM live_conversions WHERE id = $1 AND state = 'running'",
    )
    .bind(id)
    .locking(transaction)
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(row) = row else {
        return Ok(false);
    };
    let heard_ms = to_sql((figures.seconds * 1e3) as u64);
    let counted_ms: i64 = row.try_get("counted_ms")?;
    query(
        "UPDATE live_conversions SET figures = $2, counted_ms = $3, seen_at_us = $4 WHERE id = $1",
    )
    .bind(id)
    .bind(serde_json::to_string(figures)?)
    .bind(heard_ms)
    .bind(now_us)
    .execute(&mut *transaction)
    .await?;
    let more_ms = heard_ms - counted_ms;
    if more_ms > 0 {
        let started_at_us: Option<i64> = row.try_get("started_at_us")?;
        let at = (row.try_get("user_id")?, started_at_us.unwrap_or(now_us));
        add_live(transaction, at, (counted_ms == 0, more_ms)).await?;
    }
    Ok(true)
}

async fn read(transaction: &mut Transaction, id: i64) -> Result<Option<LiveRecord>, StoreError> {
    let one = concat!(
        "SELECT ",
        columns!(),
        " FROM live_conversions WHERE id = $1"
    );
    let row = query(one).bind(id).fetch_optional(transaction).await?;
    row.as_ref().map(record).transpose()
}

fn record(row: &Row) -> Result<LiveRecord, StoreError> {
    let id: i64 = row.try_get("id")?;
    let state: String = row.try_get("state")?;
    let why: Option<String> = row.try_get("why")?;
    let mut states = LiveState::ALL.into_iter();
    let state = states.find(|one| one.as_str() == state);
    Ok(LiveRecord {
        id,
        user_id: row.try_get("user_id")?,
        spec: json(row, "spec", TABLE, id)?,
        state: state.ok_or_else(|| damaged(TABLE, id, "its state is unknown"))?,
        why: why.and_then(|why| LiveEnd::ALL.into_iter().find(|one| one.as_str() == why)),
        figures: json(row, "figures", TABLE, id)?,
        recorded: recorded(row)?,
        created_at_us: row.try_get("created_at_us")?,
        started_at_us: row.try_get("started_at_us")?,
        ended_at_us: row.try_get("ended_at_us")?,
    })
}
