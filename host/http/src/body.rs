use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::time::{Instant, Sleep};

/// The size of the pieces in which a body is handed on: so small that a reader looking for the end of a part's header
/// never takes in much more than it may.
const PIECE_BYTES: usize = 16 << 10;

/// After an early answer the rest of the request is read and dropped for this long, so that a client that is still
/// sending gets to read the answer instead of a reset connection.
const LINGER: Duration = Duration::from_secs(5);

/// At most this much of it is read, then the connection is cut.
const LINGER_BYTES: usize = 32 << 20;

/// A client that is slower than this over the idle time counts as silent: no line that people upload sound over is so
/// slow, and it would hold a file and a connection for an hour.
const SLOWEST_BYTES_PER_S: f64 = 1024.0;

/// Why a body could not be read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyFault {
    /// Too little came for too long, or the whole took too long.
    #[error("the body did not arrive in time")]
    TooSlow,
    /// The reader had to take in too much without getting anywhere.
    #[error("a part's header is too long")]
    HeaderTooLong,
    /// The connection broke.
    #[error("the connection broke")]
    Broken,
}

/// How long the body of a request may take.
#[derive(Debug, Clone, Copy)]
pub struct BodyTimes {
    /// The longest time with hardly a byte.
    pub idle: Duration,
    /// The longest time for the whole body.
    pub whole: Duration,
}

/// Counts what went into a reader since it last got somewhere.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unsettled(Arc<AtomicU64>);

impl Unsettled {
    /// The reader got somewhere: a part's header was read, or a piece of its content.
    pub(crate) fn settle(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// The body of a request in small pieces, with time limits, and with a limit on what a reader may take in without
/// getting anywhere (a multipart reader buffers a part's header without end).
pub(crate) struct PacedBody<'a> {
    body: &'a mut Incoming,
    rest: Bytes,
    unsettled: Unsettled,
    max_unsettled_bytes: u64,
    times: BodyTimes,
    idle: Pin<Box<Sleep>>,
    /// What came since `idle` was set.
    recent_bytes: f64,
    deadline: Pin<Box<Sleep>>,
    breathe: bool,
}

impl<'a> PacedBody<'a> {
    /// Reads `body`; at most `max_unsettled_bytes` may be unsettled.
    pub(crate) fn new(body: &'a mut Incoming, max_unsettled_bytes: u64, times: BodyTimes) -> Self {
        Self {
            body,
            rest: Bytes::new(),
            unsettled: Unsettled::default(),
            max_unsettled_bytes,
            times,
            idle: Box::pin(tokio::time::sleep(times.idle)),
            recent_bytes: 0.0,
            deadline: Box::pin(tokio::time::sleep(times.whole)),
            breathe: false,
        }
    }

    /// The count that the reader must settle.
    #[must_use]
    pub(crate) fn unsettled(&self) -> Unsettled {
        self.unsettled.clone()
    }

    fn hand_on(&mut self) -> Result<Bytes, BodyFault> {
        let piece = self.rest.split_to(self.rest.len().min(PIECE_BYTES));
        let length = piece.len() as u64;
        let before = self.unsettled.0.fetch_add(length, Ordering::Relaxed);
        if before + length > self.max_unsettled_bytes {
            return Err(BodyFault::HeaderTooLong);
        }
        self.breathe = true;
        Ok(piece)
    }

    fn note_arrival(&mut self) {
        self.recent_bytes += self.rest.len() as f64;
        let enough = SLOWEST_BYTES_PER_S * self.times.idle.as_secs_f64();
        // When the time was over before anybody looked, it was our disk that was slow, not the client.
        if self.recent_bytes >= enough || self.idle.is_elapsed() {
            self.recent_bytes = 0.0;
            self.idle.as_mut().reset(Instant::now() + self.times.idle);
        }
    }

    fn late(&mut self, context: &mut Context<'_>) -> bool {
        self.idle.as_mut().poll(context).is_ready()
            || self.deadline.as_mut().poll(context).is_ready()
    }
}

impl Stream for PacedBody<'_> {
    type Item = Result<Bytes, BodyFault>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        // A reader that polls until nothing is ready would take in everything that is there, so it gets one piece at a
        // time.
        if std::mem::take(&mut this.breathe) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        loop {
            if !this.rest.is_empty() {
                return Poll::Ready(Some(this.hand_on()));
            }
            match Pin::new(&mut *this.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => {
                    // Trailers are ignored.
                    this.rest = frame.into_data().unwrap_or_default();
                    this.note_arrival();
                }
                Poll::Ready(Some(Err(_))) => return Poll::Ready(Some(Err(BodyFault::Broken))),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending if this.late(context) => {
                    return Poll::Ready(Some(Err(BodyFault::TooSlow)));
                }
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

/// Reads and drops what is left of a body, within the limits.
pub async fn linger(mut body: Incoming) {
    let drop_all = async {
        let mut dropped = 0;
        while let Some(Ok(frame)) = body.frame().await {
            dropped += frame.data_ref().map_or(0, Bytes::len);
            if dropped > LINGER_BYTES {
                break;
            }
        }
    };
    // Either way the body is dropped now, which ends the connection when something is left of it.
    let _ = tokio::time::timeout(LINGER, drop_all).await;
}
