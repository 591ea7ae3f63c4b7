use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use futures_util::TryStreamExt as _;
use tempfile::TempDir;
use tokio::sync::watch;
use vocalhost_files::FileStore;
use vocalhost_job::{
    Chain, ConversionSpec, Failure, FailureCode, JobKind, JobSpec, JobState, JobStatus, MAX_DEATHS,
};
use vocalhost_store::{
    CatalogModel, Claim, ClaimedJob, JobRecord, JobTies, ModelLinks, NewJob, QueueLimits, Store,
    StoredInput,
};
use vocalhost_system::clock;
use vocalhost_testing::job::conversion;
use vocalhost_work::scheduler::{
    AttemptEnd, Retention, SchedulerSettings, VoiceFolders, Workbench, clean_up,
};
use vocalhost_work::worker::Supervisor;

use super::{CRASHING, HANGING, HONEST, settings};

const INPUT: &str = "inputs/a.wav";
const MINUTE_US: i64 = 60_000_000;

/// A server's data folder with one voice, one user and one recording in it.
pub(super) struct Server {
    pub(super) folder: TempDir,
    pub(super) bench: Workbench,
}

impl Server {
    pub(super) async fn new(script: &str) -> Self {
        Self::keeping(script, |folder| {
            FileStore::open(folder).expect("an empty folder opens")
        })
        .await
    }

    /// The same with the file store that `open` makes for the data folder.
    pub(super) async fn keeping(script: &str, open: impl FnOnce(&Path) -> FileStore) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let store = Store::open(&folder.path().join("vocalhost.db"))
            .await
            .expect("an empty folder opens");
        store.bootstrap(0).await.expect("the store answers");
        let voice = CatalogModel {
            package_id: "a.alto".to_owned(),
            title: "Alto".to_owned(),
            tags: Vec::new(),
            instrument: false,
            fault: None,
            links: ModelLinks::default(),
        };
        store.sync_models(&[voice], 0).await.expect("it answers");
        let files = open(folder.path());
        let local = folder.path().join("local");
        std::fs::write(&local, b"RIFF").expect("it can be written");
        files.publish(&local, INPUT).await.expect("it is published");
        let settings = SchedulerSettings {
            in_turn: Vec::new(),
            workers: 1,
            queues: JobKind::ALL.to_vec(),
            training_workers: 1,
            supervisor: settings(script),
            voice_folders: {
                let alto = folder.path().join("a.alto");
                VoiceFolders::new(move |id| (id == "a.alto").then(|| alto.clone()))
            },
            voice_cache: folder.path().join("voices"),
            voice_cache_bytes: 0,
            scratch_folder: folder.path().join("scratch"),
            protected_voices: None,
            upload_folder: None,
            import_folder: None,
            resumable_folder: None,
            effect_cache: None,
            max_running_per_user: 2,
            max_duration_s: 7_200.0,
            job_timeout: Duration::from_mins(1),
            job_timeout_per_audio: 20.0,
            grace_period: Duration::ZERO,
            lease: SchedulerSettings::LEASE,
            poll: SchedulerSettings::POLL,
            retention: Retention::default(),
        };
        let bench = Workbench {
            store,
            files,
            settings: Arc::new(settings),
            metrics: Arc::default(),
            tracer: vocalhost_observe::traces::Tracer::default(),
        };
        Self { folder, bench }
    }

    pub(super) async fn job(&self, voice_model_id: i64) -> i64 {
        self.job_with(voice_model_id, Vec::new()).await
    }

    pub(super) async fn job_with(&self, voice_model_id: i64, pre: Chain) -> i64 {
        let new = NewJob {
            user_id: 1,
            spec: JobSpec::VoiceConversion(ConversionSpec {
                voice_model_id,
                pre,
                ..conversion()
            }),
            metadata: None,
            request_id: "request".to_owned(),
            priority: 0,
            retry_of: None,
            completes: None,
            deed: None,
            input: Some(StoredInput {
                key: INPUT.to_owned(),
                bytes: 4,
                sha256: "00".repeat(32),
                format: "wav".to_owned(),
                channels: 1,
                sample_rate_hz: 16_000,
                duration_s: Some(1.0),
                backing: None,
                warnings: Vec::new(),
                parts: Vec::new(),
            }),
            ties: JobTies::default(),
            limits: QueueLimits::default(),
        };
        let made = self.bench.store.create_job(&new, clock::now_us()).await;
        made.expect("the queue has room").id
    }

    pub(super) async fn claim(&self, token: &str, now_us: i64) -> ClaimedJob {
        let claim = Claim {
            kind: JobKind::VoiceConversion,
            lease_token: token.to_owned(),
            lease_us: MINUTE_US,
            max_running_per_user: 2,
        };
        let claimed = self.bench.store.claim(&claim, now_us).await;
        claimed.expect("the store answers").expect("a job is due")
    }

    pub(super) async fn attempt(&self, job: ClaimedJob) -> AttemptEnd {
        let mut supervisor = Supervisor::new(self.bench.settings.supervisor.clone());
        let (_running, server_ends) = watch::channel(false);
        self.bench.attempt(&mut supervisor, job, server_ends).await
    }

    /// Attempts the next job, which is job `id` and fails, and says why.
    pub(super) async fn failure(&self, id: i64) -> Failure {
        let job = self.claim("token", clock::now_us()).await;
        assert_eq!(self.attempt(job).await, AttemptEnd::Failed);
        match self.read(id).await.state {
            JobState::Failed { failure, .. } => failure,
            other => panic!("it failed: {other:?}"),
        }
    }

    pub(super) async fn read(&self, id: i64) -> JobRecord {
        self.bench
            .store
            .job(JobKind::VoiceConversion, id)
            .await
            .expect("the store answers")
            .expect("the job is there")
    }

    pub(super) async fn results(&self) -> Vec<String> {
        let files = self.bench.files.list("results").expect("a good prefix");
        files
            .map_ok(|file| file.key)
            .try_collect()
            .await
            .expect("the store answers")
    }

    fn scratch_is_empty(&self) -> bool {
        std::fs::read_dir(self.folder.path().join("scratch"))
            .map_or(true, |mut entries| entries.next().is_none())
    }
}

#[tokio::test]
async fn a_job_ends_with_its_files_published_and_nothing_left_behind() {
    let server = Server::new(HONEST).await;
    let id = server.job(1).await;
    let job = server.claim("token", clock::now_us()).await;
    assert_eq!(server.attempt(job).await, AttemptEnd::Completed);
    let JobState::Succeeded { result, .. } = server.read(id).await.state else {
        panic!("it succeeded");
    };
    let key = format!("results/{id}/token/output.wav");
    assert_eq!(result.files[0].key, key);
    assert_eq!(server.bench.files.size(&key).await.expect("it is there"), 5);
    assert_eq!(server.results().await, [key]);
    assert!(server.scratch_is_empty());
}

#[tokio::test]
async fn a_job_whose_worker_dies_is_tried_again_and_given_up_at_the_third_death() {
    let server = Server::new(CRASHING).await;
    let id = server.job(1).await;
    for death in 1..=MAX_DEATHS {
        assert_eq!(server.read(id).await.state.status(), JobStatus::Running);
        let later_us = clock::now_us() + i64::from(death) * MINUTE_US;
        let job = server.claim(&format!("token {death}"), later_us).await;
        assert_eq!(server.attempt(job).await, AttemptEnd::WorkerDied);
        assert!(server.scratch_is_empty());
    }
    let JobState::Failed { failure, .. } = server.read(id).await.state else {
        panic!("it was given up");
    };
    assert_eq!(failure.code, FailureCode::WorkerDied);
    assert_eq!(server.results().await, [""; 0]);
}

#[tokio::test]
async fn a_result_made_under_a_lost_lease_is_dropped_without_a_trace() {
    let server = Server::new(HONEST).await;
    let id = server.job(1).await;
    let now_us = clock::now_us();
    let old = server.claim("old", now_us).await;
    let lost = server.bench.store.rescue(now_us + MINUTE_US).await;
    assert_eq!(lost.expect("the store answers").len(), 1);
    let new = server.claim("new", now_us + 2 * MINUTE_US).await;
    assert_eq!(server.attempt(old).await, AttemptEnd::LeaseLost);
    assert_eq!(server.results().await, [""; 0]);
    assert_eq!(server.attempt(new).await, AttemptEnd::Completed);
    assert_eq!(
        server.results().await,
        [format!("results/{id}/new/output.wav")]
    );
}

#[tokio::test]
async fn a_worker_whose_lease_is_lost_is_killed() {
    let server = Server::new(HANGING).await;
    server.job(1).await;
    let now_us = clock::now_us();
    let job = server.claim("token", now_us).await;
    let lost = server.bench.store.rescue(now_us + MINUTE_US).await;
    assert_eq!(lost.expect("the store answers").len(), 1);
    assert_eq!(server.attempt(job).await, AttemptEnd::LeaseLost);
    assert!(server.scratch_is_empty());
}

#[tokio::test]
async fn a_cancelled_job_stops_its_worker() {
    let server = Server::new(HANGING).await;
    let id = server.job(1).await;
    let job = server.claim("token", clock::now_us()).await;
    let store = &server.bench.store;
    let asked = store.cancel(JobKind::VoiceConversion, id, clock::now_us());
    asked.await.expect("the store answers");
    assert_eq!(server.attempt(job).await, AttemptEnd::Cancelled);
    assert_eq!(server.read(id).await.state.status(), JobStatus::Cancelled);
    assert!(server.scratch_is_empty());
}

#[tokio::test]
async fn a_server_that_ends_puts_its_jobs_back_as_if_they_had_never_run() {
    let server = Server::new(HANGING).await;
    let id = server.job(1).await;
    let job = server.claim("token", clock::now_us()).await;
    let mut supervisor = Supervisor::new(server.bench.settings.supervisor.clone());
    let (_ending, server_ends) = watch::channel(true);
    let end = server
        .bench
        .attempt(&mut supervisor, job, server_ends)
        .await;
    assert_eq!(end, AttemptEnd::HandedBack);
    let JobState::Queued {
        since_us,
        not_before_us,
    } = server.read(id).await.state
    else {
        panic!("it waits again");
    };
    assert_eq!(since_us, not_before_us, "there is no pause");
}

#[tokio::test]
async fn a_job_that_finds_no_worker_goes_back_however_often() {
    let server = Server::new("exit 3").await;
    let id = server.job(1).await;
    for attempt in 0..10 {
        let job = server.claim("token", clock::now_us()).await;
        let end = server.attempt(job).await;
        assert_eq!(end, AttemptEnd::HandedBack, "attempt {attempt}");
        let state = server.read(id).await.state;
        assert!(matches!(state, JobState::Queued { .. }), "{state:?}");
    }
    assert!(server.scratch_is_empty());
}

#[tokio::test]
async fn a_voice_that_is_gone_fails_the_job_for_good() {
    let server = Server::new(HONEST).await;
    let id = server.job(99).await;
    let failure = server.failure(id).await;
    assert_eq!(
        (failure.code, failure.retryable),
        (FailureCode::ModelUnavailable, false)
    );
}

#[tokio::test]
async fn a_voice_that_cannot_be_used_now_may_come_back() {
    let server = Server::new(HONEST).await;
    let id = server.job(1).await;
    let store = &server.bench.store;
    let noted = store.set_fault(1, Some("its encoder is gone")).await;
    noted.expect("the store answers");
    let failure = server.failure(id).await;
    assert_eq!(
        (failure.code, failure.retryable),
        (FailureCode::ModelUnavailable, true)
    );
}

#[tokio::test]
async fn a_worker_cannot_have_other_files_published() {
    for name in ["../secret", "/etc/passwd", "missing.wav"] {
        let script = format!("ready; order; done_with '{name}'; exec sleep 1000");
        let server = Server::new(&script).await;
        std::fs::create_dir_all(server.folder.path().join("scratch")).expect("it can be made");
        std::fs::write(server.folder.path().join("scratch/secret"), b"12345")
            .expect("it can be written");
        server.job(1).await;
        let job = server.claim("token", clock::now_us()).await;
        assert_eq!(server.attempt(job).await, AttemptEnd::Failed, "{name}");
        assert_eq!(server.results().await, [""; 0], "{name}");
    }
}

#[tokio::test]
async fn the_cleanup_deletes_what_is_old_and_nothing_else() {
    const DAY_US: i64 = 24 * 60 * MINUTE_US;
    let server = Server::new(HONEST).await;
    let id = server.job(1).await;
    let now_us = clock::now_us();
    let job = server.claim("token", now_us).await;
    server.attempt(job).await;
    let files = &server.bench.files;
    let local = server.folder.path().join("local");
    let stray = format!("results/{id}/stale/output.wav");
    for key in ["inputs/stray.wav", &stray] {
        files.publish(&local, key).await.expect("it is published");
    }
    let result = format!("results/{id}/token/output.wav");
    let present = async |key: &str| files.size(key).await.is_ok();

    clean_up(&server.bench, now_us + MINUTE_US)
        .await
        .expect("it works");
    for key in ["inputs/stray.wav", &stray, INPUT, &result] {
        assert!(present(key).await, "a minute later: {key}");
    }
    clean_up(&server.bench, now_us + DAY_US / 2)
        .await
        .expect("it works");
    assert!(!present("inputs/stray.wav").await && !present(&stray).await);
    assert!(present(INPUT).await && present(&result).await);
    clean_up(&server.bench, now_us + 2 * DAY_US)
        .await
        .expect("it works");
    assert!(!present(INPUT).await && present(&result).await);
    clean_up(&server.bench, now_us + 8 * DAY_US)
        .await
        .expect("it works");
    assert!(!present(&result).await);
    assert_eq!(server.read(id).await.state.status(), JobStatus::Success);
    clean_up(&server.bench, now_us + 91 * DAY_US)
        .await
        .expect("it works");
    let record = server.bench.store.job(JobKind::VoiceConversion, id).await;
    assert_eq!(record.expect("the store answers"), None);
}
