use super::{Store, StoreError};
use crate::sql::query;

impl Store {
    /// The secret of this name that all servers of the database share: the stored one, or else `candidate` (in hex), which is stored then.
    /// When several servers come at once, all get the one that was stored first.
    pub async fn shared_secret(
        &self,
        name: &str,
        candidate: &str,
        now_us: i64,
    ) -> Result<String, StoreError> {
        query(
            "INSERT INTO shared_secrets (name, secret, made_at_us) VALUES ($1, $2, $3) \
             ON CONFLICT (name) DO NOTHING",
        )
        .bind(name)
        .bind(candidate)
        .bind(now_us)
        .execute(self.writers())
        .await?;
        // In a statement of its own, which sees what another server has committed meanwhile.
        Ok(query("SELECT secret FROM shared_secrets WHERE name = $1")
            .bind(name)
            .value(self.readers())
            .await?)
    }
}
