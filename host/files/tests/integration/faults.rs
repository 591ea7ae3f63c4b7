//! A bucket whose store fails every now and then.

use std::time::{Duration, Instant};

use vocalhost_files::{FileStore, FilesError};
use vocalhost_testing::s3::{Fault, by_chance};

use super::{PATIENCE, PREFIX, content, fetched, in_bucket, in_bucket_with, keys, publish};

/// How long the store may be silent where it is.
const SILENCE: Duration = Duration::from_millis(1_500);

/// How many of 1,000 requests meet with each fault.
const FAULTS: [(u64, Fault); 5] = [
    (50, Fault::Unavailable),
    (20, Fault::Reset),
    (20, Fault::Lost),
    (20, Fault::Cut),
    // Longer than the store may be silent.
    (5, Fault::Stall(Duration::from_secs(2))),
];

#[tokio::test]
async fn files_are_whole_whatever_the_store_does() {
    let seed = 7;
    let (server, files) = in_bucket_with(SILENCE, PATIENCE);
    let files = files.patient();
    server.fail(by_chance(seed, &FAULTS));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (mut published, mut wrong) = (0, Vec::new());
    for number in 0..40 {
        // Two of them in parts.
        let bytes = if number % 20 == 7 {
            17 << 20
        } else {
            1_000 * number
        };
        let (content, key) = (content(bytes), format!("results/{number}/a/x.wav"));
        match publish(&files, &content, &key).await {
            Ok(()) => published += 1,
            Err(error) => {
                assert!(error.may_pass(), "{error}");
                continue;
            }
        }
        match fetched(&files, &key, folder.path()).await {
            Ok(found) if found == content => {}
            other => wrong.push((number, other.map(|found| found.len()))),
        }
    }
    server.recover();
    assert!(wrong.is_empty(), "seed {seed}: {wrong:?}");
    assert_eq!(published, 40, "seed {seed}");
    let asked = server.seen().len();
    assert!(asked < 400, "{asked} requests");
    assert_eq!(server.parts(), 0);
}

#[tokio::test]
async fn a_store_that_is_down_is_given_up_in_time_and_then_found_again() {
    let (server, files) = in_bucket();
    publish(&files, b"sound", "inputs/a.wav")
        .await
        .expect("it is published");
    server.fail(|_| Some(Fault::Unavailable));
    let began = Instant::now();
    let error = publish(&files, b"sound", "inputs/b.wav")
        .await
        .expect_err("it is down");
    assert!(matches!(error, FilesError::Unavailable { .. }) && error.may_pass());
    assert!(
        files
            .size("inputs/a.wav")
            .await
            .is_err_and(|error| error.may_pass())
    );
    assert!(
        began.elapsed() < Duration::from_mins(2),
        "{:?}",
        began.elapsed()
    );
    assert!(files.is_failing());
    assert!(files.check("a").await.is_err());
    server.recover();
    files.check("a").await.expect("it is back");
    assert!(!files.is_failing());
    assert_eq!(keys(&files, "inputs").await, ["inputs/a.wav"]);
}

#[tokio::test]
async fn a_store_that_falls_silent_is_asked_again() {
    let (server, files) = in_bucket_with(SILENCE, PATIENCE);
    let content = content(50_000);
    for (number, method) in ["PUT", "GET"].into_iter().enumerate() {
        let before = server.seen().len();
        server.fail(move |asked| {
            let first = asked.method == method && asked.number <= before;
            first.then_some(Fault::Stall(Duration::from_mins(5)))
        });
        let folder = tempfile::tempdir().expect("a temporary folder");
        let began = Instant::now();
        if number == 0 {
            publish(&files, &content, "inputs/a.wav")
                .await
                .expect("it is published");
        } else {
            let found = fetched(&files, "inputs/a.wav", folder.path()).await;
            assert!(found.expect("it is there") == content);
        }
        assert!(
            began.elapsed() < Duration::from_mins(1),
            "{method}: {:?}",
            began.elapsed()
        );
    }
}

#[tokio::test]
async fn a_body_that_is_cut_goes_on_where_it_ended() {
    let (server, files) = in_bucket();
    let content = content(300_000);
    publish(&files, &content, "inputs/a.wav")
        .await
        .expect("it is published");
    let before = server.seen().len();
    server.fail(move |asked| (asked.number == before).then_some(Fault::Cut));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let found = fetched(&files, "inputs/a.wav", folder.path()).await;
    assert!(found.expect("it is there") == content);
    let seen = server.seen();
    let mut ranges = seen[before + 1..]
        .iter()
        .filter(|asked| asked.method == "GET")
        .filter_map(|asked| asked.headers.get("range"));
    let rest = ranges.find(|range| *range != "bytes=0-299999");
    let rest = rest.unwrap_or_else(|| panic!("the rest is not asked for: {seen:?}"));
    assert!(rest.starts_with("bytes="), "{rest}");
}

#[tokio::test]
async fn an_upload_whose_last_answer_is_lost_is_there_all_the_same() {
    let (server, files) = in_bucket();
    server.fail({
        let lost = std::sync::atomic::AtomicBool::new(false);
        move |asked| {
            let completes = asked.method == "POST" && asked.query.starts_with("uploadId=");
            let first = completes && !lost.swap(true, std::sync::atomic::Ordering::Relaxed);
            first.then_some(Fault::Lost)
        }
    });
    let content = content(9 << 20);
    publish(&files, &content, "inputs/a.wav")
        .await
        .expect("it is there");
    assert!(server.content(&format!("{PREFIX}/inputs/a.wav")) == content);
}

/// A file that is not wanted any more while the store is silent is given up at once.
#[tokio::test]
async fn a_file_that_is_not_wanted_any_more_waits_for_no_store() {
    let (server, files) = in_bucket_with(Duration::from_mins(2), Duration::from_mins(5));
    let files: FileStore = files.patient();
    for bytes in [1_000, 9 << 20] {
        server.fail(|asked| {
            let sends = asked.method == "PUT";
            sends.then_some(Fault::Stall(Duration::from_mins(5)))
        });
        let local = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(local.path(), content(bytes)).expect("it can be written");
        let began = Instant::now();
        let stopped = || began.elapsed() > Duration::from_millis(100);
        let published = files
            .publish_unless(local.path(), "results/1/a/x.wav", &stopped)
            .await;
        assert!(!published.expect("it answers"));
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "{:?}",
            began.elapsed()
        );
    }
    server.recover();
    assert_eq!(keys(&files, "results").await, [""; 0]);
}
