use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::calls::Heard;
use super::{Store, StoreError};
use crate::sql::query;

/// Changes that a slow listener may miss before it is told to look at everything.
pub(super) const KEPT_CHANGES: usize = 256;

/// How often a listener looks without a notification: another process, such as the command line, may change a job too.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The same while the process listens to the other servers.
const LOOK_AGAIN_ALTHOUGH_TOLD: Duration = Duration::from_secs(5);

/// What is announced: the number of a job that changed, or nothing when any job may have.
pub(super) type Changed = Option<i64>;

/// A listener for changes of jobs. It says no more than "read again".
#[derive(Debug)]
pub struct Changes {
    told: broadcast::Receiver<Changed>,
    hears: Arc<AtomicBool>,
}

impl Changes {
    /// Returns when the job may have changed, and from time to time for no reason.
    pub async fn of(&mut self, job_id: i64) {
        let look_again = if self.hears.load(Ordering::Relaxed) {
            LOOK_AGAIN_ALTHOUGH_TOLD
        } else {
            LOOK_AGAIN
        };
        let told = async {
            loop {
                match self.told.recv().await {
                    Ok(changed) if changed.is_none_or(|changed| changed == job_id) => return,
                    Ok(_) => {}
                    // The change may have been among those that were missed.
                    Err(RecvError::Lagged(_)) => return,
                    Err(RecvError::Closed) => std::future::pending().await,
                }
            }
        };
        // Either way it is time to look.
        let _ = tokio::time::timeout(look_again, told).await;
    }
}

impl Store {
    /// Hears of every change from now on.
    #[must_use]
    pub fn changes(&self) -> Changes {
        Changes {
            told: self.changed().subscribe(),
            hears: self.hears().clone(),
        }
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
        self.tell_here_of(Some(job_id));
        if let Some(calls) = self.calls() {
            calls.job(job_id);
        }
    }

    /// Announces here what another server did.
    pub(super) fn tell_here(&self, heard: &Heard) {
        for job_id in &heard.jobs {
            self.tell_here_of(Some(*job_id));
        }
        if heard.due {
            self.tell_here_of_due_job();
        }
        if heard.news {
            self.news().notify_one();
        }
    }

    /// Announces here that another server may have done anything.
    pub(super) fn tell_here_of_everything(&self) {
        self.tell_here_of(None);
        self.tell_here_of_due_job();
        self.news().notify_one();
    }

    fn tell_here_of(&self, changed: Changed) {
        // Nobody may be listening.
        let _ = self.changed().send(changed);
    }
}
