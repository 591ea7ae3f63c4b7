use super::rows::{from_sql, to_sql};
use super::{Store, StoreError};
use crate::sql::{Alone, Row, query};

/// Some bytes of an upload, in a file of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadPiece {
    /// Where in the upload they begin.
    pub begins_at: u64,
    /// How many they are.
    pub bytes: u64,
    /// The key of the file.
    pub key: String,
}

/// Bytes of an upload that are in the file store and are to be counted.
#[derive(Debug, Clone, Copy)]
pub struct Arrival<'a> {
    /// The upload's id.
    pub upload_id: &'a str,
    /// The word of whoever has the upload.
    pub token: &'a str,
    /// How much had arrived before.
    pub arrived: u64,
    /// The file that ends with them. A piece that begins where another one does replaces it.
    pub piece: &'a UploadPiece,
    /// Until when the upload stays locked; `None` unlocks it.
    pub held_until_us: Option<i64>,
}

impl Store {
    /// Locks an upload for the holder of `token`, until `until_us` or as long as it is [held](Self::hold_upload), and returns how much of
    /// it has arrived. None when somebody else has it, or it does not exist.
    pub async fn lock_upload(
        &self,
        id: &str,
        token: &str,
        (now_us, until_us): (i64, i64),
    ) -> Result<Option<u64>, StoreError> {
        let arrived: Vec<i64> = query(
            "UPDATE uploads SET lock_token = $1, locked_until_us = $2 WHERE id = $3 AND expires_at_us > $4 \
             AND (lock_token IS NULL OR locked_until_us <= $4) RETURNING arrived",
        )
        .bind(token)
        .bind(until_us)
        .bind(id)
        .bind(now_us)
        .all_values(self.writers())
        .await?;
        Ok(arrived.first().copied().map(from_sql))
    }

    /// Extends the lock of an upload. `false` when it has passed to another.
    pub async fn hold_upload(
        &self,
        id: &str,
        token: &str,
        until_us: i64,
    ) -> Result<bool, StoreError> {
        let held =
            query("UPDATE uploads SET locked_until_us = $1 WHERE id = $2 AND lock_token = $3")
                .bind(until_us)
                .bind(id)
                .bind(token)
                .execute(self.writers())
                .await?;
        Ok(held > 0)
    }

    /// Lets go of an upload, if it is still this one's.
    pub async fn release_upload(&self, id: &str, token: &str) -> Result<(), StoreError> {
        query(
            "UPDATE uploads SET lock_token = NULL, locked_until_us = 0 WHERE id = $1 AND lock_token = $2",
        )
        .bind(id)
        .bind(token)
        .execute(self.writers())
        .await?;
        Ok(())
    }

    /// Unlocks every upload: the holders are gone. Only for a server that is alone and has just started.
    pub async fn release_uploads(&self) -> Result<(), StoreError> {
        query("UPDATE uploads SET lock_token = NULL, locked_until_us = 0 WHERE lock_token IS NOT NULL")
            .execute(self.writers())
            .await?;
        Ok(())
    }

    /// Counts bytes that are in the file store. `false` when somebody else has the upload by now, or it is gone: then the file belongs to
    /// nobody.
    pub async fn note_arrival(&self, arrival: &Arrival<'_>) -> Result<bool, StoreError> {
        let Arrival { piece, .. } = arrival;
        let end = piece.begins_at + piece.bytes;
        let mut transaction = self.writing(Alone::No).await?;
        let changed = query(
            "UPDATE uploads SET arrived = $1, lock_token = CASE WHEN $2 THEN lock_token END, locked_until_us = $3 \
             WHERE id = $4 AND lock_token = $5 AND arrived = $6 AND bytes >= $1",
        )
        .bind(to_sql(end))
        .bind(arrival.held_until_us.is_some())
        .bind(arrival.held_until_us.unwrap_or(0))
        .bind(arrival.upload_id)
        .bind(arrival.token)
        .bind(to_sql(arrival.arrived))
        .execute(&mut transaction)
        .await?;
        if changed == 0 {
            return Ok(false);
        }
        query(
            "INSERT INTO upload_pieces (upload_id, begins_at, bytes, file_key) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (upload_id, begins_at) DO UPDATE SET bytes = excluded.bytes, file_key = excluded.file_key",
        )
        .bind(arrival.upload_id)
        .bind(to_sql(piece.begins_at))
        .bind(to_sql(piece.bytes))
        .bind(&piece.key)
        .execute(&mut transaction)
        .await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// The pieces of an upload, in their order.
    pub async fn upload_pieces(&self, id: &str) -> Result<Vec<UploadPiece>, StoreError> {
        let rows = query(
            "SELECT begins_at, bytes, file_key FROM upload_pieces WHERE upload_id = $1 ORDER BY begins_at",
        )
        .bind(id)
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(piece).collect()
    }

    /// The last piece of an upload.
    pub async fn last_upload_piece(&self, id: &str) -> Result<Option<UploadPiece>, StoreError> {
        let row = query(
            "SELECT begins_at, bytes, file_key FROM upload_pieces WHERE upload_id = $1 \
             ORDER BY begins_at DESC LIMIT 1",
        )
        .bind(id)
        .fetch_optional(self.readers())
        .await?;
        row.as_ref().map(piece).transpose()
    }

    /// Whether the file is that of a piece of the upload.
    pub async fn needs_upload_piece(&self, id: &str, key: &str) -> Result<bool, StoreError> {
        Ok(query(
            "SELECT EXISTS (SELECT 1 FROM upload_pieces WHERE upload_id = $1 AND file_key = $2)",
        )
        .bind(id)
        .bind(key)
        .value(self.readers())
        .await?)
    }
}

fn piece(row: &Row) -> Result<UploadPiece, StoreError> {
    Ok(UploadPiece {
        begins_at: from_sql(row.try_get("begins_at")?),
        bytes: from_sql(row.try_get("bytes")?),
        key: row.try_get("file_key")?,
    })
}
