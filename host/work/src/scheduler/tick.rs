use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use tracing::{Instrument as _, debug_span};

use super::cleanup::{CLEANUP_EVERY, clean_up};
use super::files_watch::FilesWatch;
use super::rescue::{rescue, start_afresh};
use super::settings::SchedulerSettings;
use super::watch_over::told;
use super::workbench::Workbench;
use crate::worker::Supervisor;
use vocalhost_files::FileStore;
use vocalhost_job::JobKind;
use vocalhost_observe::metrics::Metrics;
use vocalhost_observe::traces::Tracer;
use vocalhost_store::{Claim, ClaimedJob, Store, StoreError};
use vocalhost_system::clock;
use vocalhost_system::disk::Reserve;
use vocalhost_system::token;

/// How often expired leases are looked for; a fraction of a lease.
const RESCUE_EVERY: Duration = Duration::from_secs(10);

/// How often workers that could not be started are tried again.
const START_AGAIN_EVERY: Duration = Duration::from_secs(5);

/// Gives due jobs to workers until the server ends.
#[derive(Debug)]
pub struct Scheduler {
    bench: Workbench,
    /// Supervisors without a job.
    idle: Vec<Supervisor>,
    /// Those with one.
    busy: JoinSet<Supervisor>,
    /// How many supervisors there have been.
    made: usize,
    /// Whose turn it is next, among the kinds of job.
    turn: usize,
    /// Shared by the trainings that run, which are counted by it.
    trainings: Arc<()>,
    /// Tells attempts that the grace period is over.
    end_attempts: watch::Sender<bool>,
    /// Says whether workers can be started.
    ready: Arc<AtomicBool>,
    /// When to try again after one could not be.
    try_again: Instant,
    /// What of the disk has to stay free; below it no job begins.
    reserve: Reserve,
    /// Whether as much was free when it was last looked at.
    had_room: bool,
    /// Whether the file store answers.
    watch: FilesWatch,
}

impl Scheduler {
    /// A scheduler that has not started yet.
    #[must_use]
    pub fn new(settings: SchedulerSettings, store: Store, files: FileStore) -> Self {
        let free_bytes = settings.supervisor.free_bytes;
        Self {
            reserve: Reserve::new(&settings.scratch_folder, free_bytes),
            had_room: true,
            watch: FilesWatch::new(),
            bench: Workbench {
                store,
                files,
                settings: Arc::new(settings),
                metrics: Arc::default(),
                tracer: Tracer::default(),
            },
            idle: Vec::new(),
            busy: JoinSet::new(),
            made: 0,
            turn: 0,
            trainings: Arc::default(),
            end_attempts: watch::Sender::new(false),
            ready: Arc::default(),
            try_again: Instant::now(),
        }
    }

    /// What attempts work with.
    #[must_use]
    pub fn workbench(&self) -> Workbench {
        self.bench.clone()
    }

    /// The same scheduler with its metrics and spans exported.
    #[must_use]
    pub fn watched(mut self, metrics: Arc<Metrics>, tracer: Tracer) -> Self {
        self.bench.metrics = metrics;
        self.bench.tracer = tracer;
        self
    }

    /// The same scheduler, with a flag that tells others whether workers can be started.
    #[must_use]
    pub fn telling(mut self, ready: Arc<AtomicBool>) -> Self {
        self.ready = ready;
        self
    }

    /// Runs until `shutdown` becomes true, or its sender is gone, and every attempt has ended. The caller must hold the lock of the data
    /// folder: at the start every running job in the store is put back into the queue, or on a shared database this server's own.
    ///
    /// Only errors of the start are returned; later ones are logged, and the next tick tries again.
    pub async fn run(mut self, mut shutdown: watch::Receiver<bool>) -> Result<(), StoreError> {
        start_afresh(&self.bench, clock::now_us()).await?;
        let background = tokio::spawn(look_after(self.bench.clone()));
        for _ in 0..self.bench.settings.workers {
            let supervisor = self.new_supervisor();
            self.warm_up(supervisor, &shutdown);
        }
        self.ready.store(true, Ordering::Relaxed);
        let mut poll = interval(self.bench.settings.poll);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            self.tick(&shutdown).await;
            self.bench.metrics.workers(self.idle.len(), self.busy.len());
            let store = self.bench.store.clone();
            tokio::select! {
                () = told(&mut shutdown) => break,
                Some(returned) = self.busy.join_next() => {
                    self.take_back(returned);
                    self.tell_ready();
                }
                () = store.job_due() => {}
                _ = poll.tick() => self.start_again(&shutdown),
            }
        }
        self.ready.store(false, Ordering::Relaxed);
        background.abort();
        self.wind_down().await;
        Ok(())
    }

    /// One turn:
    ///
    /// 1. Claim the next due job, if the server is not ending, the disk has room, the file store answers, and an idle supervisor can start
    ///    a worker.
    /// 2. If none is due, wait for the next turn.
    /// 3. Otherwise run it beside the others, and go back to 1.
    async fn tick(&mut self, shutdown: &watch::Receiver<bool>) {
        while !is_told(shutdown)
            && self.has_room()
            && self.watch.answers(&self.bench.files).await
            && let Some(place) = self.idle.iter().rposition(Supervisor::can_start)
        {
            let mut supervisor = self.idle.remove(place);
            match self.claim().instrument(debug_span!("claim")).await {
                Ok(Some(job)) => {
                    let bench = self.bench.clone();
                    let server_ends = self.end_attempts.subscribe();
                    let is_training = job.record.kind == JobKind::VoiceTraining;
                    let counted = is_training.then(|| self.trainings.clone());
                    // With the span, log lines of an attempt, its statements included, can be told from those of the sweeps beside it.
                    let span = debug_span!("attempt", job = job.lease.job_id);
                    let working = async move {
                        bench.attempt(&mut supervisor, job, server_ends).await;
                        drop(counted);
                        supervisor
                    };
                    self.busy.spawn(working.instrument(span));
                }
                Ok(None) => {
                    self.idle.push(supervisor);
                    return;
                }
                Err(error) => {
                    tracing::error!(%error, "cannot claim a job");
                    self.idle.push(supervisor);
                    return;
                }
            }
        }
    }

    /// Whether a job may begin. On a full disk it would only fail, and so would all that wait behind it.
    fn has_room(&mut self) -> bool {
        let has_room = self.reserve.is_kept();
        if has_room != self.had_room {
            self.had_room = has_room;
            let bytes = self.reserve.bytes();
            if has_room {
                tracing::info!("the disk has room again: jobs go on");
            } else {
                tracing::warn!(
                    min_free_bytes = bytes,
                    "the disk has too little room: jobs wait, and no new ones are taken"
                );
            }
        }
        has_room
    }

    /// Each kind is a queue of its own. The queues are served in turn, so a long line of separations delays no conversion.
    async fn claim(&mut self) -> Result<Option<ClaimedJob>, StoreError> {
        let kinds = self.bench.settings.queues.len();
        for _ in 0..kinds {
            let kind = self.bench.settings.queues[self.turn];
            self.turn = (self.turn + 1) % kinds;
            if kind == JobKind::VoiceTraining && !self.may_train() {
                continue;
            }
            let lease_token =
                token::draw().map_err(|error| StoreError::Randomness(error.to_string()))?;
            let claim = Claim {
                kind,
                lease_token,
                lease_us: self.bench.settings.lease_us(),
                max_running_per_user: self.bench.settings.max_running_per_user,
            };
            let now_us = clock::now_us();
            let claimed = self.bench.store.claim(&claim, now_us).await?;
            if let Some(job) = &claimed {
                self.count_claim(job, now_us);
                return Ok(claimed);
            }
        }
        Ok(None)
    }

    /// Whether one more training may begin.
    fn may_train(&self) -> bool {
        let running = Arc::strong_count(&self.trainings) - 1;
        running < self.bench.settings.training_workers
    }

    fn count_claim(&self, job: &ClaimedJob, now_us: i64) {
        let record = &job.record;
        // Later claims follow a failure, so their waiting time says nothing about the queue.
        if record.state.run().is_some_and(|run| run.attempt == 1) {
            let waited_s = (now_us - record.created_at_us) as f64 / clock::US_PER_S as f64;
            self.bench.metrics.claimed(record.kind.as_str(), waited_s);
        }
    }

    /// Starts a worker in the background; its supervisor becomes idle once the worker is warm.
    fn warm_up(&mut self, mut supervisor: Supervisor, shutdown: &watch::Receiver<bool>) {
        let mut shutdown = shutdown.clone();
        self.busy.spawn(async move {
            let started = tokio::select! {
                () = told(&mut shutdown) => Ok(()),
                started = supervisor.warm_up() => started,
            };
            if let Err(error) = started {
                // Jobs wait until `start_again` had more luck.
                tracing::error!(%error, "cannot start a worker");
            }
            supervisor
        });
    }

    /// Tries from time to time to start the workers that could not be started: a single one while none can, to spare a machine in trouble,
    /// and all of them once one could.
    fn start_again(&mut self, shutdown: &watch::Receiver<bool>) {
        if Instant::now() < self.try_again {
            return;
        }
        self.try_again = Instant::now() + START_AGAIN_EVERY;
        let most = if self.ready.load(Ordering::Relaxed) {
            self.idle.len()
        } else {
            1
        };
        let failed = self.idle.extract_if(.., |idle| !idle.can_start());
        let again: Vec<_> = failed.take(most).collect();
        for supervisor in again {
            self.warm_up(supervisor, shutdown);
        }
    }

    fn new_supervisor(&mut self) -> Supervisor {
        let number = self.made;
        self.made += 1;
        Supervisor::new(self.bench.settings.supervisor(number))
    }

    fn take_back(&mut self, returned: Result<Supervisor, JoinError>) {
        let supervisor = returned.unwrap_or_else(|error| {
            // Its worker died with it; the rescue will find its job.
            tracing::error!(%error, "an attempt panicked");
            self.new_supervisor()
        });
        self.idle.push(supervisor);
    }

    /// Sets the flag: whether the last worker to be started could be.
    fn tell_ready(&self) {
        if let Some(last) = self.idle.last() {
            self.ready.store(last.can_start(), Ordering::Relaxed);
        }
    }

    /// Lets running jobs go on for the grace period, then stops the rest and puts them back into the queue.
    async fn wind_down(mut self) {
        let end_of_grace = Instant::now() + self.bench.settings.grace_period;
        loop {
            tokio::select! {
                returned = self.busy.join_next() => match returned {
                    Some(returned) => self.take_back(returned),
                    None => break,
                },
                () = sleep_until(end_of_grace), if !*self.end_attempts.borrow() => {
                    self.end_attempts.send_replace(true);
                }
            }
        }
        for supervisor in self.idle.drain(..) {
            supervisor.shut_down().await;
        }
    }
}

fn is_told(flag: &watch::Receiver<bool>) -> bool {
    *flag.borrow()
}

/// The rescue, by one of the servers that share a database.
async fn rescue_in_turn(bench: &Workbench, now_us: i64) -> Result<usize, StoreError> {
    // Whoever could not do it leaves it to the others.
    if bench.store.has_been_reached_for(bench.settings.lease)
        && bench
            .store
            .take_chore("rescue", RESCUE_EVERY, now_us)
            .await?
    {
        return rescue(bench, now_us).await;
    }
    Ok(0)
}

/// The rescue and the cleanup, beside the ticks so that no job waits for a long cleanup, and beside each other so that no rescue does.
async fn look_after(bench: Workbench) {
    let every = |period| {
        let mut ticks = interval(period);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        ticks
    };
    let (mut rescues, mut cleanups) = (every(RESCUE_EVERY), every(CLEANUP_EVERY));
    let rescuing = async {
        loop {
            rescues.tick().await;
            match rescue_in_turn(&bench, clock::now_us()).await {
                Ok(0) => {}
                Ok(jobs) => tracing::warn!(jobs, "took jobs from workers that are gone"),
                Err(error) => tracing::error!(%error, "cannot look for lost jobs"),
            }
        }
    };
    let cleaning = async {
        loop {
            cleanups.tick().await;
            if let Err(error) = clean_up(&bench, clock::now_us()).await {
                tracing::error!(%error, "cannot clean up");
            }
        }
    };
    tokio::join!(rescuing, cleaning);
}
