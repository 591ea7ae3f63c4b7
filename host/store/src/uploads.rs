use super::rows::{from_sql, to_sql};
use super::usage::check_storage;
use super::users::limits_of;
use super::{Store, StoreError};
use crate::sql::{Alone, query};

/// A file that arrives in several requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadRecord {
    /// Random text.
    pub id: String,
    /// Whose it is.
    pub user_id: i64,
    /// Its size when it is complete.
    pub bytes: u64,
    /// What the client says about it, as it was sent.
    pub metadata: Option<String>,
    /// When it was announced.
    pub created_at_us: i64,
    /// From when on it is gone.
    pub expires_at_us: i64,
    /// How many bytes of it have arrived.
    pub arrived: u64,
}

impl Store {
    /// Stores a new upload, of which nothing has arrived; a user may have `max_per_user` at a time. `false` when the
    /// user has as many. Its bytes count towards the user's storage quota, which is `quota` unless the user has one of
    /// their own.
    pub async fn create_upload(
        &self,
        new: &UploadRecord,
        max_per_user: u64,
        quota: u64,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.writing(Alone::User(new.user_id)).await?;
        let count: i64 =
            query("SELECT COUNT(*) FROM uploads WHERE user_id = $1 AND expires_at_us > $2")
                .bind(new.user_id)
                .bind(new.created_at_us)
                .value(&mut transaction)
                .await?;
        if from_sql(count) >= max_per_user {
            return Ok(false);
        }
        let own = limits_of(&mut transaction, new.user_id).await?;
        let of = (new.user_id, new.created_at_us);
        check_storage(&mut transaction, of, &own, (new.bytes, quota)).await?;
        query(
            "INSERT INTO uploads (id, user_id, bytes, metadata, created_at_us, expires_at_us) \
             VALUES ($1, $2, $3, $4, $5, $6)",
        )
        .bind(&new.id)
        .bind(new.user_id)
        .bind(to_sql(new.bytes))
        .bind(&new.metadata)
        .bind(new.created_at_us)
        .bind(new.expires_at_us)
        .execute(&mut transaction)
        .await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// The upload with this id, unless it has expired.
    pub async fn upload(&self, id: &str, now_us: i64) -> Result<Option<UploadRecord>, StoreError> {
        let row = query(
            "SELECT id, user_id, bytes, metadata, created_at_us, expires_at_us, arrived FROM uploads \
             WHERE id = $1 AND expires_at_us > $2",
        )
        .bind(id)
        .bind(now_us)
        .fetch_optional(self.readers())
        .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        Ok(Some(UploadRecord {
            id: row.try_get("id")?,
            user_id: row.try_get("user_id")?,
            bytes: from_sql(row.try_get("bytes")?),
            metadata: row.try_get("metadata")?,
            created_at_us: row.try_get("created_at_us")?,
            expires_at_us: row.try_get("expires_at_us")?,
            arrived: from_sql(row.try_get("arrived")?),
        }))
    }

    /// Forgets an upload and its pieces; the caller deletes the files. `false` when it does not exist.
    pub async fn delete_upload(&self, id: &str) -> Result<bool, StoreError> {
        let deleted = query("DELETE FROM uploads WHERE id = $1")
            .bind(id)
            .execute(self.writers())
            .await?;
        Ok(deleted > 0)
    }

    /// Forgets every expired upload, and returns their ids: the files of their pieces remain.
    pub async fn expire_uploads(&self, now_us: i64) -> Result<Vec<String>, StoreError> {
        let ids = query("DELETE FROM uploads WHERE expires_at_us <= $1 RETURNING id")
            .bind(now_us)
            .all_values(self.writers())
            .await?;
        Ok(ids)
    }
}
