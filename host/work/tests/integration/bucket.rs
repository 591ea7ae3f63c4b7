//! Jobs whose files lie in a bucket, and a store that fails under them.

use std::time::{Duration, Instant};

use vocalhost_files::{Bucket, FileStore};
use vocalhost_job::{JobState, JobStatus};
use vocalhost_system::clock;
use vocalhost_testing::s3::{Asked, BUCKET, Fault, S3Server, by_chance};
use vocalhost_work::scheduler::{AttemptEnd, clean_up};

use super::HONEST;
use super::attempt::Server;
use super::scheduler::{Running, until};

const HOUR_US: i64 = 3_600_000_000;

/// How long the store may be silent, and for how long requests are retried: long enough for a server on a busy machine.
const USUAL: (Duration, Duration) = (Duration::from_secs(10), Duration::from_mins(1));

/// The same for a store that is down, which is given up soon.
const DOWN: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(3));

/// The same for a store that nobody is to wait for: longer than any wait here.
const FOR_EVER: (Duration, Duration) = (Duration::from_mins(2), Duration::from_mins(10));

/// A data folder whose files lie in the bucket of a server.
async fn in_bucket(script: &str, times: (Duration, Duration)) -> (S3Server, Server) {
    let (silence, patience) = times;
    let s3 = S3Server::start();
    let bucket = Bucket {
        endpoint: Some(s3.endpoint()),
        path_style: true,
        silence,
        patience,
        ..Bucket::at(format!("s3://{BUCKET}/of").parse().expect("an address"))
    };
    let variables = |name: &str| {
        let mut variables = S3Server::variables().into_iter();
        let found = variables.find(|(known, _)| *known == name);
        found.map(|(_, value)| value.to_owned())
    };
    let files = FileStore::in_bucket(&bucket, &variables).expect("clients can be made");
    let server = Server::keeping(script, |_| files).await;
    (s3, server)
}

#[tokio::test]
async fn jobs_have_whole_results_whatever_the_store_does() {
    const JOBS: i64 = 25;
    let seed = 3;
    let (s3, server) = in_bucket(HONEST, USUAL).await;
    for _ in 0..JOBS {
        server.job(1).await;
    }
    s3.fail(by_chance(
        seed,
        &[
            (50, Fault::Unavailable),
            (20, Fault::Reset),
            (20, Fault::Lost),
            (20, Fault::Cut),
            (5, Fault::Stall(Duration::from_secs(12))),
        ],
    ));
    let running = Running::start(&server);
    for id in 1..=JOBS {
        until(&server, id, |state| state.status() != JobStatus::Running).await;
    }
    running.end().await;
    s3.recover();
    let mut wanted = vec!["of/inputs/a.wav".to_owned()];
    for id in 1..=JOBS {
        let JobState::Succeeded { result, .. } = server.read(id).await.state else {
            panic!("seed {seed}: job {id} succeeds");
        };
        let key = format!("of/{}", result.files[0].key);
        assert_eq!(s3.content(&key), b"sound", "seed {seed}: {key}");
        wanted.push(key);
    }
    // What an attempt left and could not delete is named by nothing, so the cleanup deletes it.
    let later_us = clock::now_us() + 7 * HOUR_US;
    clean_up(&server.bench, later_us).await.expect("it works");
    wanted.sort();
    assert_eq!(s3.keys(), wanted, "seed {seed}");
    assert_eq!(s3.parts(), 0, "seed {seed}");
}

#[tokio::test]
async fn a_job_waits_for_a_store_that_is_down_and_no_failure_is_counted() {
    let (s3, server) = in_bucket(HONEST, DOWN).await;
    let id = server.job(1).await;
    s3.fail(|_: &Asked| Some(Fault::Unavailable));
    // More often than a job may fail.
    for attempt in 0..4 {
        let job = server.claim("token", clock::now_us()).await;
        let end = server.attempt(job).await;
        assert_eq!(end, AttemptEnd::HandedBack, "attempt {attempt}");
    }
    let running = Running::start(&server);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let state = server.read(id).await.state;
    assert!(matches!(state, JobState::Queued { .. }), "{state:?}");
    s3.recover();
    until(&server, id, |state| state.status() == JobStatus::Success).await;
    running.end().await;
}

#[tokio::test]
async fn a_result_that_the_store_never_takes_fails_the_job_in_the_end() {
    let (s3, server) = in_bucket(HONEST, DOWN).await;
    let id = server.job(1).await;
    s3.fail(|asked| {
        let is_result = asked.method == "PUT" && asked.path.contains("/results/");
        is_result.then_some(Fault::Unavailable)
    });
    let mut now_us = clock::now_us();
    for attempt in 0..3 {
        let job = server.claim("token", now_us).await;
        assert_eq!(server.attempt(job).await, AttemptEnd::Failed, "{attempt}");
        // Each failure has a pause behind it.
        now_us += HOUR_US;
    }
    assert_eq!(server.read(id).await.state.status(), JobStatus::Error);
    assert_eq!(s3.keys(), ["of/inputs/a.wav"]);
}

#[tokio::test]
async fn a_cancelled_job_waits_for_no_store_and_leaves_nothing() {
    let (s3, server) = in_bucket(HONEST, FOR_EVER).await;
    let id = server.job(1).await;
    s3.fail(|asked| {
        let is_result = asked.method == "PUT" && asked.path.contains("/results/");
        is_result.then_some(Fault::Stall(Duration::from_mins(10)))
    });
    let running = Running::start(&server);
    until(&server, id, |state| matches!(state, JobState::Running(_))).await;
    // Until it publishes.
    let end = Instant::now() + Duration::from_mins(2);
    while !s3
        .seen()
        .iter()
        .any(|asked| asked.path.contains("/results/") && asked.method == "PUT")
    {
        assert!(Instant::now() < end, "it never publishes");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let store = &server.bench.store;
    let asked = store.cancel(vocalhost_job::JobKind::VoiceConversion, id, clock::now_us());
    asked.await.expect("the store answers");
    // In a minute at most, in which the store says nothing.
    until(&server, id, |state| state.status() == JobStatus::Cancelled).await;
    running.end().await;
    s3.recover();
    assert_eq!(s3.keys(), ["of/inputs/a.wav"]);
}

#[tokio::test]
async fn the_cleanup_deletes_what_is_old_in_a_bucket_and_nothing_else() {
    let (s3, server) = in_bucket(HONEST, USUAL).await;
    let id = server.job(1).await;
    let now_us = clock::now_us();
    let job = server.claim("token", now_us).await;
    assert_eq!(server.attempt(job).await, AttemptEnd::Completed);
    let local = server.folder.path().join("local");
    let stray = format!("results/{id}/stale/output.wav");
    for key in ["inputs/stray.wav", &stray] {
        let published = server.bench.files.publish(&local, key).await;
        published.expect("it is published");
    }
    let kept = [
        "of/inputs/a.wav".to_owned(),
        format!("of/results/{id}/token/output.wav"),
    ];
    clean_up(&server.bench, now_us + HOUR_US)
        .await
        .expect("it works");
    assert_eq!(s3.keys().len(), 4, "an hour later all are there");
    clean_up(&server.bench, now_us + 12 * HOUR_US)
        .await
        .expect("it works");
    assert_eq!(s3.keys(), kept);
    clean_up(&server.bench, now_us + 9 * 24 * HOUR_US)
        .await
        .expect("it works");
    assert_eq!(s3.keys(), [""; 0]);
}
