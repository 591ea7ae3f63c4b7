use super::audit::note_done;
use super::keys::{insert_key, key_record, parse_scopes};
use super::{Actor, IssuedKey, KeyRecord, NewKey, Store, StoreError};
use crate::sql::{Alone, query};

impl Store {
    /// The key with this public part, without its secret.
    pub async fn key(&self, id: &str) -> Result<Option<KeyRecord>, StoreError> {
        let row = query(
            "SELECT k.id, u.name AS user_name, k.label, k.scopes, k.created_at_us, k.expires_at_us, \
             k.revoked_at_us, k.last_used_at_us \
             FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.id = $1",
        )
        .bind(id)
        .fetch_optional(self.readers())
        .await?;
        row.as_ref().map(key_record).transpose()
    }

    /// Makes a key in place of another one, with its user, label, scopes and expiry; the old one works for another `grace_us`. `None` when
    /// there is no such key, or it does not work any more.
    pub async fn rotate_key(
        &self,
        id: &str,
        grace_us: i64,
        actor: &Actor,
        now_us: i64,
    ) -> Result<Option<IssuedKey>, StoreError> {
        let mut transaction = self.writing(Alone::Everybody).await?;
        let row = query(
            "SELECT u.name AS user_name, k.label, k.scopes, k.expires_at_us \
             FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.id = $1 \
             AND k.revoked_at_us IS NULL AND (k.expires_at_us IS NULL OR k.expires_at_us > $2)",
        )
        .bind(id)
        .bind(now_us)
        .fetch_optional(&mut transaction)
        .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let expires_at_us: Option<i64> = row.try_get("expires_at_us")?;
        let new = NewKey {
            user: row.try_get("user_name")?,
            label: row.try_get("label")?,
            scopes: parse_scopes(&row.try_get::<String>("scopes")?),
            expires_at_us,
        };
        let issued = insert_key(&mut transaction, &new, now_us).await?;
        if grace_us > 0 {
            let end_us = now_us.saturating_add(grace_us);
            let end_us = expires_at_us.map_or(end_us, |before_us| before_us.min(end_us));
            query("UPDATE api_keys SET expires_at_us = $1 WHERE id = $2")
                .bind(end_us)
                .bind(id)
                .execute(&mut transaction)
                .await?;
        } else {
            query("UPDATE api_keys SET revoked_at_us = $1 WHERE id = $2")
                .bind(now_us)
                .bind(id)
                .execute(&mut transaction)
                .await?;
        }
        let target = format!("{id} -> {}", issued.id);
        note_done(&mut transaction, actor, ("rotateKey", &target), now_us).await?;
        transaction.commit().await?;
        Ok(Some(issued))
    }
}
