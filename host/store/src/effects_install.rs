use std::collections::BTreeMap;

use super::effects::{
    EffectOrigin, EffectRecord, NewEffect, effect_columns, effect_record, insert_effect,
    raise_revision,
};
use super::{Store, StoreError};
use crate::sql::{Alone, Transaction, query};

/// What became of installing an effect.
#[derive(Debug, Clone, PartialEq)]
pub enum InstallOutcome {
    /// It is there now.
    Installed(EffectRecord),
    /// The very same component was there before; nothing changed.
    AlreadyThere(EffectRecord),
    /// An effect of another maker has this id.
    IdTaken {
        /// Who made that one.
        vendor: String,
    },
    /// The id has another component under this version.
    VersionTaken {
        /// The digest of that one.
        digest: String,
    },
}

impl Store {
    /// Installs an effect and enables it. A component that was removed comes back; one that is there stays as it is.
    pub async fn install_effect(
        &self,
        new: &NewEffect,
        installed_by: Option<&str>,
        now_us: i64,
    ) -> Result<InstallOutcome, StoreError> {
        let mut transaction = self.writing(Alone::Everybody).await?;
        let others = query(
            "SELECT digest, version, vendor FROM effects WHERE effect_id = $1 AND removed_at_us IS NULL",
        )
        .bind(&new.effect_id)
        .fetch_all(&mut transaction)
        .await?;
        for other in &others {
            let digest: String = other.try_get("digest")?;
            if digest == new.digest {
                let record = read_effect(&mut transaction, &digest).await?;
                return Ok(InstallOutcome::AlreadyThere(record));
            }
            let vendor: String = other.try_get("vendor")?;
            if vendor != new.vendor {
                return Ok(InstallOutcome::IdTaken { vendor });
            }
            let version: String = other.try_get("version")?;
            if version == new.version {
                return Ok(InstallOutcome::VersionTaken { digest });
            }
        }
        // Only a removed effect can have the digest now.
        query("DELETE FROM effects WHERE digest = $1")
            .bind(&new.digest)
            .execute(&mut transaction)
            .await?;
        let origin = EffectOrigin::Installed;
        insert_effect(&mut transaction, new, origin, installed_by, now_us).await?;
        raise_revision(&mut transaction).await?;
        let record = read_effect(&mut transaction, &new.digest).await?;
        transaction.commit().await?;
        Ok(InstallOutcome::Installed(record))
    }

    /// Brings the rows of the built-in effects in line with the program. One that comes in another build or version
    /// inherits whether it is enabled, and its limits.
    pub async fn sync_builtin_effects(
        &self,
        effects: &[NewEffect],
        now_us: i64,
    ) -> Result<(), StoreError> {
        let mut transaction = self.writing(Alone::Everybody).await?;
        let rows = query(concat!(
            "SELECT ",
            effect_columns!(),
            " FROM effects e WHERE e.origin = 'builtin'"
        ))
        .fetch_all(&mut transaction)
        .await?;
        let mut before = BTreeMap::new();
        for row in &rows {
            let record = effect_record(row)?;
            before.insert(record.effect.effect_id.clone(), record);
        }
        // A release may read more out of the same component.
        let wanted: BTreeMap<&str, _> = effects
            .iter()
            .map(|one| (one.digest.as_str(), &one.descriptor))
            .collect();
        let had: BTreeMap<&str, _> = before
            .values()
            .map(|one| (one.effect.digest.as_str(), &one.effect.descriptor))
            .collect();
        if wanted == had {
            return Ok(());
        }
        query("DELETE FROM effects WHERE origin = 'builtin'")
            .execute(&mut transaction)
            .await?;
        for effect in effects {
            put_builtin(&mut transaction, effect, &before, now_us).await?;
        }
        raise_revision(&mut transaction).await?;
        transaction.commit().await?;
        Ok(())
    }
}

async fn put_builtin(
    transaction: &mut Transaction,
    effect: &NewEffect,
    before: &BTreeMap<String, EffectRecord>,
    now_us: i64,
) -> Result<(), StoreError> {
    let known = before.get(&effect.effect_id);
    let mut effect = effect.clone();
    let mut since_us = now_us;
    if let Some(known) = known {
        effect.overrides = known.effect.overrides;
        since_us = known.installed_at_us;
    }
    insert_effect(transaction, &effect, EffectOrigin::BuiltIn, None, since_us).await?;
    if known.is_some_and(|known| !known.enabled) {
        query("UPDATE effects SET enabled = FALSE WHERE digest = $1")
            .bind(&effect.digest)
            .execute(transaction)
            .await?;
    }
    Ok(())
}

pub(super) async fn read_effect(
    transaction: &mut Transaction,
    digest: &str,
) -> Result<EffectRecord, StoreError> {
    let row = query(concat!(
        "SELECT ",
        effect_columns!(),
        " FROM effects e WHERE e.digest = $1"
    ))
    .bind(digest)
    .fetch_one(transaction)
    .await?;
    effect_record(&row)
}
