//! The store: what it promises about jobs, keys and voices, on a database of its own: in a temporary folder, or on a server.

mod accounts;
mod blends;
mod counters;
mod effects;
mod idempotency;
mod imports;
mod jobs;
mod keys;
mod leases;
mod live;
mod lossy;
mod models;
mod moving;
mod others;
mod pairs;
mod pipelines;
mod position;
mod queue;
mod removal;
mod retention;
mod retry;
mod schema;
mod sessions;
mod together;
mod trainings;
mod uploads;
mod webhooks;

use sqlx::postgres::PgConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, Connection as _};
use tempfile::TempDir;
use vocalhost_job::{EffectUsed, FileContent, FileRole, JobKind, JobResult, JobSpec, ResultFile};
use vocalhost_store::{
    Actor, Claim, ClaimedJob, DatabaseAddress, JobRecord, JobTies, Lease, NewJob, NewKey,
    QueueLimits, Scope, Store, StoreError, StoredInput,
};
use vocalhost_testing::job::conversion;

/// A second, in the unit of the store's times.
const S: i64 = 1_000_000;

/// How long the tests' leases hold.
const LEASE_US: i64 = 30 * S;

/// The address of a `PostgreSQL` server that the tests are to run on instead of `SQLite`; `cargo xtask test` runs them on both.
const SERVER: &str = "VOCALHOST_TEST_POSTGRES";

/// A store on a database of its own, and time that only moves when a test says so.
struct Bench {
    /// For the database's file, and empty for a database on a server.
    folder: TempDir,
    address: DatabaseAddress,
    store: Store,
}

/// Opens a store. On a busy machine a server may take longer for a connection than stores wait for one: then again.
async fn opened(address: &DatabaseAddress) -> Store {
    for _ in 0..4 {
        match Store::open(address.clone()).await {
            Err(StoreError::Database(sqlx::Error::PoolTimedOut)) => {}
            store => return store.expect("it opens"),
        }
    }
    Store::open(address.clone()).await.expect("it opens")
}

impl Bench {
    async fn new() -> Self {
        let Ok(server) = std::env::var(SERVER) else {
            return Self::of_file().await;
        };
        let schema = format!("bench_{:x}", rand::random::<u64>());
        let mut connection = PgConnection::connect(&server).await.expect("it answers");
        let made = AssertSqlSafe(format!("CREATE SCHEMA {schema}"));
        let made = sqlx::query(made).execute(&mut connection).await;
        made.expect("the schema can be made");
        let address = DatabaseAddress::Server(format!("{server}?options=-csearch_path={schema}"));
        let store = opened(&address).await;
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self {
            folder,
            address,
            store,
        }
    }

    /// For tests that look at the file itself.
    async fn of_file() -> Self {
        Self::in_folder(tempfile::tempdir().expect("a temporary folder")).await
    }

    async fn in_folder(folder: TempDir) -> Self {
        let address = DatabaseAddress::File(folder.path().join("vocalhost.db"));
        let store = Store::open(address.clone()).await;
        Self {
            folder,
            address,
            store: store.expect("the folder's database opens"),
        }
    }

    /// What a restart of the server sees.
    async fn reopen(self) -> Self {
        self.store.close().await;
        let store = opened(&self.address).await;
        Self { store, ..self }
    }

    /// What a new server finds after this one, on a file, was killed now.
    async fn killed_now(&self) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["vocalhost.db", "vocalhost.db-wal"] {
            std::fs::copy(self.folder.path().join(name), folder.path().join(name))
                .expect("it can be copied");
        }
        Self::in_folder(folder).await
    }

    /// Does something to the database behind the store's back.
    async fn execute(&self, statement: &'static str) {
        let done = match &self.address {
            DatabaseAddress::File(file) => {
                let options = SqliteConnectOptions::new().filename(file);
                let mut connection = SqliteConnection::connect_with(&options)
                    .await
                    .expect("the file is a database");
                let done = sqlx::query(statement).execute(&mut connection).await;
                connection.close().await.expect("it closes");
                done.map(drop)
            }
            DatabaseAddress::Server(address) => {
                let mut connection = PgConnection::connect(address).await.expect("it answers");
                let done = sqlx::query(statement).execute(&mut connection).await;
                done.map(drop)
            }
        };
        done.expect("the statement is good");
    }

    async fn user(&self, name: &str) -> i64 {
        let issued = self
            .store
            .create_key(
                &NewKey {
                    user: name.to_owned(),
                    label: String::new(),
                    scopes: Scope::ALL.to_vec(),
                    expires_at_us: None,
                },
                &Actor::server(),
                0,
            )
            .await
            .expect("a key can be made");
        self.store
            .authenticate(&issued.key, 0)
            .await
            .expect("the store answers")
            .expect("the key is good")
            .user_id
    }

    async fn job(&self, user_id: i64, now_us: i64) -> JobRecord {
        self.store
            .create_job(&new_job(user_id), now_us)
            .await
            .expect("the queue has room")
    }

    async fn claim(&self, token: &str, now_us: i64) -> Option<ClaimedJob> {
        self.store
            .claim(&claim(token), now_us)
            .await
            .expect("the store answers")
    }

    async fn read(&self, id: i64) -> JobRecord {
        self.store
            .job(JobKind::VoiceConversion, id)
            .await
            .expect("the store answers")
            .expect("the job is there")
    }
}

fn new_job(user_id: i64) -> NewJob {
    NewJob {
        user_id,
        spec: JobSpec::VoiceConversion(conversion()),
        metadata: Some(serde_json::json!({ "take": "3" })),
        request_id: "request".to_owned(),
        priority: 0,
        retry_of: None,
        completes: None,
        deed: None,
        input: Some(StoredInput {
            key: format!("inputs/of-user-{user_id}.wav"),
            bytes: 1_000,
            sha256: "00".repeat(32),
            format: "wav".to_owned(),
            channels: 2,
            sample_rate_hz: 44_100,
            duration_s: Some(1.5),
            backing: None,
            warnings: Vec::new(),
            parts: Vec::new(),
        }),
        ties: JobTies::default(),
        limits: QueueLimits::default(),
    }
}

fn claim(token: &str) -> Claim {
    Claim {
        kind: JobKind::VoiceConversion,
        lease_token: token.to_owned(),
        lease_us: LEASE_US,
        max_running_per_user: 2,
    }
}

fn lease(job_id: i64, token: &str) -> Lease {
    Lease {
        job_id,
        token: token.to_owned(),
    }
}

fn content(bytes: u64, digest: &str) -> FileContent {
    FileContent {
        bytes,
        sha256: digest.repeat(32),
        crc32: None,
    }
}

fn result(lease: &Lease) -> JobResult {
    JobResult {
        files: vec![ResultFile {
            role: FileRole::Output,
            key: format!("results/{}/{}/output.wav", lease.job_id, lease.token),
            content: Some(content(10, "11")),
        }],
        effects: vec![EffectUsed {
            id: "vocalhost.reverb".to_owned(),
            version: "1.0.0".to_owned(),
            digest: "22".repeat(32),
        }],
        models: Vec::new(),
        provider: "cpu".to_owned(),
        gain_db: Some(-1.5),
        folded_from: None,
        duration_s: 1.5,
        input_loudness: None,
        loudness: Vec::new(),
        warnings: Vec::new(),
        successions: Vec::new(),
        suggested_pitch_shift: None,
        timings: None,
    }
}
