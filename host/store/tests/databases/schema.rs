use std::path::Path;

use sqlx::migrate::Migrator;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use vocalhost_store::{DatabaseAddress, Store, StoreError};

use super::Bench;

const FROM_THE_FUTURE: &str = "INSERT INTO _sqlx_migrations \
     (version, description, success, checksum, execution_time) VALUES (9999, 'from the future', TRUE, x'00', 0)";

const FROM_THE_FUTURE_OF_POSTGRES: &str = "INSERT INTO _sqlx_migrations \
     (version, description, success, checksum, execution_time) VALUES (9999, 'from the future', TRUE, '\\x00', 0)";

#[tokio::test]
async fn a_database_of_a_newer_release_is_refused_in_plain_words() {
    let bench = Bench::new().await;
    bench
        .execute(match bench.address {
            DatabaseAddress::File(_) => FROM_THE_FUTURE,
            DatabaseAddress::Server(_) => FROM_THE_FUTURE_OF_POSTGRES,
        })
        .await;
    let refused = Store::open(bench.address.clone()).await;
    let refused = refused.expect_err("it is newer");
    assert!(
        matches!(refused, StoreError::Newer { found: 9999, .. }),
        "{refused:?}"
    );
    assert!(refused.to_string().contains("newer release"), "{refused}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("vocalhost.db");
    std::fs::write(&file, [b'x'; 4096]).expect("it can be written");
    assert!(Store::open(&file).await.is_err());
}

#[tokio::test]
async fn a_database_from_before_effects_could_be_installed_is_brought_up_to_date() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let history = folder.path().join("migrations");
    std::fs::create_dir(&history).expect("it can be made");
    let first = "0001_users_voices_jobs.sql";
    std::fs::copy(
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join("migrations")
            .join(first),
        history.join(first),
    )
    .expect("it can be copied");
    let file = folder.path().join("vocalhost.db");
    let options = SqliteConnectOptions::new()
        .filename(&file)
        .create_if_missing(true);
    let pool = SqlitePool::connect_with(options).await.expect("it opens");
    let old = Migrator::new(history.as_path()).await.expect("one file");
    old.run(&pool).await.expect("the schema of then");
    sqlx::query("INSERT INTO users (name, created_at_us) VALUES ('anna', 0)")
        .execute(&pool)
        .await
        .expect("there are users");
    pool.close().await;

    let store = Store::open(&file).await.expect("the old one opens");
    let (_, effects) = store.effects().await.expect("the store answers");
    assert!(effects.is_empty());
    assert_eq!(store.bootstrap(0).await.expect("it answers"), None);
}
