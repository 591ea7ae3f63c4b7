//! The least that has to be done for an answer: the statements, and bytes.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool, SqlitePoolOptions};
use tokio::net::TcpListener;

/// Which statements a request stands for.
#[derive(Debug, Clone, Copy)]
pub enum Work {
    /// A job with its voice.
    One,
    /// A page of conversions, the 40th when it is descending, with their voice.
    Page {
        /// Newest first.
        descending: bool,
    },
    /// The first page of separations of one status.
    PageOfStatus,
}

/// A server that ends with the bench.
pub struct Bare {
    /// Where it listens.
    pub address: String,
}

/// As many connections as the API reads with.
const READERS: u32 = 4;

const KEY: &str = "SELECT k.id, k.user_id, u.name, k.scopes, k.secret_sha256, k.expires_at_us, k.revoked_at_us, \
     k.last_used_at_us FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.user_id = 1";
const VOICE: &str = "SELECT * FROM voice_models WHERE id = 1";
const COUNT: &str = "SELECT COUNT(*) FROM jobs j WHERE j.user_id = 1 AND j.kind = ";

/// Starts a server that does `work` for every request and answers with `length` bytes.
pub async fn start(data: &Path, work: Work, length: usize) -> Bare {
    let options = SqliteConnectOptions::new()
        .filename(data.join("vocalhost.sqlite"))
        .read_only(true);
    let pool = SqlitePoolOptions::new()
        .max_connections(READERS)
        .connect_with(options)
        .await
        .expect("the database is there");
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port is free");
    let address = listener.local_addr().expect("it is bound").to_string();
    let body = Bytes::from(vec![b' '; length]);
    let shared = Arc::new((pool, body));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            let shared = shared.clone();
            let service = service_fn(move |_: Request<Incoming>| {
                let shared = shared.clone();
                async move {
                    read(&shared.0, work)
                        .await
                        .expect("the statements are right");
                    Ok::<_, Infallible>(Response::new(Full::new(shared.1.clone())))
                }
            });
            let serving = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service);
            tokio::spawn(serving);
        }
    });
    Bare { address }
}

async fn read(pool: &SqlitePool, work: Work) -> Result<(), sqlx::Error> {
    sqlx::query(KEY).fetch_all(pool).await?;
    let mut transaction = pool.begin().await?;
    match work {
        Work::One => {
            let job = "SELECT * FROM jobs j WHERE j.id = 70002";
            sqlx::query(job).fetch_all(&mut *transaction).await?;
        }
        Work::Page { descending } => {
            let count = format!("{COUNT}'voice-conversion'");
            let order = if descending {
                "DESC LIMIT 10 OFFSET 390"
            } else {
                "ASC LIMIT 10"
            };
            let page = format!(
                "SELECT * FROM jobs j WHERE j.user_id = 1 AND j.kind = 'voice-conversion' ORDER BY j.id {order}"
            );
            for statement in [count, page] {
                let statement = sqlx::AssertSqlSafe(statement);
                sqlx::query(statement).fetch_all(&mut *transaction).await?;
            }
        }
        Work::PageOfStatus => {
            let filter = "'vocal-separation' AND j.state IN ('succeeded')";
            let count = format!("{COUNT}{filter}");
            let page = format!(
                "SELECT * FROM jobs j WHERE j.user_id = 1 AND j.kind = {filter} ORDER BY j.id LIMIT 10"
            );
            for statement in [count, page] {
                let statement = sqlx::AssertSqlSafe(statement);
                sqlx::query(statement).fetch_all(&mut *transaction).await?;
            }
        }
    }
    drop(transaction);
    if !matches!(work, Work::PageOfStatus) {
        sqlx::query(VOICE).fetch_all(pool).await?;
    }
    Ok(())
}
