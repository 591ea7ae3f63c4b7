use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use vocalhost::store::{Store, StoreError};

use super::Bench;

#[tokio::test]
async fn a_database_of_a_newer_release_is_refused_in_plain_words() {
    let bench = Bench::new().await;
    let file = bench.folder.path().join("vocalhost.db");
    bench.store.close().await;
    let pool = SqlitePool::connect_with(SqliteConnectOptions::new().filename(&file))
        .await
        .expect("the file is a database");
    sqlx::query(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'from the future', TRUE, x'00', 0)",
    )
    .execute(&pool)
    .await
    .expect("the history can be written");
    pool.close().await;

    let refused = Store::open(&file).await.expect_err("it is newer");
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
