//! Ownership of effects: an id belongs to the key that signed its first effect.

use super::{Store, StoreError};
use crate::sql::{Transaction, query};

/// Who signed an effect that is installed, and whether the operator trusts them regardless of earlier signatures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SignedBy<'k> {
    /// The public key, if there is a signature. It was checked.
    pub key: Option<&'k str>,
    /// Whether the operator said so.
    pub is_trusted: bool,
}

/// The key that an id belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectKey {
    /// The effects' id.
    pub effect_id: String,
    /// The public key.
    pub public_key: String,
    /// When it was trusted.
    pub trusted_at_us: i64,
}

/// Why an id is not given to whoever signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Distrust {
    /// It belongs to another key, and the effect has no signature or somebody else's.
    BelongsTo {
        /// That key.
        key: String,
    },
    /// It has effects that nobody signed.
    Unsigned,
}

impl Store {
    /// The keys that ids belong to, by id.
    pub async fn effect_keys(&self) -> Result<Vec<EffectKey>, StoreError> {
        let mut transaction = self.reading().await?;
        let rows = query(
            "SELECT effect_id, public_key, trusted_at_us FROM effect_keys ORDER BY effect_id",
        )
        .fetch_all(&mut transaction)
        .await?;
        let read = rows.iter().map(|row| {
            Ok(EffectKey {
                effect_id: row.try_get("effect_id")?,
                public_key: row.try_get("public_key")?,
                trusted_at_us: row.try_get("trusted_at_us")?,
            })
        });
        read.collect()
    }
}

/// Checks an id against its key, or binds it to one when it has none. `has_others` says whether effects with this id are installed.
pub(super) async fn settle_key(
    transaction: &mut Transaction,
    effect_id: &str,
    signed: SignedBy<'_>,
    has_others: bool,
    now_us: i64,
) -> Result<Option<Distrust>, StoreError> {
    let row = query("SELECT public_key FROM effect_keys WHERE effect_id = $1")
        .bind(effect_id)
        .fetch_optional(&mut *transaction)
        .await?;
    let owner: Option<String> = match row {
        Some(row) => Some(row.try_get("public_key")?),
        None => None,
    };
    if !signed.is_trusted {
        match &owner {
            Some(owner) if signed.key != Some(owner) => {
                return Ok(Some(Distrust::BelongsTo { key: owner.clone() }));
            }
            None if signed.key.is_some() && has_others => return Ok(Some(Distrust::Unsigned)),
            _ => {}
        }
    }
    let Some(key) = signed.key.filter(|key| Some(*key) != owner.as_deref()) else {
        return Ok(None);
    };
    query(
        "INSERT INTO effect_keys (effect_id, public_key, trusted_at_us) VALUES ($1, $2, $3) \
         ON CONFLICT (effect_id) DO UPDATE SET public_key = $2, trusted_at_us = $3",
    )
    .bind(effect_id)
    .bind(key)
    .bind(now_us)
    .execute(transaction)
    .await?;
    Ok(None)
}
