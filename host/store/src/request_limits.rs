use std::time::Duration;

use super::rows::to_sql;
use super::{Store, StoreError};
use crate::sql::query;

/// Takes one token out of a bucket, if there is one. What is stored is the time at which the bucket will be full again; each token moves it
/// on by the time that a token takes to come back (the generic cell rate algorithm, ITU-T I.371, in its virtual scheduling form).
const TAKE: &str = "WITH taken AS (\
     INSERT INTO request_limits AS l (name, full_at_us) VALUES ($1, $2 + $3) \
     ON CONFLICT (name) DO UPDATE SET full_at_us = GREATEST(l.full_at_us, $2) + $3 \
     WHERE GREATEST(l.full_at_us, $2) + $3 <= $2 + $4 RETURNING full_at_us) \
     SELECT full_at_us, TRUE AS granted FROM taken UNION ALL \
     SELECT full_at_us, FALSE FROM request_limits WHERE name = $1 AND NOT EXISTS (SELECT 1 FROM taken)";

/// How a bucket stands that several servers take from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharedStanding {
    /// Whether there was a token.
    pub granted: bool,
    /// Tokens that are left, including the fraction of the next one.
    pub tokens: f64,
}

impl Store {
    /// Takes a token from the bucket of this name, which holds `quota` of them and refills evenly within `window`. For servers that share a
    /// database: with a file the process counts in its memory instead, and gets `None` here.
    ///
    /// Exact by the clock of the database, in one statement that does not wait for the disk.
    pub async fn take_request(
        &self,
        name: &str,
        (quota, window): (u64, Duration),
        now_us: i64,
    ) -> Result<Option<SharedStanding>, StoreError> {
        if !self.is_shared() || quota == 0 {
            return Ok(None);
        }
        let window_us = u64::try_from(window.as_micros()).unwrap_or(u64::MAX);
        let each_us = (window_us / quota).max(1);
        let row = query(TAKE)
            .bind(name)
            .bind(now_us)
            .bind(to_sql(each_us))
            .bind(to_sql(each_us.saturating_mul(quota)))
            .fetch_optional(self.writers())
            .await?;
        // No row: others emptied a bucket that did not exist when the statement began, so its state is not visible.
        let Some(row) = row else {
            return Ok(Some(SharedStanding {
                granted: false,
                tokens: 0.0,
            }));
        };
        let full_at_us: i64 = row.try_get("full_at_us")?;
        let granted: bool = row.try_get("granted")?;
        let missing = full_at_us.saturating_sub(now_us).max(0) as f64 / each_us as f64;
        let tokens = (quota as f64 - missing).max(0.0);
        // A refused statement sees the state in which it began; others may have taken whole tokens since.
        let is_stale = !granted && tokens >= 1.0;
        Ok(Some(SharedStanding {
            granted,
            tokens: if is_stale { 0.0 } else { tokens },
        }))
    }

    /// Forgets the buckets that are full.
    pub async fn forget_request_limits(&self, now_us: i64) -> Result<u64, StoreError> {
        Ok(query("DELETE FROM request_limits WHERE full_at_us < $1")
            .bind(now_us)
            .execute(self.writers())
            .await?)
    }
}
