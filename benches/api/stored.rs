//! A database of a service that has been running for a while.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use vocalhost_job::{JobSpec, SeparationSpec};
use vocalhost_store::{
    Actor, CatalogModel, JobTies, NewJob, NewKey, QueueLimits, Scope, Store, StoredInput,
};
use vocalhost_testing::job;

/// Jobs of all users, and users. The first user, who asks, has a fifth of the jobs.
const JOBS: i64 = 100_000;
const USERS: i64 = 20;

/// Makes the database in a data folder and gives the first user's key.
pub async fn fill(data: &Path) -> String {
    let file = data.join("vocalhost.sqlite");
    let store = Store::open(&file).await.expect("an empty folder");
    let mut keys = Vec::new();
    for user in 0..USERS {
        let new = NewKey {
            user: format!("user {user}"),
            label: String::new(),
            scopes: vec![Scope::Read, Scope::Write],
            expires_at_us: None,
        };
        keys.push(
            store
                .create_key(&new, &Actor::server(), 0)
                .await
                .expect("a key"),
        );
    }
    store.sync_models(&[voice()], 0).await.expect("a voice");
    let user_id = store.user_id("user 0").await.expect("the store answers");
    for spec in [
        conversion(),
        JobSpec::VocalSeparation(SeparationSpec::default()),
    ] {
        let new = NewJob {
            user_id: user_id.expect("the user is there"),
            spec,
            metadata: None,
            priority: 0,
            request_id: "bench".to_owned(),
            retry_of: None,
            input: Some(input()),
            ties: JobTies::default(),
            completes: None,
            deed: None,
            limits: QueueLimits::default(),
        };
        store.create_job(&new, 0).await.expect("a job");
    }
    store.close().await;
    multiply(&file).await;
    keys.swap_remove(0).key
}

/// Makes the two jobs into many that have ended well: every other one a separation, a fifth of them the first user's.
async fn multiply(file: &Path) {
    let pool = SqlitePool::connect_with(SqliteConnectOptions::new().filename(file))
        .await
        .expect("the file is a database");
    let columns: Vec<String> =
        sqlx::query_scalar("SELECT name FROM pragma_table_info('jobs') WHERE name <> 'id'")
            .fetch_all(&pool)
            .await
            .expect("the table has columns");
    let result = r#"{"files":[{"role":"output","key":"results/1/x/output.wav","bytes":1000000,"sha256":"00"},{"role":"lossy_output","key":"results/1/x/output.mp3","bytes":100000,"sha256":"00"}],"effects":[],"models":[],"provider":"cpu","gain_db":null,"folded_from":null,"duration_s":10.0}"#;
    let now_us = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("it is after 1970")
        .as_micros();
    let values: Vec<String> = columns
        .iter()
        .map(|column| match column.as_str() {
            "user_id" => format!("CASE WHEN n % 5 = 0 THEN 1 ELSE 2 + n % {} END", USERS - 1),
            "state" => "'succeeded'".to_owned(),
            // Within the last hours: the files of older ones would be cleaned up meanwhile.
            "ended_at_us" => format!("{now_us} - ({JOBS} - n) * 100000"),
            "result" => format!("'{result}'"),
            other => format!("j.{other}"),
        })
        .collect();
    let many = format!(
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {JOBS}) \
         INSERT INTO jobs ({}) SELECT {} FROM numbers JOIN jobs j ON j.id = 1 + (n / 5) % 2",
        columns.join(", "),
        values.join(", ")
    );
    for statement in [many.as_str(), "DELETE FROM jobs WHERE id <= 2"] {
        sqlx::query(sqlx::AssertSqlSafe(statement))
            .execute(&pool)
            .await
            .expect("the statement is right");
    }
    pool.close().await;
}

fn voice() -> CatalogModel {
    CatalogModel {
        package_id: "bench.voice".to_owned(),
        title: "Voice".to_owned(),
        tags: Vec::new(),
        instrument: false,
        fault: None,
        links: vocalhost_store::ModelLinks::default(),
    }
}

fn conversion() -> JobSpec {
    JobSpec::VoiceConversion(job::conversion())
}

fn input() -> StoredInput {
    StoredInput {
        key: "inputs/bench.wav".to_owned(),
        bytes: 1_000_000,
        sha256: "00".to_owned(),
        format: "wav".to_owned(),
        channels: 1,
        sample_rate_hz: 44_100,
        duration_s: Some(10.0),
        backing: None,
        warnings: Vec::new(),
        parts: Vec::new(),
    }
}
