//! What the cleanup deletes of uploads and cached copies, when, and what it spares.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use vocalhost_store::{
    Actor, ImportedVoice, NewVoice, StoredPackageFile, UploadRecord, VoiceOwner,
};
use vocalhost_system::clock;
use vocalhost_work::scheduler::{AttemptEnd, clean_up};

use super::HONEST;
use super::attempt::Server;

#[tokio::test]
async fn the_cleanup_deletes_what_an_import_left_behind_that_was_killed_when_it_is_old() {
    let mut server = Server::new(HONEST).await;
    let imports = server.folder.path().join("imports");
    let mut settings = (*server.bench.settings).clone();
    settings.import_folder = Some(imports.clone());
    server.bench.settings = Arc::new(settings);
    // There is no folder yet.
    clean_up(&server.bench, 10).await.expect("it succeeds");
    let aged = |path: &Path, hours: u64| {
        let then = SystemTime::now() - Duration::from_hours(hours);
        let opened = std::fs::File::open(path).expect("it opens");
        opened.set_modified(then).expect("its age can be set");
    };
    for (name, hours) in [("import-old", 7), ("import-new", 1)] {
        let folder = imports.join(name);
        std::fs::create_dir_all(folder.join("package")).expect("made");
        aged(&folder, hours);
    }
    // What is no folder was put there by somebody else.
    let stray = imports.join(".DS_Store");
    std::fs::write(&stray, "").expect("written");
    aged(&stray, 7);
    std::os::unix::fs::symlink("nowhere", imports.join("link")).expect("linked");
    clean_up(&server.bench, 10).await.expect("it succeeds");
    assert!(!stray.exists());
    assert!(!imports.join("import-old").exists());
    assert!(imports.join("import-new").exists());
}

#[tokio::test]
async fn the_cleanup_deletes_the_files_of_uploads_that_expired_and_of_no_upload() {
    let mut server = Server::new(HONEST).await;
    let folder = server.folder.path().join("resumable");
    std::fs::create_dir(&folder).expect("it can be made");
    for name in ["kept", "expired", "of-nobody"] {
        std::fs::write(folder.join(name), b"abc").expect("it can be written");
    }
    for (id, expires_at_us) in [("kept", 20), ("expired", 10)] {
        let upload = UploadRecord {
            id: id.to_owned(),
            user_id: 1,
            bytes: 3,
            metadata: None,
            created_at_us: 0,
            expires_at_us,
            arrived: 0,
        };
        let store = &server.bench.store;
        assert!(
            store
                .create_upload(&upload, 9, 0)
                .await
                .expect("it answers")
        );
    }
    let mut settings = (*server.bench.settings).clone();
    settings.resumable_folder = Some(folder.clone());
    server.bench.settings = Arc::new(settings);
    clean_up(&server.bench, 10).await.expect("it succeeds");
    let left = std::fs::read_dir(&folder).expect("it is there");
    let left: Vec<_> = left
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left, ["kept"]);
}

#[tokio::test]
async fn the_cleanup_lets_go_of_copies_of_deleted_voices_as_soon_as_no_job_may_need_them() {
    let server = Server::new(HONEST).await;
    let cache = &server.bench.settings.voice_cache;
    for name in ["a.alto", "import.deleted"] {
        std::fs::create_dir_all(cache.join(name)).expect("made");
    }
    let id = server.job(1).await;
    let now_us = clock::now_us();
    let claimed = server.claim("running", now_us).await;
    let clean = async || clean_up(&server.bench, now_us).await.expect("it succeeds");
    clean().await;
    assert!(cache.join("import.deleted").exists(), "a job may have it");
    assert_eq!(server.attempt(claimed).await, AttemptEnd::Completed);
    assert_eq!(server.read(id).await.state.name(), "succeeded");
    clean().await;
    assert!(!cache.join("import.deleted").exists());
    assert!(cache.join("a.alto").exists());
}

#[tokio::test]
async fn the_cleanup_deletes_files_of_imported_voices_that_no_voice_has() {
    const HOUR_US: i64 = 3_600_000_000;
    let server = Server::new(HONEST).await;
    let (store, files) = (&server.bench.store, &server.bench.files);
    let local = server.folder.path().join("local");
    let keys = [
        "imports/import.1/graph.onnx",
        "imports/import.1/old.png",
        "imports/import.2/a",
    ];
    for key in keys {
        files.publish(&local, key).await.expect("it is published");
    }
    let voice = ImportedVoice {
        voice: NewVoice {
            package_id: "import.1".to_owned(),
            title: "Anna".to_owned(),
            tags: Vec::new(),
            instrument: false,
        },
        owner: VoiceOwner::Everybody(None),
        fault: None,
        package: vec![StoredPackageFile {
            name: "graph.onnx".to_owned(),
            key: keys[0].to_owned(),
            bytes: 4,
            sha256: String::new(),
        }],
        picture: None,
        demo: None,
        storage_quota_bytes: 0,
    };
    let made = store
        .create_imported(&voice, None, &Actor::server(), 0)
        .await;
    made.expect("there is room");
    let now_us = clock::now_us();
    let left = async || {
        let mut left = Vec::new();
        for key in keys {
            left.push(files.size(key).await.is_ok());
        }
        left
    };
    clean_up(&server.bench, now_us + HOUR_US)
        .await
        .expect("it succeeds");
    assert_eq!(left().await, [true, true, true], "they may be on their way");
    clean_up(&server.bench, now_us + 7 * HOUR_US)
        .await
        .expect("it succeeds");
    assert_eq!(left().await, [true, false, false]);
}
