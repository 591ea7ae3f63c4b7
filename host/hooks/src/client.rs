use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST, RETRY_AFTER, USER_AGENT};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::ClientConfig;
use tokio_rustls::rustls::pki_types::ServerName;

use super::{AddressRules, Message, Target, TargetError};

/// What is kept of an answer, in bytes; nothing more is read.
const EXCERPT_BYTES: usize = 512;

/// How long the excerpt may take to arrive after the head; the head alone is an answer already.
const EXCERPT_TIME: Duration = Duration::from_secs(2);

/// The head of an answer may not be larger.
const MAX_HEAD_BYTES: usize = 16 << 10;

/// How many addresses of one host are tried.
const MAX_ADDRESSES: usize = 4;

/// Posts messages. Redirects are answers like others: nobody has checked where they lead.
#[derive(Clone)]
pub struct Client {
    /// Which addresses may be connected to.
    pub rules: AddressRules,
    /// How connections are encrypted.
    pub tls: Arc<ClientConfig>,
    /// How long a try may take, from the look-up of the name to the beginning of the answer.
    pub timeout: Duration,
}

/// The answer to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// Its status.
    pub status: u16,
    /// Its beginning.
    pub excerpt: String,
    /// How long the receiver asks us to wait before the next try.
    pub retry_after: Option<Duration>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The URL is no address that webhooks can go to.
    #[error("the address is refused: {0}")]
    Target(#[from] TargetError),
    /// The host's name cannot be looked up.
    #[error("the name of the host cannot be looked up: {0}")]
    Name(#[source] std::io::Error),
    /// The host has no address on the public internet.
    #[error("the host has no address on the public internet")]
    Private,
    /// Nobody took the connection.
    #[error("cannot connect: {0}")]
    Connect(#[source] std::io::Error),
    /// The connection cannot be encrypted, or not with this host.
    #[error("cannot encrypt the connection: {0}")]
    Tls(#[source] std::io::Error),
    /// The receiver does not speak HTTP.
    #[error("the exchange failed: {0}")]
    Exchange(#[from] hyper::Error),
    /// The request cannot be written.
    #[error("the request cannot be written: {0}")]
    Request(#[from] hyper::http::Error),
    /// It took too long.
    #[error("there was no answer within {} s", .0.as_secs_f64())]
    Timeout(Duration),
}

impl Client {
    /// Posts a message to `url`, as [`Client::post_json`].
    pub(crate) async fn post(&self, url: &str, message: &Message) -> Result<Sent, SendError> {
        self.post_json(url, &message.headers(), message.body.clone())
            .await
    }

    /// Posts JSON with these headers to `url` and waits for the answer:
    ///
    /// 1. Look the host's name up, and leave out every address that is not permitted.
    /// 2. Connect to one of the addresses that are left; the name is not looked up again. With `https` the host must
    ///    show a certificate for its name.
    /// 3. Post, and read the beginning of the answer.
    pub async fn post_json(
        &self,
        url: &str,
        headers: &[(&'static str, String)],
        body: Vec<u8>,
    ) -> Result<Sent, SendError> {
        let late = |_| SendError::Timeout(self.timeout);
        let exchange = timeout(self.timeout, self.exchange(url, headers, body));
        Ok(read(exchange.await.map_err(late)??).await)
    }

    async fn exchange(
        &self,
        url: &str,
        headers: &[(&'static str, String)],
        body: Vec<u8>,
    ) -> Result<Begun, SendError> {
        let target = Target::parse(url, &self.rules)?;
        let addresses = target.addresses(&self.rules).await;
        let addresses = addresses.map_err(SendError::Name)?;
        let stream = connect(&addresses).await?;
        let request = request(&target, headers, body)?;
        if !target.is_tls() {
            return converse(stream, request).await;
        }
        let failed = |error| SendError::Tls(std::io::Error::other(error));
        let name = ServerName::try_from(target.name()).map_err(failed)?;
        let connector = TlsConnector::from(self.tls.clone());
        let stream = connector.connect(name, stream).await;
        converse(stream.map_err(SendError::Tls)?, request).await
    }
}

async fn connect(addresses: &[SocketAddr]) -> Result<TcpStream, SendError> {
    let mut failure = SendError::Private;
    for address in addresses.iter().take(MAX_ADDRESSES) {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = SendError::Connect(error),
        }
    }
    Err(failure)
}

fn request(
    target: &Target,
    headers: &[(&'static str, String)],
    body: Vec<u8>,
) -> Result<Request<Full<Bytes>>, SendError> {
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(target.path())
        .header(HOST, target.authority())
        .header(USER_AGENT, concat!("vocalhost/", env!("CARGO_PKG_VERSION")))
        .header(CONTENT_TYPE, "application/json");
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    Ok(request.body(Full::from(body))?)
}

/// An answer whose head has arrived.
struct Begun {
    answer: Response<Incoming>,
    /// Dropping it would end the connection.
    _sender: http1::SendRequest<Full<Bytes>>,
    _connection: Moving,
}

/// A connection that a task of its own drives until this is dropped.
struct Moving(JoinHandle<hyper::Result<()>>);

impl Drop for Moving {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn converse<S>(stream: S, request: Request<Full<Bytes>>) -> Result<Begun, SendError>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(MAX_HEAD_BYTES)
        .handshake(TokioIo::new(stream))
        .await?;
    let mut connection = Moving(tokio::spawn(connection));
    match sender.send_request(request).await {
        Ok(answer) => Ok(Begun {
            answer,
            _sender: sender,
            _connection: connection,
        }),
        // The connection's own error says more.
        Err(error) => match (&mut connection.0).await {
            Ok(Err(ended)) => Err(ended.into()),
            _ => Err(error.into()),
        },
    }
}

/// Reads the beginning of an answer; one that breaks off, or does not go on, is still an answer.
async fn read(begun: Begun) -> Sent {
    let (head, mut body) = begun.answer.into_parts();
    let seconds = head.headers.get(RETRY_AFTER);
    let seconds = seconds.and_then(|value| value.to_str().ok()?.parse().ok());
    let mut excerpt = Vec::new();
    let until = Instant::now() + EXCERPT_TIME;
    while excerpt.len() < EXCERPT_BYTES {
        let Ok(Some(Ok(frame))) = timeout_at(until, body.frame()).await else {
            break;
        };
        if let Some(bytes) = frame.data_ref() {
            excerpt.extend_from_slice(&bytes[..bytes.len().min(EXCERPT_BYTES - excerpt.len())]);
        }
    }
    Sent {
        status: head.status.as_u16(),
        excerpt: String::from_utf8_lossy(&excerpt).into_owned(),
        retry_after: seconds.map(Duration::from_secs),
    }
}
