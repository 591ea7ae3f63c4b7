//! What holds in a folder and in a bucket alike.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use vocalhost_files::{FileStore, FilesError};

use super::{content, fetched, in_bucket, keys, publish, read};

/// More than two parts of a bucket, and a whole number neither of those nor of a folder's pieces.
const LONG: usize = (20 << 20) + 12_345;

/// The same test for both.
macro_rules! on_both {
    ($($name:ident;)+) => {
        mod folder {
            $(#[tokio::test]
            async fn $name() {
                let folder = tempfile::tempdir().expect("a temporary folder");
                let files = super::FileStore::open(folder.path()).expect("an empty folder opens");
                super::$name(files).await;
            })+
        }

        mod bucket {
            $(#[tokio::test]
            async fn $name() {
                let (server, files) = super::in_bucket();
                super::$name(files).await;
                assert_eq!(server.parts(), 0, "parts are left");
                let strange = server.keys().into_iter().find(|key| !key.starts_with(super::super::PREFIX));
                assert_eq!(strange, None, "a key lies outside of the prefix");
            })+
        }
    };
}

on_both! {
    a_published_file_comes_back_whole_and_in_ranges;
    a_file_appears_whole;
    a_copy_that_is_stopped_leaves_nothing;
    an_empty_file_is_a_file;
    the_same_key_can_be_published_again;
    a_prefix_is_whole_segments;
    a_job_takes_its_results_and_the_recordings_that_are_named_along;
    a_missing_file_is_said_to_be_missing_and_deletes_without_complaint;
    no_key_leads_out;
    a_list_says_size_and_time;
    it_can_be_used;
    all_of_it_is_listed_and_known_by_digest;
    a_file_that_is_given_away_is_the_stores;
}

async fn a_file_that_is_given_away_is_the_stores(files: FileStore) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let content = content(100_000);
    let given = folder.path().join("given");
    // The folder is deleted with the last file in it, and is made again.
    for key in ["uploads/a/0-x", "uploads/a/0-y"] {
        std::fs::write(&given, &content).expect("it can be written");
        files.give(&given, key).await.expect("it is taken");
        let all = read(&files, key, 0..200_000).await.expect("it is there");
        assert!(all == content);
        files.delete(key).await.expect("it can be deleted");
    }
    assert_eq!(keys(&files, "uploads").await, [""; 0]);
    let written = files.write(content.clone().into(), "effects/a.wasm").await;
    written.expect("it is published");
    assert!(files.read("effects/a.wasm").await.expect("it is there") == content);
    assert!(
        files
            .give(&folder.path().join("no"), "uploads/a")
            .await
            .is_err()
    );
    std::fs::write(&given, &content).expect("it can be written");
    assert!(files.give(&given, "../a").await.is_err());
}

async fn a_published_file_comes_back_whole_and_in_ranges(files: FileStore) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let content = content(LONG);
    let key = "results/1/token/output.wav";
    publish(&files, &content, key)
        .await
        .expect("it is published");

    let length = content.len() as u64;
    assert_eq!(files.size(key).await.expect("it is there"), length);
    let all = async |range: Range<u64>| read(&files, key, range).await.expect("it can be read");
    assert!(all(0..length).await == content);
    assert!(all(0..length + 9).await == content);
    assert_eq!(all(10..20).await, content[10..20]);
    let seam: u64 = 8 << 20;
    assert_eq!(
        all(seam - 3..seam + 3).await,
        content[(8 << 20) - 3..(8 << 20) + 3]
    );
    assert_eq!(all(length - 1..length).await, content[LONG - 1..]);
    assert_eq!(all(7..7).await, [0; 0]);
    assert!(
        fetched(&files, key, folder.path())
            .await
            .expect("it is there")
            == content
    );
    let sha256 = files.fetch_hashed(key, &folder.path().join("copy")).await;
    assert_eq!(
        sha256.expect("it is there"),
        "fe101ec2f9a3551598287379a67ee3a46a905666875b97e9434af8385eae91e8"
    );
}

async fn a_file_appears_whole(files: FileStore) {
    let key = "results/1/token/output.wav";
    let reading = files.clone();
    let looking = tokio::spawn(async move {
        loop {
            match reading.size(key).await {
                Ok(bytes) => return bytes,
                Err(FilesError::NotFound { .. }) => tokio::task::yield_now().await,
                Err(error) => panic!("{error}"),
            }
        }
    });
    let published = publish(&files, &content(LONG), key).await;
    published.expect("it is published");
    let first_seen = looking.await.expect("it sees the file");
    assert_eq!(first_seen, LONG as u64);
}

async fn a_copy_that_is_stopped_leaves_nothing(files: FileStore) {
    let local = tempfile::NamedTempFile::new().expect("a temporary file");
    for length in [LONG, 1_000] {
        std::fs::write(local.path(), content(length)).expect("it can be written");
        let asked = AtomicUsize::new(0);
        let stopped = || asked.fetch_add(1, Ordering::Relaxed) >= 1;
        let published = files.publish_unless(local.path(), "results/1/a/x.wav", &stopped);
        let whole = published.await.expect("it answers");
        // A small file may be faster than the second question.
        assert!(!whole || length < LONG);
        let left = keys(&files, "results/1").await;
        assert_eq!(left.len(), usize::from(whole), "{left:?}");
    }
    let stopped = files.publish_unless(local.path(), "results/2/a/x.wav", &|| true);
    assert!(!stopped.await.expect("it answers"));
    assert_eq!(keys(&files, "results/2").await, [""; 0]);
}

async fn an_empty_file_is_a_file(files: FileStore) {
    publish(&files, &[], "inputs/a.wav")
        .await
        .expect("it is published");
    assert_eq!(files.size("inputs/a.wav").await.expect("it is there"), 0);
    assert_eq!(
        files.read("inputs/a.wav").await.expect("it is there"),
        [0; 0]
    );
}

async fn the_same_key_can_be_published_again(files: FileStore) {
    for content in [b"first".as_slice(), b"second"] {
        publish(&files, content, "effects/a.wasm")
            .await
            .expect("it is published");
        assert_eq!(
            files.read("effects/a.wasm").await.expect("it is there"),
            content
        );
    }
    assert_eq!(keys(&files, "effects").await, ["effects/a.wasm"]);
}

async fn a_prefix_is_whole_segments(files: FileStore) {
    for key in [
        "results/1/a/x.wav",
        "results/1/b/y.wav",
        "results/12/a/x.wav",
    ] {
        publish(&files, b"x", key).await.expect("it is published");
    }
    files.delete_prefix("results/1").await.expect("it answers");
    files.delete_prefix("results/99").await.expect("it answers");
    assert_eq!(keys(&files, "results").await, ["results/12/a/x.wav"]);
}

async fn a_job_takes_its_results_and_the_recordings_that_are_named_along(files: FileStore) {
    for key in [
        "results/7/a/x.wav",
        "results/70/a/x.wav",
        "inputs/own.wav",
        "inputs/shared.wav",
    ] {
        publish(&files, b"x", key).await.expect("it is published");
    }
    let own = ["inputs/own.wav".to_owned()];
    files.delete_job(7, &own).await.expect("it answers");
    assert_eq!(keys(&files, "results").await, ["results/70/a/x.wav"]);
    assert_eq!(keys(&files, "inputs").await, ["inputs/shared.wav"]);
}

async fn a_missing_file_is_said_to_be_missing_and_deletes_without_complaint(files: FileStore) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let key = "inputs/none.wav";
    let is_missing = |error: FilesError| matches!(error, FilesError::NotFound { .. });
    assert!(is_missing(
        files.size(key).await.expect_err("there is none")
    ));
    assert!(is_missing(
        fetched(&files, key, folder.path())
            .await
            .expect_err("there is none")
    ));
    assert!(is_missing(
        read(&files, key, 0..1).await.expect_err("there is none")
    ));
    files.delete(key).await.expect("there is nothing to do");
    // What is missing is no fault of the store.
    assert!(!files.is_failing());
}

async fn no_key_leads_out(files: FileStore) {
    for key in ["../secret", "inputs/../../secret", "", "/", "a//b"] {
        assert!(
            matches!(files.size(key).await, Err(FilesError::Key { .. })),
            "{key:?}"
        );
        assert!(
            matches!(files.delete(key).await, Err(FilesError::Key { .. })),
            "{key:?}"
        );
        assert!(publish(&files, b"x", key).await.is_err(), "{key:?}");
    }
}

async fn a_list_says_size_and_time(files: FileStore) {
    use futures_util::TryStreamExt as _;
    let now_us = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .expect("it is later")
        .as_micros() as i64;
    publish(&files, b"four", "inputs/a.wav")
        .await
        .expect("it is published");
    let listed: Vec<_> = files
        .list("inputs")
        .expect("a good prefix")
        .try_collect()
        .await
        .expect("it answers");
    assert_eq!((listed[0].bytes, listed.len()), (4, 1));
    let apart_us = (listed[0].published_at_us - now_us).abs();
    assert!(apart_us < 60_000_000, "{apart_us}");
}

async fn it_can_be_used(files: FileStore) {
    files.check("a").await.expect("it can be used");
    assert!(files.answers("a").await);
    assert_eq!(keys(&files, "checks").await, [""; 0]);
}

#[tokio::test]
async fn no_key_leads_out_of_the_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = FileStore::open(folder.path()).expect("an empty folder opens");
    std::fs::write(folder.path().join("secret"), b"x").expect("it can be written");
    assert!(files.delete("../secret").await.is_err());
    assert!(folder.path().join("secret").exists());
}

#[tokio::test]
async fn the_rest_of_a_copy_that_was_cut_short_is_swept_away() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = FileStore::open(folder.path()).expect("an empty folder opens");
    let place = folder.path().join("files/inputs");
    std::fs::create_dir_all(&place).expect("it can be made");
    std::fs::write(place.join("a.wav#1"), b"half").expect("it can be written");
    std::fs::write(place.join("b.wav"), b"whole").expect("it can be written");
    files.sweep_unfinished().await.expect("it answers");
    assert!(!place.join("a.wav#1").exists());
    assert!(place.join("b.wav").exists());
}

async fn all_of_it_is_listed_and_known_by_digest(files: FileStore) {
    assert!(files.all().await.expect("it answers").is_empty());
    files.check("a-check").await.expect("it can be used");
    for (key, bytes) in [("inputs/a.wav", 3), ("results/1/token/output.wav", 1_000)] {
        let published = publish(&files, &content(bytes), key).await;
        published.expect("it is published");
    }
    let all: Vec<_> = files.all().await.expect("it answers").into_iter().collect();
    let wanted = [
        ("inputs/a.wav".to_owned(), 3),
        ("results/1/token/output.wav".to_owned(), 1_000),
    ];
    assert_eq!(all, wanted);
    // Of the bytes 0, 1 and 2.
    assert_eq!(
        files.digest("inputs/a.wav").await.expect("it is there"),
        "ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc"
    );
    let missing = files.digest("inputs/b.wav").await;
    assert!(
        matches!(missing, Err(FilesError::NotFound { .. })),
        "{missing:?}"
    );
}
