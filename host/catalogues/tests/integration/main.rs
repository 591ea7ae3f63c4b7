//! The models of an installation, beside its database and its files.

use std::path::Path;
use std::time::Duration;

use vocalhost_catalogues::library::{Library, LibrarySettings};
use vocalhost_files::FileStore;
use vocalhost_store::{Actor, AuditQuery, Store};
use vocalhost_testing::poll::PATIENCE;
use vocalhost_testing::separators::Separator;

/// The models of a data folder, and its database.
async fn opened(data: &Path) -> (Library, Store) {
    let store = Store::open(&data.join("vocalhost.sqlite")).await;
    let store = store.expect("it opens");
    let files = FileStore::open(data).expect("an empty folder opens");
    let settings = LibrarySettings {
        program: "none".into(),
        imported: data.join("models"),
        imports: data.join("imports"),
        worker_memory_bytes: 2 << 30,
        keeps_voices: true,
        ..LibrarySettings::default()
    };
    let library = Library::open(store.clone(), files, settings, 0).await;
    (library.expect("there is nothing to fail"), store)
}

#[tokio::test]
async fn a_package_goes_with_its_line_in_the_audit_when_whoever_asked_has_left() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let models = data.path().join("models");
    Separator::of_shares("vocals", &[("vocals", 0.25)], "backing").write(&models);
    let (library, store) = opened(data.path()).await;
    let actor = Actor::server();
    // Asks, and leaves before anything else can run: a timer, however short, sometimes fires only after the removal.
    tokio::select! {
        biased;
        _ = library.remove_package("test.vocals-1", false, &actor, 1) => panic!("it cannot be done at once"),
        () = std::future::ready(()) => {}
    }
    let query = AuditQuery {
        action: Some("removeModelPackage".to_owned()),
        page: 1,
        per_page: 1,
        ..AuditQuery::default()
    };
    let noted = async {
        let mut looks = tokio::time::interval(Duration::from_millis(10));
        while store.audit_log(&query).await.expect("it is read").total == 0 {
            looks.tick().await;
        }
    };
    let noted = tokio::time::timeout(PATIENCE, noted).await;
    noted.expect("it comes to its end");
    assert!(!models.join("test.vocals-1").exists());
}
