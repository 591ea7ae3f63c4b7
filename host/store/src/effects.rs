use super::rows::{damaged, from_sql, json, to_sql};
use super::{Store, StoreError};
use crate::sql::{Row, Transaction, query};

pub(super) const EFFECTS: &str = "effects";

/// What `effect_record` reads of `effects e`.
macro_rules! effect_columns {
    () => {
        "e.id, e.digest, e.effect_id, e.version, e.vendor, e.descriptor, e.origin, e.enabled, e.bytes, \
         e.memory_bytes, e.work_per_audio, e.installed_at_us, e.installed_by"
    };
}
pub(super) use effect_columns;

/// Where an effect comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectOrigin {
    /// It is part of the program.
    BuiltIn,
    /// Somebody installed it; its component lies in the file store.
    Installed,
}

impl EffectOrigin {
    /// The word that is stored and shown.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BuiltIn => "builtin",
            Self::Installed => "installed",
        }
    }

    fn parse(word: &str) -> Option<Self> {
        [Self::BuiltIn, Self::Installed]
            .into_iter()
            .find(|origin| origin.as_str() == word)
    }
}

/// Limits of one effect that hold in the place of the settings'.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct EffectOverrides {
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Seconds of work per second of audio.
    pub work_per_audio: Option<f64>,
}

/// An effect to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEffect {
    /// SHA-256 of its component, lower-case hex.
    pub digest: String,
    /// Its own id, such as `org.example.echo`.
    pub effect_id: String,
    /// Its semantic version.
    pub version: String,
    /// Who made it, in its own words.
    pub vendor: String,
    /// What it says about itself, as JSON.
    pub descriptor: serde_json::Value,
    /// Bytes of its component.
    pub bytes: u64,
    /// Its own limits.
    pub overrides: EffectOverrides,
}

/// An effect that is there and was not removed.
#[derive(Debug, Clone, PartialEq)]
pub struct EffectRecord {
    /// What was stored.
    pub effect: NewEffect,
    /// Where it comes from.
    pub origin: EffectOrigin,
    /// Whether new jobs may name it.
    pub enabled: bool,
    /// When it was installed, or first seen.
    pub installed_at_us: i64,
    /// The user who installed it through the API.
    pub installed_by: Option<String>,
}

/// What a worker needs to know about an effect that a job pinned; also kept for removed effects.
#[derive(Debug, Clone, PartialEq)]
pub struct PinnedEffect {
    /// SHA-256 of its component.
    pub digest: String,
    /// Where its component is.
    pub origin: EffectOrigin,
    /// Its own limits.
    pub overrides: EffectOverrides,
}

impl Store {
    /// A revision number that differs after every change of the effects, including changes by another process.
    pub async fn effects_revision(&self) -> Result<i64, StoreError> {
        Ok(query("SELECT revision FROM effects_revision")
            .value(self.readers())
            .await?)
    }

    /// Every effect, by id and in the order of installing, with the revision of this state. A built-in effect comes once for each release
    /// in use, the one that a server declared last coming last.
    pub async fn effects(&self) -> Result<(i64, Vec<EffectRecord>), StoreError> {
        let mut transaction = self.reading().await?;
        let revision = query("SELECT revision FROM effects_revision")
            .value(&mut transaction)
            .await?;
        let rows = query(concat!(
            "SELECT ",
            effect_columns!(),
            " FROM effects e WHERE e.removed_at_us IS NULL \
             ORDER BY e.effect_id, COALESCE(e.carried_at_us, 0), e.id"
        ))
        .fetch_all(&mut transaction)
        .await?;
        let records = rows.iter().map(effect_record).collect::<Result<_, _>>()?;
        Ok((revision, records))
    }

    /// The effects with these digests that were ever stored and are not forgotten.
    pub async fn pinned_effects(&self, digests: &[&str]) -> Result<Vec<PinnedEffect>, StoreError> {
        let mut transaction = self.reading().await?;
        let mut found = Vec::with_capacity(digests.len());
        for digest in digests {
            let row = query(
                "SELECT id, digest, origin, memory_bytes, work_per_audio FROM effects WHERE digest = $1",
            )
            .bind(*digest)
            .fetch_optional(&mut transaction)
            .await?;
            if let Some(row) = row {
                found.push(PinnedEffect {
                    digest: row.try_get("digest")?,
                    origin: origin(&row)?,
                    overrides: overrides(&row)?,
                });
            }
        }
        Ok(found)
    }

    /// Forgets the effects that were removed before `before_us` and that no job will still run. Returns how many.
    pub async fn forget_removed_effects(&self, before_us: i64) -> Result<u64, StoreError> {
        // Searching the JSON for a digest as text is safe: 64 hex digits mean nothing else. The two conditions on the state are those of
        // the indices.
        let forgotten = query(
            "DELETE FROM effects WHERE removed_at_us < $1 \
             AND NOT EXISTS (SELECT 1 FROM jobs WHERE state = 'queued' \
             AND spec LIKE '%' || effects.digest || '%') \
             AND NOT EXISTS (SELECT 1 FROM jobs WHERE state IN ('running', 'cancelling') \
             AND spec LIKE '%' || effects.digest || '%')",
        )
        .bind(before_us)
        .execute(self.writers())
        .await?;
        Ok(forgotten)
    }

    /// Whether the component with this digest is that of an effect, removed or not.
    pub async fn knows_effect(&self, digest: &str) -> Result<bool, StoreError> {
        Ok(
            query("SELECT EXISTS (SELECT 1 FROM effects WHERE digest = $1)")
                .bind(digest)
                .value(self.readers())
                .await?,
        )
    }
}

/// Raises the revision of the effects, so that every process reads them again; belongs into each transaction that changes them.
pub(super) async fn raise_revision(transaction: &mut Transaction) -> Result<(), StoreError> {
    query("UPDATE effects_revision SET revision = revision + 1")
        .execute(transaction)
        .await?;
    Ok(())
}

pub(super) fn effect_record(row: &Row) -> Result<EffectRecord, StoreError> {
    Ok(EffectRecord {
        effect: NewEffect {
            digest: row.try_get("digest")?,
            effect_id: row.try_get("effect_id")?,
            version: row.try_get("version")?,
            vendor: row.try_get("vendor")?,
            descriptor: json(row, "descriptor", EFFECTS, row.try_get("id")?)?,
            bytes: from_sql(row.try_get("bytes")?),
            overrides: overrides(row)?,
        },
        origin: origin(row)?,
        enabled: row.try_get("enabled")?,
        installed_at_us: row.try_get("installed_at_us")?,
        installed_by: row.try_get("installed_by")?,
    })
}

fn origin(row: &Row) -> Result<EffectOrigin, StoreError> {
    let word: String = row.try_get("origin")?;
    let known = EffectOrigin::parse(&word);
    let id = row.try_get("id")?;
    known.ok_or_else(|| damaged(EFFECTS, id, "its origin is unknown"))
}

fn overrides(row: &Row) -> Result<EffectOverrides, StoreError> {
    let memory_bytes: Option<i64> = row.try_get("memory_bytes")?;
    Ok(EffectOverrides {
        memory_bytes: memory_bytes.map(from_sql),
        work_per_audio: row.try_get("work_per_audio")?,
    })
}

/// Inserts an effect that is enabled.
pub(super) async fn insert_effect(
    transaction: &mut Transaction,
    new: &NewEffect,
    origin: EffectOrigin,
    installed_by: Option<&str>,
    now_us: i64,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO effects (digest, effect_id, version, vendor, descriptor, origin, enabled, bytes, \
         memory_bytes, work_per_audio, installed_at_us, installed_by) \
         VALUES ($1, $2, $3, $4, $5, $6, TRUE, $7, $8, $9, $10, $11)",
    )
    .bind(&new.digest)
    .bind(&new.effect_id)
    .bind(&new.version)
    .bind(&new.vendor)
    .bind(serde_json::to_string(&new.descriptor)?)
    .bind(origin.as_str())
    .bind(to_sql(new.bytes))
    .bind(new.overrides.memory_bytes.map(to_sql))
    .bind(new.overrides.work_per_audio)
    .bind(now_us)
    .bind(installed_by)
    .execute(transaction)
    .await?;
    Ok(())
}
