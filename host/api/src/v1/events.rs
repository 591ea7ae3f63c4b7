use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{self, TryStreamExt};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Frame;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::timestamp::timestamp;
use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_http::reply::{self, BodyError, Reply};
use vocalhost_store::{Changes, EventKind, JobEvent, JobRecord};

/// The number of the last event that a client saw before its connection broke.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Tells nginx not to keep events back.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// A connection on which nothing is said for longer may be cut by something between client and server.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// How long a client whose connection broke waits before it comes back.
const COME_BACK: &str = "retry: 2000\n\n";

/// Events that are read at a time.
const AT_A_TIME: u64 = 100;

/// The history of a job and what becomes of it, as server-sent events; ends after the job has. A client that comes back
/// after the last event is told that there is nothing more (204, which ends an `EventSource`).
pub async fn stream(api: &Arc<Api>, headers: &HeaderMap, job: JobRecord) -> Result<Reply, Problem> {
    let after = headers.get(LAST_EVENT_ID);
    let after = after.and_then(|id| id.to_str().ok()?.trim().parse().ok());
    let mut following = Following {
        // Before the first look, so that nothing happens unseen between the two.
        changes: api.store.changes(),
        api: api.clone(),
        job_id: job.id,
        after: after.unwrap_or(0),
        said_at: Instant::now(),
        over: false,
    };
    let first = following.next_events().await?;
    if first.is_none() && job.ended_at_us.is_some() {
        return Ok(reply::empty(StatusCode::NO_CONTENT));
    }
    let start = COME_BACK.to_owned() + &first.unwrap_or_default();
    let start = stream::once(async { Ok(Bytes::from(start)) });
    let rest = stream::try_unfold(following, |mut following| async move {
        Ok::<_, BodyError>(
            following
                .next_piece()
                .await?
                .map(|piece| (piece, following)),
        )
    });
    let pieces = stream::StreamExt::chain(start, rest);
    let mut reply = Reply::new(StreamBody::new(pieces.map_ok(Frame::data)).boxed_unsync());
    let reply_headers = reply.headers_mut();
    for (name, value) in [
        (CONTENT_TYPE, "text/event-stream"),
        (CACHE_CONTROL, "no-store"),
        (X_ACCEL_BUFFERING, "no"),
    ] {
        reply_headers.insert(name, HeaderValue::from_static(value));
    }
    Ok(reply)
}

/// A client that listens to a job.
struct Following {
    api: Arc<Api>,
    changes: Changes,
    job_id: i64,
    /// The number of the last event that was sent.
    after: i64,
    /// When anything was sent last.
    said_at: Instant,
    /// Whether the last event was sent.
    over: bool,
}

impl Following {
    /// What to send next, once there is something; `None` at the end.
    async fn next_piece(&mut self) -> Result<Option<Bytes>, BodyError> {
        while !self.over && !self.api.is_draining() {
            // Asked before the events are read: a job that has ended by now has all of them.
            let goes_on = self.api.store.goes_on(self.job_id).await?;
            if let Some(events) = self.next_events().await? {
                return Ok(Some(Bytes::from(events)));
            }
            if !goes_on {
                // It was deleted.
                break;
            }
            if self.said_at.elapsed() >= HEARTBEAT {
                self.said_at = Instant::now();
                return Ok(Some(Bytes::from_static(b": heartbeat\n\n")));
            }
            self.changes.of(self.job_id).await;
        }
        Ok(None)
    }

    async fn next_events(&mut self) -> Result<Option<String>, vocalhost_store::StoreError> {
        let store = &self.api.store;
        let events = store.events(self.job_id, self.after, AT_A_TIME).await?;
        let Some(last) = events.last() else {
            return Ok(None);
        };
        self.after = last.id;
        self.over = last.kind == EventKind::Ended;
        self.said_at = Instant::now();
        Ok(Some(events.iter().map(written).collect()))
    }
}

fn written(event: &JobEvent) -> String {
    let mut data = json!({ "at": timestamp(event.at_us) });
    if let (Value::Object(data), Value::Object(detail)) = (&mut data, &event.detail) {
        data.extend(detail.clone());
    }
    // JSON in one line, so that it is one line of the event, too.
    format!(
        "id: {}\nevent: {}\ndata: {data}\n\n",
        event.id,
        event.kind.as_str()
    )
}
