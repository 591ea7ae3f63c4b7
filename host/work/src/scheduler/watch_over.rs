use std::future::pending;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep_until, timeout, timeout_at};

use super::settings::SchedulerSettings;
use vocalhost_job::Progress;
use vocalhost_store::{Handled, Lease, Store, StoreError};
use vocalhost_system::clock;

/// How often progress is written, and the job checked without a notification of a change.
const BEAT: Duration = Duration::from_secs(1);

/// The lease is renewed after this fraction of it, so that two renewals may fail before it is lost.
const RENEWALS_PER_LEASE: u32 = 3;

/// On a shared database, an answer that takes longer than this fraction of the lease counts as none.
const ANSWERS_PER_LEASE: u32 = 6;

/// On a shared database, an attempt stops after this share of the lease without a renewal: what it started is gone before another server
/// may get the job, with time to spare for processes to end.
const FENCE: f64 = 0.75;

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

/// Keeps renewing the lease, which was asked for at `asked_at`, and records how far the job is. Returns when the attempt is to stop.
pub(super) async fn watch_over(
    store: &Store,
    settings: &SchedulerSettings,
    (lease, asked_at): (&Lease, Instant),
    progress: watch::Receiver<Option<Progress>>,
    mut server_ends: watch::Receiver<bool>,
) -> StopReason {
    let mut guard = Guard {
        store,
        lease,
        term: settings.lease,
        // With a database in a file there is no other server; only this server's own rescue takes a job away.
        fence: store.is_shared().then(|| settings.lease.mul_f64(FENCE)),
        asked_at,
        progress,
    };
    let mut changes = store.changes();
    let mut beats = interval(BEAT.min(settings.lease / (2 * RENEWALS_PER_LEASE)));
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let step = tokio::select! {
            biased;
            () = told(&mut server_ends) => return StopReason::ServerEnds,
            () = guard.fenced() => return guard.too_late(),
            _ = beats.tick() => Step::Beat,
            // Not a beat: the change may be the progress that the last beat wrote.
            () = changes.of(lease.job_id) => Step::Glance,
        };
        if let Some(reason) = guard.take(step).await {
            return reason;
        }
    }
}

/// Returns when the flag is true, or its sender is gone.
pub(super) async fn told(flag: &mut watch::Receiver<bool>) {
    // The borrowed value must not outlive this line: it is a lock.
    let _told = flag.wait_for(|told| *told).await.is_ok();
}

/// What there is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Renew the lease when it is time, and write how far the job is.
    Beat,
    /// See whether the job is to stop, without writing anything.
    Glance,
}

struct Guard<'a> {
    store: &'a Store,
    lease: &'a Lease,
    /// How long the lease holds.
    term: Duration,
    /// The time after `asked_at` at which the attempt must be over; `None` where no other server can take the job.
    fence: Option<Duration>,
    /// The moment just before the last answered claim or renewal was sent, by a clock that nobody sets.
    asked_at: Instant,
    progress: watch::Receiver<Option<Progress>>,
}

impl Guard<'_> {
    /// Returns when the attempt must stop, because somebody else may soon have the job.
    async fn fenced(&self) {
        match self.fence {
            Some(fence) => sleep_until((self.asked_at + fence).into()).await,
            None => pending().await,
        }
    }

    fn too_late(&self) -> StopReason {
        tracing::error!(
            job = self.lease.job_id,
            "a lease could not be renewed in time: its attempt stops"
        );
        StopReason::LeaseLost
    }

    async fn take(&mut self, step: Step) -> Option<StopReason> {
        let fence = self.fence.map(|fence| self.asked_at + fence);
        let taking = async {
            match step {
                Step::Beat => self.speak().await,
                Step::Glance => self.answer(self.store.look_at(self.lease)).await,
            }
        };
        let handled = match fence {
            // Whether or not this renews the lease, its answer only counts before the old fence.
            Some(fence) => timeout_at(fence.into(), taking)
                .await
                .unwrap_or_else(|_| Err("the database does not answer".to_owned())),
            None => taking.await,
        };
        match handled {
            Ok(Handled::Recorded) => None,
            Ok(Handled::Cancelling) => Some(StopReason::Cancelled),
            Ok(Handled::LeaseLost) => Some(StopReason::LeaseLost),
            Err(error) => {
                tracing::warn!(job = self.lease.job_id, error, "cannot renew a lease");
                // From here on somebody else may have the job.
                (self.asked_at.elapsed() >= self.term).then_some(StopReason::LeaseLost)
            }
        }
    }

    async fn speak(&mut self) -> Result<Handled, String> {
        if self.asked_at.elapsed() >= self.term / RENEWALS_PER_LEASE {
            let asked_at = Instant::now();
            let term_us = i64::try_from(self.term.as_micros()).unwrap_or(i64::MAX);
            let renewal = self.store.renew(self.lease, term_us, clock::now_us());
            let handled = self.answer(renewal).await?;
            self.asked_at = asked_at;
            if handled != Handled::Recorded {
                return Ok(handled);
            }
        }
        if self.progress.has_changed().unwrap_or(false) {
            let progress = *self.progress.borrow_and_update();
            if let Some(progress) = progress {
                let now_us = clock::now_us();
                let report = self.store.report_progress(self.lease, &progress, now_us);
                return self.answer(report).await;
            }
        }
        self.answer(self.store.look_at(self.lease)).await
    }

    /// What the store answers, in time: a connection may hang for as long as the network likes.
    async fn answer(
        &self,
        asked: impl Future<Output = Result<Handled, StoreError>>,
    ) -> Result<Handled, String> {
        let answer = if self.fence.is_some() {
            let answer = timeout(self.term / ANSWERS_PER_LEASE, asked).await;
            answer.map_err(|_| "the database takes too long to answer".to_owned())?
        } else {
            asked.await
        };
        answer.map_err(|error| error.to_string())
    }
}
