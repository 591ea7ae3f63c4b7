use super::effect_keys::{Distrust, SignedBy, settle_key};
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
    /// The id is not given to whoever signed.
    Distrusted(Distrust),
    /// The id has another component under this version.
    VersionTaken {
        /// The digest of that one.
        digest: String,
    },
}

impl Store {
    /// Installs an effect and enables it. A removed component comes back; one that is installed stays as it is. An id belongs to the key
    /// that signed its first effect.
    pub async fn install_effect(
        &self,
        new: &NewEffect,
        signed: SignedBy<'_>,
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
        let id = &new.effect_id;
        let settled = settle_key(&mut transaction, id, signed, !others.is_empty(), now_us);
        if let Some(distrust) = settled.await? {
            return Ok(InstallOutcome::Distrusted(distrust));
        }
        for other in &others {
            let digest: String = other.try_get("digest")?;
            if digest == new.digest {
                let record = read_effect(&mut transaction, &digest).await?;
                transaction.commit().await?;
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
