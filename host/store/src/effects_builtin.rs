use std::collections::BTreeMap;

use super::effects::{
    EffectOrigin, EffectRecord, NewEffect, effect_columns, effect_record, insert_effect,
    raise_revision,
};
use super::{Store, StoreError};
use crate::sql::{Alone, Transaction, query};

/// Every hour a server declares which built-in effects its program has. An effect that none has declared for so long belongs to a release
/// that is no longer in use.
const CARRIED_US: i64 = 24 * 3_600_000_000;

/// A built-in effect as it is stored.
struct Known {
    record: EffectRecord,
    is_removed: bool,
}

impl Store {
    /// Enters the built-in effects of a program that starts. A new build or version of an effect inherits its limits and whether it is
    /// enabled.
    ///
    /// Effects of other releases are removed; jobs that pinned them keep them. If other servers may run such a release, their effects stay
    /// until a day after they were last declared.
    pub async fn sync_builtin_effects(
        &self,
        effects: &[NewEffect],
        now_us: i64,
    ) -> Result<(), StoreError> {
        self.enter_builtin(effects, true, now_us).await
    }

    /// Declares that this program still has its built-in effects. Those that were removed meanwhile come back.
    pub async fn carry_builtin_effects(
        &self,
        effects: &[NewEffect],
        now_us: i64,
    ) -> Result<(), StoreError> {
        self.enter_builtin(effects, false, now_us).await
    }

    async fn enter_builtin(
        &self,
        effects: &[NewEffect],
        starts: bool,
        now_us: i64,
    ) -> Result<(), StoreError> {
        let mut transaction = self.writing(Alone::Everybody).await?;
        let known = known(&mut transaction).await?;
        let mut changed = false;
        for effect in effects {
            changed |= match known.get(&effect.digest) {
                Some(known) => carry(&mut transaction, (effect, known), starts, now_us).await?,
                None => put(&mut transaction, effect, &known, now_us).await?,
            };
        }
        let before_us = if transaction.is_shared() {
            now_us.saturating_sub(CARRIED_US)
        } else {
            // There is no other program.
            now_us
        };
        let is_ours = |digest: &String| effects.iter().any(|effect| effect.digest == *digest);
        let others = known.iter().filter(|(digest, _)| !is_ours(digest));
        for (digest, _) in others.filter(|(_, known)| !known.is_removed) {
            let removed = query(
                "UPDATE effects SET removed_at_us = $1 WHERE digest = $2 AND COALESCE(carried_at_us, 0) <= $3",
            )
            .bind(now_us)
            .bind(digest)
            .bind(before_us)
            .execute(&mut transaction)
            .await?;
            changed |= removed > 0;
        }
        if changed {
            raise_revision(&mut transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

/// The built-in effects of all releases that are not forgotten, by digest.
async fn known(transaction: &mut Transaction) -> Result<BTreeMap<String, Known>, StoreError> {
    let rows = query(concat!(
        "SELECT ",
        effect_columns!(),
        ", e.removed_at_us IS NOT NULL AS is_removed FROM effects e WHERE e.origin = 'builtin'"
    ))
    .fetch_all(transaction)
    .await?;
    let mut known = BTreeMap::new();
    for row in &rows {
        let record = effect_record(row)?;
        let is_removed = row.try_get("is_removed")?;
        let digest = record.effect.digest.clone();
        known.insert(digest, Known { record, is_removed });
    }
    Ok(known)
}

/// Declares that a program has an effect that is stored; returns whether that changes what is offered.
async fn carry(
    transaction: &mut Transaction,
    (effect, known): (&NewEffect, &Known),
    starts: bool,
    now_us: i64,
) -> Result<bool, StoreError> {
    // Another release may read more from the same component. If two run at the same time, the one that started last decides.
    let reads_more = starts && known.record.effect.descriptor != effect.descriptor;
    let descriptor = reads_more.then(|| serde_json::to_string(&effect.descriptor));
    query(
        "UPDATE effects SET carried_at_us = $1, removed_at_us = NULL, descriptor = COALESCE($2, descriptor) \
         WHERE digest = $3",
    )
    .bind(now_us)
    .bind(descriptor.transpose()?)
    .bind(&effect.digest)
    .execute(transaction)
    .await?;
    Ok(reads_more || known.is_removed)
}

/// Enters an effect that is not stored.
async fn put(
    transaction: &mut Transaction,
    effect: &NewEffect,
    known: &BTreeMap<String, Known>,
    now_us: i64,
) -> Result<bool, StoreError> {
    let others = known.values();
    let others = others.filter(|known| known.record.effect.effect_id == effect.effect_id);
    let before = others.max_by_key(|known| (!known.is_removed, known.record.installed_at_us));
    let before = before.map(|known| &known.record);
    let mut effect = effect.clone();
    if let Some(before) = before {
        effect.overrides = before.effect.overrides;
    }
    let since_us = before.map_or(now_us, |before| before.installed_at_us);
    let origin = EffectOrigin::BuiltIn;
    insert_effect(transaction, &effect, origin, None, since_us).await?;
    query("UPDATE effects SET carried_at_us = $1, enabled = $2 WHERE digest = $3")
        .bind(now_us)
        .bind(before.is_none_or(|before| before.enabled))
        .bind(&effect.digest)
        .execute(transaction)
        .await?;
    Ok(true)
}
