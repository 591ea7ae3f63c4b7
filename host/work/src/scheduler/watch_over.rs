use std::time::Duration;

use tokio::sync::watch;

use super::settings::SchedulerSettings;
use vocalhost_job::Progress;
use vocalhost_store::{Handled, Lease, Store, StoreError};
use vocalhost_system::clock;

/// How often progress is written, and the job looked at without being told that it changed.
const BEAT: Duration = Duration::from_secs(1);

/// The lease is renewed when this part of it has passed, so that two renewals may fail before it is lost.
const RENEWALS_PER_LEASE: u32 = 3;

/// Why an attempt is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StopReason {
    /// The lease belongs to somebody else, or could not be renewed in time.
    LeaseLost,
    /// Somebody wants the job stopped.
    Cancelled,
    /// The server ends.
    ServerEnds,
}

/// Keeps the lease and tells the store how far the job is. Returns when the attempt is to stop.
pub(super) async fn watch_over(
    store: &Store,
    settings: &SchedulerSettings,
    lease: &Lease,
    progress: watch::Receiver<Option<Progress>>,
    mut server_ends: watch::Receiver<bool>,
) -> StopReason {
    let mut guard = Guard {
        store,
        lease,
        lease_us: settings.lease_us(),
        renewed_at_us: clock::now_us(),
        progress,
    };
    let mut changes = store.changes();
    let mut beats = tokio::time::interval(BEAT.min(settings.lease / (2 * RENEWALS_PER_LEASE)));
    beats.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            biased;
            () = told(&mut server_ends) => return StopReason::ServerEnds,
            _ = beats.tick() => {
                if let Some(reason) = guard.beat(clock::now_us()).await {
                    return reason;
                }
            }
            () = changes.of(lease.job_id) => {
                // Not a beat: the change may be the progress that the last one wrote.
                if let Some(reason) = guard.glance(clock::now_us()).await {
                    return reason;
                }
            }
        }
    }
}

/// Returns when the flag is true, or when nobody is left to make it so.
pub(super) async fn told(flag: &mut watch::Receiver<bool>) {
    // The borrowed value must not outlive this line: it is a lock.
    let _told = flag.wait_for(|told| *told).await.is_ok();
}

struct Guard<'a> {
    store: &'a Store,
    lease: &'a Lease,
    lease_us: i64,
    renewed_at_us: i64,
    progress: watch::Receiver<Option<Progress>>,
}

impl Guard<'_> {
    async fn beat(&mut self, now_us: i64) -> Option<StopReason> {
        let handled = self.speak(now_us).await;
        self.reason(handled, now_us)
    }

    /// Whether somebody wants the job stopped, without a word of our own.
    async fn glance(&self, now_us: i64) -> Option<StopReason> {
        let handled = self.store.look_at(self.lease).await;
        self.reason(handled, now_us)
    }

    fn reason(&self, handled: Result<Handled, StoreError>, now_us: i64) -> Option<StopReason> {
        match handled {
            Ok(Handled::Recorded) => None,
            Ok(Handled::Cancelling) => Some(StopReason::Cancelled),
            Ok(Handled::LeaseLost) => Some(StopReason::LeaseLost),
            Err(error) => {
                tracing::warn!(job = self.lease.job_id, %error, "cannot renew a lease");
                // From here on somebody else may have the job.
                (now_us >= self.renewed_at_us + self.lease_us).then_some(StopReason::LeaseLost)
            }
        }
    }

    async fn speak(&mut self, now_us: i64) -> Result<Handled, StoreError> {
        if now_us >= self.renewed_at_us + self.lease_us / i64::from(RENEWALS_PER_LEASE) {
            let handled = self.store.renew(self.lease, self.lease_us, now_us).await?;
            self.renewed_at_us = now_us;
            if handled != Handled::Recorded {
                return Ok(handled);
            }
        }
        if self.progress.has_changed().unwrap_or(false) {
            let progress = *self.progress.borrow_and_update();
            if let Some(progress) = progress {
                return self
                    .store
                    .report_progress(self.lease, &progress, now_us)
                    .await;
            }
        }
        self.store.look_at(self.lease).await
    }
}
