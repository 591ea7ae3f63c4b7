//! The least that has to be done for an answer: the statements, and bytes. In a process of its own, as the API is: whoever is
//! asked from within the process that asks answers sooner.

use std::convert::Infallible;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
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

/// The first argument of a process that is the bare server.
pub const ARGUMENT: &str = "bare-handler";

/// A server in a process of its own, which ends with this.
pub struct Bare {
    process: Child,
    /// Where it listens.
    pub address: String,
}

impl Bare {
    /// Starts a server that does the work of the place `asked` for every request and answers with `length` bytes.
    pub fn start(data: &Path, asked: usize, length: usize) -> Self {
        let program = std::env::current_exe().expect("this program has a path");
        let mut process = Command::new(program)
            .arg(ARGUMENT)
            .arg(data)
            .args([asked.to_string(), length.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program starts");
        let output = process.stdout.take().expect("it is piped");
        let mut address = String::new();
        BufReader::new(output)
            .read_line(&mut address)
            .expect("it says where it listens");
        let address = address.trim().to_owned();
        Self { process, address }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// As many connections as the API reads with.
const READERS: u32 = 4;

const KEY: &str = "SELECT k.id, k.user_id, u.name, k.scopes, k.secret_sha256, k.expires_at_us, k.revoked_at_us, \
     k.last_used_at_us FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.user_id = 1";
const VOICE: &str = "SELECT * FROM voice_models WHERE id = 1";
const COUNT: &str = "SELECT COUNT(*) FROM jobs j WHERE j.user_id = 1 AND j.kind = ";

/// Serves until nobody holds the standard input any more; the address goes to the standard output. An answer has `length` bytes.
pub async fn serve(data: &Path, work: Work, length: usize) {
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
    println!("{}", listener.local_addr().expect("it is bound"));
    tokio::task::spawn_blocking(|| {
        let _ = std::io::stdin().read(&mut [0]);
        std::process::exit(0);
    });
    let shared = Arc::new((pool, Bytes::from(vec![b' '; length])));
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
