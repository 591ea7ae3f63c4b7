use super::effects::{EffectOrigin, EffectRecord, raise_revision};
use super::effects_install::read_effect;
use super::rows::to_sql;
use super::{Store, StoreError};
use crate::sql::{Alone, query};

/// A change of an effect; what is `None` stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct EffectChange {
    /// Whether new jobs may name it.
    pub enabled: Option<bool>,
    /// Bytes of memory; an inner `None` restores the setting's limit.
    pub memory_bytes: Option<Option<u64>>,
    /// Seconds of work per second of audio; an inner `None` restores the setting's limit.
    pub work_per_audio: Option<Option<f64>>,
}

impl Store {
    /// Changes the effect with this digest; a built-in one in all known releases. `None` when there is none, or it was removed.
    pub async fn change_effect(
        &self,
        digest: &str,
        change: &EffectChange,
    ) -> Result<Option<EffectRecord>, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let changed = query(
            "UPDATE effects SET enabled = COALESCE($1, enabled), \
             memory_bytes = CASE WHEN $2 THEN $3 ELSE memory_bytes END, \
             work_per_audio = CASE WHEN $4 THEN $5 ELSE work_per_audio END \
             WHERE (digest = $6 AND removed_at_us IS NULL) OR (origin = 'builtin' AND effect_id = \
             (SELECT b.effect_id FROM effects b WHERE b.digest = $6 AND b.origin = 'builtin' AND b.removed_at_us IS NULL))",
        )
        .bind(change.enabled)
        .bind(change.memory_bytes.is_some())
        .bind(change.memory_bytes.flatten().map(to_sql))
        .bind(change.work_per_audio.is_some())
        .bind(change.work_per_audio.flatten())
        .bind(digest)
        .execute(&mut transaction)
        .await?;
        if changed == 0 {
            return Ok(None);
        }
        raise_revision(&mut transaction).await?;
        let record = read_effect(&mut transaction, digest).await?;
        transaction.commit().await?;
        Ok(Some(record))
    }

    /// Removes the installed effect with this digest: no new job may name it, those that pinned it still run. `false`
    /// when there is none, or it is built in.
    pub async fn remove_effect(&self, digest: &str, now_us: i64) -> Result<bool, StoreError> {
        let mut transaction = self.writing(Alone::No).await?;
        let removed = query(
            "UPDATE effects SET removed_at_us = $1 \
             WHERE digest = $2 AND origin = $3 AND removed_at_us IS NULL",
        )
        .bind(now_us)
        .bind(digest)
        .bind(EffectOrigin::Installed.as_str())
        .execute(&mut transaction)
        .await?;
        if removed == 0 {
            return Ok(false);
        }
        raise_revision(&mut transaction).await?;
        transaction.commit().await?;
        Ok(true)
    }
}
