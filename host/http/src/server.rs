use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::{Request, Version};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tower::Service;

use crate::connection::{InFlight, PerAddress, Unstalled, Untaken, speaks};
use crate::origin::Peer;
use crate::reply::Reply;

/// The head of a request: keys and cookies fit many times.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// Headers of a request.
const MAX_HEADERS: usize = 100;

/// Requests at a time on one HTTP/2 connection; each upload holds a file and some memory.
const MAX_STREAMS: u32 = 64;

/// Requests that an HTTP/2 client opened and took back before they were looked at (CVE-2023-44487).
const MAX_PENDING_RESETS: usize = 20;

/// What an HTTP/2 client may send ahead on one stream, and on the connection.
const STREAM_WINDOW_BYTES: u32 = 1 << 20;
const CONNECTION_WINDOW_BYTES: u32 = 4 << 20;

/// What is kept for an HTTP/2 client that reads slowly.
const SEND_BUFFER_BYTES: usize = 512 << 10;

/// HTTP/2 clients are asked this often whether they are still there, and have as long to answer.
const PING_EVERY: Duration = Duration::from_secs(20);

/// An HTTP/2 connection without a request is asked to close after this time.
const IDLE_FOR: Duration = Duration::from_mins(2);

/// After an error of `accept` (no file descriptors are left) the next try waits this long.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How long requests may still go on when jobs took the whole grace period.
const LAST_ANSWERS: Duration = Duration::from_secs(1);

/// Why the server could not start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The address is not understood, taken or not ours.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The setting.
        address: String,
        /// Why.
        source: std::io::Error,
    },
}

/// How many connections there may be, and how long a client may keep one waiting.
pub struct ConnectionRules {
    /// Connections at a time.
    pub max_connections: usize,
    /// Connections at a time from one address; 0 is no limit.
    pub max_connections_per_address: usize,
    /// Whether an address is that of a proxy, which may have any number of connections.
    pub is_proxy: Box<dyn Fn(IpAddr) -> bool + Send + Sync>,
    /// The longest wait for the head of a request, counted from the connection or from the last answer.
    pub header_timeout: Duration,
    /// The longest time without a byte of an answer taken.
    pub stall_timeout: Duration,
}

/// A listening socket.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Listens on `address`, a host and a port.
    pub async fn bind(address: &str) -> Result<Self, ServeError> {
        let failed = |source| ServeError::Bind {
            address: address.to_owned(),
            source,
        };
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }

    /// The address that was taken.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Has `service` answer until `stop` resolves, then finishes the requests in flight by the time that `stop` gives, or within a
    /// moment when that has passed.
    pub async fn serve<S>(
        self,
        service: S,
        rules: ConnectionRules,
        stop: impl Future<Output = Instant>,
    ) where
        S: Service<Request<Incoming>, Response = Reply, Error = Infallible>
            + Clone
            + Send
            + 'static,
        S::Future: Send + 'static,
    {
        let graceful = GracefulShutdown::new();
        let slots = Arc::new(Semaphore::new(
            rules.max_connections.min(Semaphore::MAX_PERMITS),
        ));
        let addresses = PerAddress::default();
        let mut stop = std::pin::pin!(stop);
        let end_of_grace = loop {
            let accepted = tokio::select! {
                end_of_grace = &mut stop => break end_of_grace,
                accepted = accept(&self.listener, &slots) => accepted,
            };
            let Some((stream, peer, slot)) = accepted else {
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            };
            // All clients of a proxy come from its address.
            let max = if (rules.is_proxy)(peer.ip()) {
                0
            } else {
                rules.max_connections_per_address
            };
            let Some(address_slot) = addresses.enter(peer.ip(), max) else {
                tracing::debug!(%peer, "an address has too many connections");
                continue;
            };
            let watcher = graceful.watcher();
            let connection = Connection {
                service: service.clone(),
                header_timeout: rules.header_timeout,
                stall_timeout: rules.stall_timeout,
            };
            tokio::spawn(async move {
                connection.serve((stream, peer), watcher).await;
                drop((slot, address_slot));
            });
        };
        drop(self.listener);
        let end = end_of_grace.max(Instant::now() + LAST_ANSWERS);
        if tokio::time::timeout_at(end, graceful.shutdown())
            .await
            .is_err()
        {
            tracing::warn!("requests were still in flight after the grace period");
        }
    }
}

type Accepted = (TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit);

/// The next connection once there is room for one; `None` when the system refuses.
async fn accept(listener: &TcpListener, slots: &Arc<Semaphore>) -> Option<Accepted> {
    let slot = slots.clone().acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, slot)),
        Err(error) => {
            tracing::warn!(cause = %error, "a connection could not be accepted");
            None
        }
    }
}

/// How one connection is served.
struct Connection<S> {
    service: S,
    header_timeout: Duration,
    stall_timeout: Duration,
}

impl<S> Connection<S>
where
    S: Service<Request<Incoming>, Response = Reply, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send + 'static,
{
    async fn serve(
        self,
        (stream, peer): (TcpStream, SocketAddr),
        watcher: hyper_util::server::graceful::Watcher,
    ) {
        if !speaks(&stream, self.header_timeout).await {
            return;
        }
        // Small answers leave at once.
        let _ = stream.set_nodelay(true);
        let in_flight = InFlight::default();
        let counting = in_flight.clone();
        let untaken = Untaken::new(self.stall_timeout);
        let (watching, mut answers) = (untaken.clone(), 0_u64);
        let answering = self.service.clone();
        let service = tower::service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer));
            let counted = counting.enter();
            answers += 1;
            // A client of HTTP/1 takes what is written, or [`Unstalled`] ends the connection.
            let watching =
                (request.version() == Version::HTTP_2).then(|| (watching.clone(), answers));
            let answer = answering.clone().call(request);
            async move {
                // The body keeps the count up until it is sent.
                answer.await.map(|answer| {
                    answer.map(|body| {
                        let frames = body.map_frame(move |frame| {
                            let _in_flight = &counted;
                            frame
                        });
                        match watching {
                            Some((untaken, number)) => {
                                untaken.watch(number, frames.boxed_unsync()).boxed_unsync()
                            }
                            None => frames.boxed_unsync(),
                        }
                    })
                })
            }
        });
        let io = TokioIo::new(Unstalled::new(stream, self.stall_timeout));
        let protocols = self.protocols();
        // A connection that becomes a stream of another protocol is served by whoever takes it over.
        let service = TowerToHyperService::new(service);
        let connection = protocols.serve_connection_with_upgrades(io, service);
        tokio::select! {
            ended = watcher.watch(connection.into_owned()) => {
                if let Err(error) = ended {
                    tracing::debug!(cause = %error, "a connection broke");
                }
            }
            // Nothing is in flight: dropping the connection closes it. The first request must come soon: half of HTTP/2's
            // greeting would otherwise be waited on for ever.
            () = in_flight.idle_for(self.header_timeout, IDLE_FOR) => {}
            () = untaken.overdue() => {
                tracing::debug!(%peer, "a client did not take its answers");
            }
        }
    }

    fn protocols(&self) -> auto::Builder<TokioExecutor> {
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(self.header_timeout)
            .max_headers(MAX_HEADERS)
            .max_buf_size(MAX_HEAD_BYTES);
        builder
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(MAX_STREAMS)
            .max_pending_accept_reset_streams(MAX_PENDING_RESETS)
            .max_header_list_size(MAX_HEAD_BYTES as u32)
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .max_send_buf_size(SEND_BUFFER_BYTES)
            .keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PING_EVERY);
        builder
    }
}
