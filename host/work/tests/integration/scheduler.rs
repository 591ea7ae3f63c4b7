use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;
use vocalhost_job::{JobState, JobStatus};
use vocalhost_observe::metrics::Metrics;
use vocalhost_observe::traces::Tracer;
use vocalhost_store::{EventKind, StoreError};
use vocalhost_system::clock;
use vocalhost_work::scheduler::{Scheduler, SchedulerSettings};

use super::attempt::Server;
use super::{HANGING, HONEST};

/// How long a condition may take to come true on any machine.
const PATIENCE: Duration = Duration::from_mins(1);

pub(super) struct Running {
    shutdown: watch::Sender<bool>,
    handle: JoinHandle<Result<(), StoreError>>,
}

impl Running {
    pub(super) fn start(server: &Server) -> Self {
        Self::start_telling(server, Arc::default())
    }

    fn start_telling(server: &Server, ready: Arc<AtomicBool>) -> Self {
        let settings = (*server.bench.settings).clone();
        Self::run(scheduler(server, settings).telling(ready))
    }

    fn run(scheduler: Scheduler) -> Self {
        let (shutdown, told) = watch::channel(false);
        Self {
            shutdown,
            handle: tokio::spawn(scheduler.run(told)),
        }
    }

    pub(super) async fn end(self) {
        self.shutdown.send_replace(true);
        let ended = tokio::time::timeout(PATIENCE, self.handle).await;
        ended
            .expect("it ends in time")
            .expect("it does not panic")
            .expect("it started well");
    }
}

fn scheduler(server: &Server, settings: SchedulerSettings) -> Scheduler {
    let (store, files) = (server.bench.store.clone(), server.bench.files.clone());
    Scheduler::new(settings, store, files)
}

/// Looks until the job is as it should be.
pub(super) async fn until(server: &Server, id: i64, is_so: impl Fn(&JobState) -> bool) {
    let look = async {
        let mut looks = tokio::time::interval(Duration::from_millis(10));
        while !is_so(&server.read(id).await.state) {
            looks.tick().await;
        }
    };
    let seen = tokio::time::timeout(PATIENCE, look).await;
    seen.expect("it comes true in time");
}

#[tokio::test]
async fn accepted_jobs_come_to_their_end_without_being_asked() {
    let server = Server::new(HONEST).await;
    let before = server.job(1).await;
    let running = Running::start(&server);
    let after = server.job(1).await;
    for id in [before, after] {
        until(&server, id, |state| state.status() == JobStatus::Success).await;
    }
    running.end().await;
    assert_eq!(server.results().await.len(), 2);
}

#[tokio::test]
async fn a_job_that_ran_when_the_server_was_killed_succeeds_once() {
    let server = Server::new(HONEST).await;
    let id = server.job(1).await;
    server.claim("of the killed server", clock::now_us()).await;
    let leftover = server.bench.settings.scratch_folder.join("1-leftover");
    std::fs::create_dir_all(&leftover).expect("it can be made");

    let running = Running::start(&server);
    until(&server, id, |state| state.status() == JobStatus::Success).await;
    running.end().await;
    assert!(!leftover.exists());
    let events = server.bench.store.events(id, 0, 100).await;
    let events = events.expect("the store answers");
    let ends = events.iter().filter(|event| event.kind == EventKind::Ended);
    assert_eq!(ends.count(), 1);
}

#[tokio::test]
async fn a_shutdown_hands_running_jobs_back() {
    let server = Server::new(HANGING).await;
    let id = server.job(1).await;
    let running = Running::start(&server);
    until(&server, id, |state| matches!(state, JobState::Running(_))).await;
    running.end().await;
    assert!(matches!(
        server.read(id).await.state,
        JobState::Queued { .. }
    ));
}

#[tokio::test]
async fn jobs_wait_as_long_as_the_disk_has_too_little_room() {
    let server = Server::new(HONEST).await;
    let id = server.job(1).await;
    let mut settings = (*server.bench.settings).clone();
    std::fs::create_dir(&settings.scratch_folder).expect("it is new");
    // More than any disk has.
    settings.supervisor.free_bytes = u64::MAX;
    let metrics: Arc<Metrics> = Arc::default();
    let short = scheduler(&server, settings).watched(metrics.clone(), Tracer::default());
    let running = Running::run(short);
    // Said after a turn in which it could have claimed the job.
    let idle = async {
        let mut looks = tokio::time::interval(Duration::from_millis(10));
        let text = r#"workers{state="idle"} 1"#;
        while !metrics.render(&[], 0).contains(text) {
            looks.tick().await;
        }
    };
    let seen = tokio::time::timeout(PATIENCE, idle).await;
    seen.expect("the worker gets warm");
    let state = server.read(id).await.state;
    assert!(matches!(state, JobState::Queued { .. }), "{state:?}");
    running.end().await;

    let running = Running::start(&server);
    until(&server, id, |state| state.status() == JobStatus::Success).await;
    running.end().await;
}

#[tokio::test]
async fn a_server_is_ready_and_works_when_workers_can_be_started() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let means = folder.path().join("means");
    let script = format!("[ -e {} ] || exit 1; {HONEST}", means.display());
    let server = Server::new(&script).await;
    let id = server.job(1).await;
    let ready: Arc<AtomicBool> = Arc::default();
    let running = Running::start_telling(&server, ready.clone());
    let becomes = async |wanted: bool| {
        let look = async {
            let mut looks = tokio::time::interval(Duration::from_millis(1));
            while ready.load(Ordering::Relaxed) != wanted {
                looks.tick().await;
            }
        };
        let seen = tokio::time::timeout(PATIENCE, look).await;
        seen.expect("it comes true in time");
    };
    becomes(true).await;
    // Nobody knew better until the first one failed.
    becomes(false).await;
    std::fs::write(&means, b"").expect("it can be written");
    becomes(true).await;
    until(&server, id, |state| state.status() == JobStatus::Success).await;
    running.end().await;
    let events = server.bench.store.events(id, 0, 100).await;
    let events = events.expect("the store answers");
    let starts = events
        .iter()
        .filter(|event| event.kind == EventKind::Started);
    assert_eq!(starts.count(), 1, "it waited: {events:?}");
    assert!(!ready.load(Ordering::Relaxed));
}
