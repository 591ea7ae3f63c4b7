//! An S3 server in this process, on a port of its own, with real signatures and with faults in front of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Body as _, Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s_fs::FileSystem;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

/// Who may use the server.
pub const ACCESS_KEY: &str = "AKIDVOCALHOST";
/// The secret of that key.
pub const SECRET_KEY: &str = "a secret of forty characters, more or less";
/// The bucket that is there.
pub const BUCKET: &str = "sounds";

/// An S3 server with one bucket. It ends with the value.
pub struct S3Server {
    address: String,
    folder: tempfile::TempDir,
    front: Arc<Front>,
    runtime: Option<Runtime>,
}

/// What a client asked for.
#[derive(Debug, Clone)]
pub struct Asked {
    /// How many requests there were before.
    pub number: usize,
    /// The method.
    pub method: String,
    /// The path, which begins with the bucket.
    pub path: String,
    /// What stands behind the question mark.
    pub query: String,
    /// The headers, by lower-case names.
    pub headers: BTreeMap<String, String>,
}

/// What becomes of a request instead of a good answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is not done, and answered with 503.
    Unavailable,
    /// It is not done, and the connection is reset.
    Reset,
    /// It is done, and the connection is reset instead of an answer.
    Lost,
    /// It is done, and the connection is reset after half of the answer's body.
    Cut,
    /// It is done only after this time.
    Stall(Duration),
}

type Plan = Box<dyn Fn(&Asked) -> Option<Fault> + Send>;

/// What stands in front of the server.
#[derive(Default)]
struct Front {
    plan: Mutex<Option<Plan>>,
    seen: Mutex<Vec<Asked>>,
}

impl S3Server {
    /// Starts a server with an empty bucket.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join(BUCKET)).expect("a folder");
        let mut builder = S3ServiceBuilder::new(FileSystem::new(folder.path()).expect("a folder"));
        builder.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        let service = builder.build();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("threads");
        // A test may have a runtime of its own, in which no other can be waited for.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("it can be set");
        let address = listener.local_addr().expect("it has one").to_string();
        let front: Arc<Front> = Arc::default();
        runtime.spawn(accept(listener, service, front.clone()));
        Self {
            address,
            folder,
            front,
            runtime: Some(runtime),
        }
    }

    /// The address of the server.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The variables of the environment that let a client in.
    pub fn variables() -> [(&'static str, &'static str); 2] {
        [
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY),
            ("AWS_SECRET_ACCESS_KEY", SECRET_KEY),
        ]
    }

    /// From now on `plan` says what becomes of requests.
    pub fn fail(&self, plan: impl Fn(&Asked) -> Option<Fault> + Send + 'static) {
        *lock(&self.front.plan) = Some(Box::new(plan));
    }

    /// From now on everything goes well.
    pub fn recover(&self) {
        *lock(&self.front.plan) = None;
    }

    /// What clients asked for until now.
    pub fn seen(&self) -> Vec<Asked> {
        lock(&self.front.seen).clone()
    }

    /// The keys of the bucket, in their order.
    pub fn keys(&self) -> Vec<String> {
        let bucket = self.folder.path().join(BUCKET);
        let mut files = Vec::new();
        files_below(&bucket, &mut files);
        let within = |path: &PathBuf| {
            path.strip_prefix(&bucket)
                .expect("it lies there")
                .to_owned()
        };
        let mut keys: Vec<String> = files
            .iter()
            .map(|path| within(path).display().to_string())
            .collect();
        keys.sort();
        keys
    }

    /// What lies under a key.
    pub fn content(&self, key: &str) -> Vec<u8> {
        std::fs::read(self.folder.path().join(BUCKET).join(key)).expect("there is such a file")
    }

    /// Changes a byte of what lies under a key.
    pub fn damage(&self, key: &str) {
        let mut content = self.content(key);
        let last = content.last_mut().expect("the file is not empty");
        *last = !*last;
        std::fs::write(self.folder.path().join(BUCKET).join(key), content).expect("written");
    }

    /// How many parts lie there of files that were never put together.
    pub fn parts(&self) -> usize {
        let entries = std::fs::read_dir(self.folder.path()).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("it can be read").file_name());
        names
            .filter(|name| name.to_string_lossy().contains(".upload_id-"))
            .count()
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// A plan that lets each kind of fault happen by chance, the same for the same seed: in how many of 1,000 requests.
pub fn by_chance(
    seed: u64,
    faults: &[(u64, Fault)],
) -> impl Fn(&Asked) -> Option<Fault> + Send + use<> {
    let faults = faults.to_vec();
    move |asked| {
        let mut drawn = drawn(seed, asked.number as u64) % 1_000;
        faults.iter().find_map(|(share, fault)| {
            if drawn < *share {
                return Some(*fault);
            }
            drawn -= share;
            None
        })
    }
}

/// A number by chance, the same for the same seed and number (`SplitMix64`).
#[must_use]
pub fn drawn(seed: u64, number: u64) -> u64 {
    let mut mixed = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
}

async fn accept(listener: std::net::TcpListener, service: S3Service, front: Arc<Front>) {
    let listener = TcpListener::from_std(listener).expect("it does not block");
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, service.clone(), front.clone()));
    }
}

async fn serve(stream: TcpStream, service: S3Service, front: Arc<Front>) {
    let reset = AtomicBool::new(false);
    let (service, front, resets) = (&service, &*front, &reset);
    let answering = service_fn(move |request| {
        Box::pin(async move {
            let answered = answer(request, service, front).await;
            resets.store(answered.is_err(), Ordering::Relaxed);
            answered
        })
    });
    let mut connection = http1::Builder::new().serve_connection(TokioIo::new(stream), answering);
    let ended = (&mut connection).await;
    if ended.is_err() && reset.load(Ordering::Relaxed) {
        // The client gets a reset, as from a machine that has forgotten it, rather than an end.
        let stream = connection.into_parts().io.into_inner();
        let _ = stream.set_zero_linger();
    }
}

/// A connection that is to be reset.
#[derive(Debug, thiserror::Error)]
#[error("reset")]
struct Broken;

type Answer = Response<UnsyncBoxBody<Bytes, s3s::StdError>>;

async fn answer(
    request: Request<Incoming>,
    service: &S3Service,
    front: &Front,
) -> Result<Answer, Broken> {
    let fault = front.note(&request);
    match fault {
        Some(Fault::Unavailable) => return Ok(unavailable(request).await),
        Some(Fault::Reset) => return Err(Broken),
        Some(Fault::Stall(time)) => tokio::time::sleep(time).await,
        Some(Fault::Lost | Fault::Cut) | None => {}
    }
    let done = Service::call(service, request).await;
    let response = done
        .map_err(|_| Broken)?
        .map(http_body_util::BodyExt::boxed_unsync);
    match fault {
        Some(Fault::Lost) => Err(Broken),
        Some(Fault::Cut) => half_of(response).await,
        _ => Ok(response),
    }
}

impl Front {
    /// Notes a request, and says what becomes of it.
    fn note(&self, request: &Request<Incoming>) -> Option<Fault> {
        let mut seen = lock(&self.seen);
        let text = |value: &hyper::header::HeaderValue| {
            String::from_utf8_lossy(value.as_bytes()).into_owned()
        };
        let headers = request.headers().iter();
        let asked = Asked {
            number: seen.len(),
            method: request.method().to_string(),
            path: request.uri().path().to_owned(),
            query: request.uri().query().unwrap_or_default().to_owned(),
            headers: headers
                .map(|(name, value)| (name.to_string(), text(value)))
                .collect(),
        };
        let plan = lock(&self.plan);
        let fault = plan.as_ref().and_then(|plan| plan(&asked));
        seen.push(asked);
        fault
    }
}

async fn unavailable(request: Request<Incoming>) -> Answer {
    // A server that does not read what it is sent resets the connection.
    let _ = request.into_body().collect().await;
    let text = "<?xml version=\"1.0\"?><Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>";
    let body = Full::from(text).map_err(|never| match never {});
    let mut response = Response::new(body.boxed_unsync());
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    response
}

/// The answer with half of its body, and an end that is none.
async fn half_of(response: Answer) -> Result<Answer, Broken> {
    let (parts, body) = response.into_parts();
    if body.is_end_stream() {
        return Err(Broken);
    }
    let whole = body.collect().await.map_err(|_| Broken)?.to_bytes();
    let half = whole.slice(..whole.len() / 2);
    let mut parts = parts;
    parts
        .headers
        .insert(hyper::header::CONTENT_LENGTH, whole.len().into());
    let pieces = stream::iter([Ok(Frame::data(half))]).chain(stream::once(async {
        // What was written so far goes out first.
        tokio::time::sleep(Duration::from_millis(20)).await;
        Err(s3s::StdError::from(Broken))
    }));
    Ok(Response::from_parts(
        parts,
        StreamBody::new(pieces).boxed_unsync(),
    ))
}
