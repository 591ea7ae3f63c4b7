use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::HeaderMap;
use hyper::StatusCode;
use hyper::body::Body;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderName, HeaderValue, LOCATION};

use super::noted::noted;
use super::problem::Problem;
use super::state::Api;
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::reply::{self, Reply};
use vocalhost_store::{Caller, Completion, KeptAnswer, KeptRequest, Reservation, Reserved, Store};
use vocalhost_system::clock;
use vocalhost_system::token;

/// The header with the client's key.
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Says that an answer was given before.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// Keys are random numbers in text; this is room for several.
const LONGEST_KEY: usize = 255;

/// Longer answers are not kept: records are a few kilobytes.
const LONGEST_ANSWER: u64 = 256 << 10;

/// What a request may take beside its body: looking at a recording, and waiting for the job's end.
const SPARE_S: f64 = 600.0;

/// The promise that a request is done once, however often it is sent; empty for a request without a key.
///
/// The key is reserved before the body is read, and completed by the transaction that makes the job, or by keeping the
/// answer. A request that fails gives the key back, so that it can be corrected and sent again.
#[derive(Debug, Clone, Default)]
pub struct Once(Option<Arc<Held>>);

#[derive(Debug)]
struct Held {
    store: Store,
    reservation: Reservation,
    /// The variables of the path: they are part of what is asked.
    path: String,
    /// What was done under the key before.
    before: Option<KeptRequest>,
    fingerprint: OnceLock<String>,
    /// Whether the key was completed or given back.
    settled: AtomicBool,
}

impl Once {
    /// Reserves the key of a request, if it has one.
    pub async fn begin(
        api: &Api,
        caller: &Caller,
        operation: &str,
        (headers, path): (&HeaderMap, &matchit::Params<'_, '_>),
    ) -> Result<Self, Problem> {
        let Some(key) = key(headers)? else {
            return Ok(Self::default());
        };
        let reservation = Reservation {
            user_id: caller.user_id,
            operation: operation.to_owned(),
            key,
            token: token::draw().map_err(|error| Problem::internal(&error))?,
        };
        let now_us = clock::now_us();
        let lasts_s = api.settings.body_timeout_s + SPARE_S;
        let until_us = now_us + (lasts_s * clock::US_PER_S as f64) as i64;
        let before = match api.store.reserve(&reservation, now_us, until_us).await? {
            Reserved::Ours => None,
            Reserved::InProgress => return Err(Problem::key_in_progress()),
            Reserved::Done(request) => Some(request),
        };
        Ok(Self(Some(Arc::new(Held {
            store: api.store.clone(),
            reservation,
            path: variables(path),
            before,
            fingerprint: OnceLock::new(),
            settled: AtomicBool::new(false),
        }))))
    }

    /// Says what is asked, once the body was read and before anything is done. Gives the answer when the request was done
    /// before; another request under the same key is refused.
    pub fn seen(&self, asked: &Fingerprint) -> Result<Seen, Problem> {
        let Some(held) = &self.0 else {
            return Ok(Seen::New);
        };
        let fingerprint = asked.at(&held.path);
        let Some(before) = &held.before else {
            let _ = held.fingerprint.set(fingerprint);
            return Ok(Seen::New);
        };
        if before.fingerprint != fingerprint {
            return Err(Problem::KeyReused);
        }
        match (&before.answer, before.job_id) {
            (Some(answer), _) => Ok(Seen::Answered(again(given(answer)?))),
            // The server ended between making the job and keeping the answer.
            (None, Some(job_id)) => Ok(Seen::Made(job_id)),
            (None, None) => Err(Problem::key_in_progress()),
        }
    }

    /// Whether a request was done under the key before; if it was not this one, this one will be refused.
    #[must_use]
    pub fn was_done(&self) -> bool {
        self.0.as_ref().is_some_and(|held| held.before.is_some())
    }

    /// What the transaction that makes a job is to complete.
    #[must_use]
    pub fn completion(&self) -> Option<Completion> {
        let held = self.0.as_ref()?;
        Some(Completion {
            reservation: held.reservation.clone(),
            fingerprint: held.fingerprint.get()?.clone(),
        })
    }

    /// Keeps a good answer for the next time; any other gives the key back, before the client knows of it. Does so once: work
    /// that goes on when its client has left settles its key itself.
    pub async fn settle(self, answered: Result<Reply, Problem>) -> Result<Reply, Problem> {
        let is_open =
            |held: &&Arc<Held>| held.before.is_none() && !held.settled.load(Ordering::Relaxed);
        let Some(held) = self.0.as_ref().filter(is_open) else {
            return answered;
        };
        let answered = match (answered, self.completion()) {
            (Ok(reply), Some(done)) => keep(&held.store, &done, reply).await,
            (answered, _) => answered,
        };
        // A completed request stays.
        held.store.release(&held.reservation).await?;
        held.settled.store(true, Ordering::Relaxed);
        answered
    }
}

/// What was done under the key of a request before.
#[derive(Debug)]
pub enum Seen {
    /// Nothing, or it has no key.
    New,
    /// The same, and this was the answer.
    Answered(Reply),
    /// This job was made, and its answer was not kept.
    Made(i64),
}

/// Marks an answer as given before.
#[must_use]
pub fn again(mut reply: Reply) -> Reply {
    let yes = HeaderValue::from_static("true");
    reply.headers_mut().insert(REPLAYED, yes);
    // It was noted when it was done.
    noted(reply)
}

/// Keeps an answer that can be given again.
async fn keep(store: &Store, done: &Completion, reply: Reply) -> Result<Reply, Problem> {
    let length = reply.body().size_hint().upper();
    let fits = length.is_some_and(|bytes| bytes <= LONGEST_ANSWER);
    if !reply.status().is_success() || !fits {
        return Ok(reply);
    }
    let (head, body) = reply.into_parts();
    let body = body.collect().await;
    let body = body.map_err(|error| Problem::internal(&error))?.to_bytes();
    if let Ok(text) = std::str::from_utf8(&body) {
        let location = head.headers.get(LOCATION);
        let answer = KeptAnswer {
            status: head.status.as_u16(),
            location: location.and_then(|value| value.to_str().ok().map(str::to_owned)),
            body: text.to_owned(),
        };
        store.keep_answer(done, &answer, clock::now_us()).await?;
    }
    let body = Full::new(body).map_err(|never| match never {});
    Ok(Reply::from_parts(head, body.boxed_unsync()))
}

impl Drop for Held {
    /// On the other ways out: a client that hung up, a panic. A completed request is not released.
    fn drop(&mut self) {
        if self.before.is_some() || self.settled.load(Ordering::Relaxed) {
            return;
        }
        let (store, reservation) = (self.store.clone(), self.reservation.clone());
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = store.release(&reservation).await {
                    tracing::warn!(%error, "an idempotency key stays reserved for a while");
                }
            });
        }
    }
}

fn key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut given = headers.get_all(IDEMPOTENCY_KEY).iter();
    let Some(key) = given.next() else {
        return Ok(None);
    };
    let plain = |key: &&str| {
        !key.is_empty()
            && key.len() <= LONGEST_KEY
            && key
                .bytes()
                .all(|byte| byte.is_ascii_graphic() || byte == b' ')
    };
    match key.to_str().ok().map(str::trim).filter(plain) {
        Some(key) if given.next().is_none() => Ok(Some(key.to_owned())),
        _ => Err(Problem::field(
            "Idempotency-Key",
            "characters",
            format!(
                "`Idempotency-Key` must be given once, with 1 to {LONGEST_KEY} characters of ASCII."
            ),
        )),
    }
}

fn variables(path: &matchit::Params<'_, '_>) -> String {
    path.iter().fold(String::new(), |mut text, (name, value)| {
        let _ = write!(text, "{name}={value}/");
        text
    })
}

/// The reply with a kept answer.
pub fn given(answer: &KeptAnswer) -> Result<Reply, Problem> {
    let status = StatusCode::from_u16(answer.status).map_err(|error| Problem::internal(&error))?;
    let mut reply = reply::empty(status);
    if !answer.body.is_empty() {
        let body = Bytes::from(answer.body.clone());
        let length = body.len();
        *reply.body_mut() = Full::new(body)
            .map_err(|never| match never {})
            .boxed_unsync();
        let headers = reply.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    let location = answer.location.as_deref();
    if let Some(location) = location.and_then(|text| HeaderValue::from_str(text).ok()) {
        reply.headers_mut().insert(LOCATION, location);
    }
    Ok(reply)
}
