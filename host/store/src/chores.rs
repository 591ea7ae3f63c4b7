use std::time::Duration;

use super::rows::to_sql;
use super::{Store, StoreError};
use crate::sql::query;

impl Store {
    /// Whether this server is to do a chore now, among all that share the database: nobody has taken it within its interval. On a file
    /// there is no other server, so the answer is always yes.
    ///
    /// Doing a chore twice does no harm, so nothing guards its end, and a chore whose server died becomes free again by itself.
    pub async fn take_chore(
        &self,
        name: &str,
        every: Duration,
        now_us: i64,
    ) -> Result<bool, StoreError> {
        if !self.is_shared() {
            return Ok(true);
        }
        // A little less than the interval, so that a server which looks that often finds it free each time.
        let rest_us = u64::try_from(every.as_micros()).unwrap_or(u64::MAX) / 10 * 9;
        let taken = query(
            "INSERT INTO chores AS c (name, holder, until_us) VALUES ($1, $2, $3) \
             ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until_us = excluded.until_us \
             WHERE c.until_us <= $4",
        )
        .bind(name)
        .bind(self.node())
        .bind(now_us.saturating_add(to_sql(rest_us)))
        .bind(now_us)
        .execute(self.writers())
        .await?;
        Ok(taken > 0)
    }
}
