use std::time::Duration;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::{Store, StoreError};
use crate::sql::query;

/// Changes that a slow listener may miss before it is told to look at everything.
pub(super) const KEPT_CHANGES: usize = 256;

/// How often a listener looks without being told: another process, such as the command line, may change a job too.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Hears of changes of jobs. It says no more than "read again".
#[derive(Debug)]
pub struct Changes(broadcast::Receiver<i64>);

impl Changes {
    /// Returns when the job may have changed, and from time to time without a reason.
    pub async fn of(&mut self, job_id: i64) {
        let told = async {
            loop {
                match self.0.recv().await {
                    Ok(changed) if changed == job_id => return,
                    Ok(_) => {}
                    // It may have been among those that were missed.
                    Err(RecvError::Lagged(_)) => return,
                    Err(RecvError::Closed) => std::future::pending().await,
                }
            }
        };
        // Either way it is time to look.
        let _ = tokio::time::timeout(LOOK_AGAIN, told).await;
    }
}

impl Store {
    /// Hears of every change from now on.
    #[must_use]
    pub fn changes(&self) -> Changes {
        Changes(self.changed().subscribe())
    }

    /// Whether the job is there and has not ended.
    pub async fn goes_on(&self, job_id: i64) -> Result<bool, StoreError> {
        Ok(
            query("SELECT EXISTS (SELECT 1 FROM jobs WHERE id = $1 AND ended_at_us IS NULL)")
                .bind(job_id)
                .value(self.readers())
                .await?,
        )
    }

    /// To be called after the transaction that changed the job.
    pub(super) fn announce_change(&self, job_id: i64) {
        // Nobody may be listening.
        let _ = self.changed().send(job_id);
    }
}
