use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use tokio::sync::watch;
use vocalhost_job::{FailureCode, JobSpec, JobStage, Progress};
use vocalhost_testing::job::conversion;
use vocalhost_work::worker::protocol::WorkOrder;
use vocalhost_work::worker::{Supervisor, SupervisorSettings, WorkEnd};

use super::{CRASHING, HANGING, HONEST, settings};

/// Long enough for any machine; a test that waits for it fails.
const LONG: Duration = Duration::from_mins(1);

fn order(scratch: &Path) -> WorkOrder {
    WorkOrder {
        job_id: 1,
        request_id: "request".to_owned(),
        trace_parent: None,
        spec: JobSpec::VoiceConversion(conversion()),
        input: Some(scratch.join("input.wav")),
        backing: None,
        scratch: scratch.to_owned(),
        voices: [(1, scratch.to_owned())].into(),
        beside: [].into(),
        training: None,
        effects: Vec::new(),
    }
}

struct Post {
    scratch: TempDir,
    supervisor: Supervisor,
    progress: watch::Sender<Option<Progress>>,
}

impl Post {
    fn new(settings: SupervisorSettings) -> Self {
        Self {
            scratch: tempfile::tempdir().expect("a temporary folder"),
            supervisor: Supervisor::new(settings),
            progress: watch::Sender::new(None),
        }
    }

    async fn run(&mut self, limit: Duration) -> WorkEnd {
        let order = order(self.scratch.path());
        self.supervisor
            .run(order, limit, &self.progress, std::future::pending())
            .await
    }

    async fn warm_pid(&mut self) -> u32 {
        self.supervisor.warm_up().await.expect("it starts");
        self.supervisor.worker_pid().expect("it is warm")
    }
}

/// A process that was killed and waited for is gone for everybody.
fn is_gone(pid: u32) -> bool {
    let pid = rustix::process::Pid::from_raw(pid as i32).expect("a process id");
    rustix::process::test_kill_process(pid).is_err()
}

fn failure_code(end: &WorkEnd) -> Option<FailureCode> {
    match end {
        WorkEnd::Failed { failure, .. } => Some(failure.code),
        WorkEnd::Done(_) | WorkEnd::Died { .. } | WorkEnd::Stopped | WorkEnd::NotStarted { .. } => {
            None
        }
    }
}

#[tokio::test]
async fn a_worker_stays_warm_from_job_to_job() {
    let mut post = Post::new(settings(HONEST));
    let pid = post.warm_pid().await;
    for _ in 0..3 {
        let end = post.run(LONG).await;
        assert!(matches!(end, WorkEnd::Done(_)), "{end:?}");
        assert_eq!(post.supervisor.worker_pid(), Some(pid));
    }
    let told = *post.progress.borrow();
    let told = told.expect("the worker told its progress");
    assert_eq!((told.stage, told.percent), (JobStage::Inference, 40.0));
    post.supervisor.shut_down().await;
    assert!(is_gone(pid));
}

#[tokio::test]
async fn a_worker_gives_way_where_somebody_waits_for_the_next_second() {
    let mut niceness = Vec::new();
    for gives_way in [false, true] {
        let mut post = Post::new(SupervisorSettings {
            gives_way,
            ..settings(HONEST)
        });
        let pid = post.warm_pid().await;
        let pid = rustix::process::Pid::from_raw(pid as i32).expect("a process id");
        let found = rustix::process::getpriority_process(Some(pid));
        niceness.push(found.expect("it is there"));
        post.supervisor.shut_down().await;
    }
    assert_eq!(niceness[1] - niceness[0], 5);
}

#[tokio::test]
async fn a_worker_is_replaced_when_it_has_done_its_share() {
    let mut post = Post::new(SupervisorSettings {
        jobs_per_worker: 2,
        ..settings(HONEST)
    });
    let pid = post.warm_pid().await;
    post.run(LONG).await;
    assert_eq!(post.supervisor.worker_pid(), Some(pid));
    post.run(LONG).await;
    assert_eq!(post.supervisor.worker_pid(), None);
    assert!(is_gone(pid));
    let end = post.run(LONG).await;
    assert!(matches!(end, WorkEnd::Done(_)), "{end:?}");
}

#[tokio::test]
async fn a_worker_that_dies_takes_only_its_job_along() {
    let mut post = Post::new(settings(CRASHING));
    for _ in 0..2 {
        let WorkEnd::Died { detail } = post.run(LONG).await else {
            panic!("it died");
        };
        assert!(detail.contains("signal"), "{detail}");
        assert_eq!(post.supervisor.worker_pid(), None);
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_worker_that_died_while_idle_costs_no_job() {
    let mut post = Post::new(settings(HONEST));
    let pid = post.warm_pid().await;
    let raw = rustix::process::Pid::from_raw(pid as i32).expect("a process id");
    rustix::process::kill_process(raw, rustix::process::Signal::KILL).expect("it is ours");
    // Until it is waited for it can still be found, in the state of a zombie.
    while !std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| s.contains(") Z ")) {
        tokio::task::yield_now().await;
    }
    let end = post.run(LONG).await;
    assert!(matches!(end, WorkEnd::Done(_)), "{end:?}");
}

#[tokio::test]
async fn a_worker_that_babbles_is_not_listened_to() {
    let babble = [
        "ready; order; echo 'Loading the model, please wait a moment.'; exec sleep 1000",
        "ready; order; frame '{\"report\":\"unheard-of\"}'; exec sleep 1000",
        "ready; order; ready; exec sleep 1000",
    ];
    for script in babble {
        let mut post = Post::new(settings(script));
        let pid = post.warm_pid().await;
        let end = post.run(LONG).await;
        assert!(matches!(end, WorkEnd::Died { .. }), "{script}: {end:?}");
        assert!(is_gone(pid), "{script}");
    }
}

#[tokio::test]
async fn a_job_that_takes_too_long_is_ended_with_its_worker() {
    let mut post = Post::new(settings(HANGING));
    let pid = post.warm_pid().await;
    let end = post.run(Duration::from_millis(50)).await;
    assert_eq!(failure_code(&end), Some(FailureCode::Timeout), "{end:?}");
    assert!(is_gone(pid));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_worker_that_takes_too_much_memory_is_ended() {
    let mut post = Post::new(SupervisorSettings {
        memory_bytes: 32 << 20,
        ..settings("ready; order; x=$(head -c 2000000000 /dev/zero | tr '\\0' x); exec sleep 1000")
    });
    let pid = post.warm_pid().await;
    let end = post.run(LONG).await;
    assert_eq!(
        failure_code(&end),
        Some(FailureCode::OutOfMemory),
        "{end:?}"
    );
    assert!(is_gone(pid));
}

#[tokio::test]
async fn a_job_that_leaves_too_little_of_the_disk_is_ended() {
    let mut post = Post::new(SupervisorSettings {
        free_bytes: u64::MAX,
        ..settings(HANGING)
    });
    let pid = post.warm_pid().await;
    let end = post.run(LONG).await;
    assert_eq!(failure_code(&end), Some(FailureCode::OutOfSpace), "{end:?}");
    let can_be_retried = matches!(&end, WorkEnd::Failed { failure, .. } if failure.retryable);
    assert!(can_be_retried, "{end:?}");
    assert!(is_gone(pid));
}

#[tokio::test]
async fn a_stop_ends_the_worker_before_it_is_answered() {
    let mut post = Post::new(settings("ready; order; progress; exec sleep 1000"));
    let pid = post.warm_pid().await;
    let mut told = post.progress.subscribe();
    let once_it_works = async move {
        told.changed().await.expect("the sender lives");
    };
    let end = post
        .supervisor
        .run(
            order(post.scratch.path()),
            LONG,
            &post.progress,
            once_it_works,
        )
        .await;
    assert_eq!(end, WorkEnd::Stopped);
    assert!(is_gone(pid));
}

#[tokio::test]
async fn a_failure_is_passed_on_and_an_honest_worker_kept() {
    let script = r#"
ready
while order; do
    frame '{"report":"failed","failure":{"code":"input_damaged","message":"Damaged at 3 s.","retryable":false},"detail":"frame 7"}'
done
"#;
    let mut post = Post::new(settings(script));
    let pid = post.warm_pid().await;
    let end = post.run(LONG).await;
    let WorkEnd::Failed { failure, detail } = end else {
        panic!("{end:?}");
    };
    assert_eq!(failure.code, FailureCode::InputDamaged);
    assert_eq!(
        (failure.message.as_str(), detail.as_str()),
        ("Damaged at 3 s.", "frame 7")
    );
    assert_eq!(post.supervisor.worker_pid(), Some(pid));
}

#[tokio::test]
async fn a_worker_begins_in_an_empty_folder_of_its_own() {
    let mut post = Post::new(settings(
        r#"[ -z "$(ls -A)" ] && [ "$(pwd)" = "$TMPDIR" ] && ready && order"#,
    ));
    post.warm_pid().await;
}

#[tokio::test]
async fn what_a_killed_worker_wrote_by_itself_goes_with_it() {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let mut settings = settings(r#"echo left > "$TMPDIR/left"; ready; order; kill -9 $$"#);
    settings.command.temporary = temporary.path().join("made");
    let mut post = Post::new(settings);
    post.warm_pid().await;
    let entries = || std::fs::read_dir(temporary.path().join("made")).expect("it is there");
    let of_worker = entries().next().expect("a folder").expect("it is read");
    assert!(of_worker.path().join("left").exists());
    let end = post.run(LONG).await;
    assert!(matches!(end, WorkEnd::Died { .. }), "{end:?}");
    assert_eq!(entries().count(), 0);
}

#[tokio::test]
async fn a_worker_that_never_gets_ready_says_nothing_about_the_job() {
    let mut missing = settings("");
    missing.command.program = "/nonexistent/vocalhost".into();
    let mut slow = settings("exec sleep 1000");
    slow.command.start_limit = Duration::from_millis(50);
    for settings in [settings("exit 3"), missing, slow] {
        let mut post = Post::new(settings);
        let end = post.run(LONG).await;
        assert!(matches!(end, WorkEnd::NotStarted { .. }), "{end:?}");
        assert!(!post.supervisor.can_start());
    }
}
