use std::any::Any;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::header::{
    ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, CONTENT_LENGTH, CONTENT_RANGE, COOKIE, ETAG,
    HeaderName, HeaderValue, LINK, LOCATION, RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use hyper::http::response::Parts;
use hyper::{Method, Request, Response, StatusCode};
use tower::ServiceBuilder;
use tower::util::{BoxCloneSyncService, option_layer};
use tower::{Service, ServiceExt};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{AllowHeaders, AllowOrigin, Any as AnyOrigin, CorsLayer};
use tower_http::request_id::{
    MakeRequestId, PropagateRequestIdLayer, RequestId, SetRequestIdLayer,
};
use tower_http::sensitive_headers::SetSensitiveRequestHeadersLayer;
use tower_http::trace::TraceLayer;
use tracing::{Instrument as _, Span};

use super::limits::{LIMIT, POLICY, X_LIMIT, X_REMAINING, X_RESET};
use super::problem::Problem;
use super::request_id::{REQUEST_ID, request_id};
use super::router::Router;
use super::state::Api;
use vocalhost_config::Network;
use vocalhost_http::origin::{Client, Peer, client_of};
use vocalhost_http::reply::{self, Reply, ReplyBody};
use vocalhost_system::token;

/// A client's id that is longer is replaced: ids end up in the log and in the database.
const LONGEST_REQUEST_ID: usize = 64;

/// How long a browser may keep the answer to a preflight request.
const PREFLIGHT_MAX_AGE: Duration = Duration::from_mins(10);

/// The router within all layers.
pub type Edge = BoxCloneSyncService<Request<Incoming>, Reply, Infallible>;

/// Puts the layers around the router, the outermost first.
#[must_use]
pub fn around(router: Arc<Router>, api: &Arc<Api>) -> Edge {
    let innermost = tower::service_fn(move |request: Request<Incoming>| {
        let router = router.clone();
        async move {
            if !router.is_seen_through(&request) {
                return Ok::<_, Infallible>(router.answer(request).await);
            }
            let answering = async move { router.answer(request).await };
            match tokio::spawn(answering.in_current_span()).await {
                Ok(reply) => Ok(reply),
                Err(ended) => match ended.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    Err(ended) => Ok(Problem::internal(&ended).unrendered()),
                },
            }
        }
    });
    let guarded = ServiceBuilder::new()
        .map_response(|answer: Response<_>| boxed(answer))
        .layer(CatchPanicLayer::custom(panicked))
        .service(innermost);
    let rendered = tower::service_fn(move |mut request: Request<Incoming>| {
        if request.extensions_mut().remove::<Discovery>().is_some() {
            *request.method_mut() = Method::OPTIONS;
        }
        let guarded = guarded.clone();
        render(guarded, request)
    });
    let trace = TraceLayer::new_for_http()
        .make_span_with(span)
        .on_request(())
        .on_response(log_answer)
        .on_body_chunk(())
        .on_eos(())
        .on_failure(());
    let naming = api.clone();
    let edge = ServiceBuilder::new()
        .layer(SetSensitiveRequestHeadersLayer::new([
            AUTHORIZATION,
            COOKIE,
        ]))
        .map_request(move |request| with_client(request, &naming.trusted_proxies))
        .map_request(without_strange_id)
        .layer(SetRequestIdLayer::new(REQUEST_ID, RandomId))
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .map_response(|answer: Response<_>| boxed(answer))
        .layer(trace)
        .map_request(hide_discovery)
        .layer(option_layer(cors(&api.settings.cors_origins)))
        .service(rendered);
    BoxCloneSyncService::new(edge)
}

/// Marks an `OPTIONS` request that asks what a path takes and is no preflight request.
#[derive(Clone)]
struct Discovery;

/// Hides such a request from the CORS layer, which takes every `OPTIONS` for a preflight request and answers it itself.
fn hide_discovery(mut request: Request<Incoming>) -> Request<Incoming> {
    let is_of_page = request
        .headers()
        .contains_key(ACCESS_CONTROL_REQUEST_METHOD);
    if request.method() == Method::OPTIONS && !is_of_page {
        *request.method_mut() = Method::GET;
        request.extensions_mut().insert(Discovery);
    }
    request
}

fn boxed<B>(answer: Response<B>) -> Reply
where
    B: Body<Data = bytes::Bytes> + Send + 'static,
    B::Error: Into<reply::BodyError>,
{
    answer.map(|body| body.map_err(Into::into).boxed_unsync())
}

/// Turns a problem into its answer, and takes the body off the answer to a `HEAD`.
async fn render<S>(inner: S, request: Request<Incoming>) -> Result<Reply, Infallible>
where
    S: Service<Request<Incoming>, Response = Reply, Error = Infallible>,
{
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let id = request_id(request.headers());
    let mut answer = inner.oneshot(request).await?;
    if let Some(problem) = answer.extensions_mut().remove::<Problem>() {
        let (Parts { headers, .. }, _) = answer.into_parts();
        answer = problem.render(&id, &path);
        // Whatever was said about the connection still holds.
        answer.headers_mut().extend(headers);
    }
    // A client's text must not run as a script because it looks like one.
    let as_said = HeaderValue::from_static("nosniff");
    answer.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, as_said);
    if method == Method::HEAD {
        answer = without_body(answer);
    }
    Ok(answer)
}

fn without_body(answer: Reply) -> Reply {
    let length = answer.body().size_hint().exact();
    let (mut head, _) = answer.into_parts();
    // What was not modified has another length than this answer.
    if let Some(length) = length.filter(|_| head.status != StatusCode::NOT_MODIFIED) {
        head.headers
            .entry(CONTENT_LENGTH)
            .or_insert_with(|| HeaderValue::from(length));
    }
    Response::from_parts(head, ReplyBody::default())
}

/// Notes where a request was first sent from.
fn with_client(mut request: Request<Incoming>, trusted: &[Network]) -> Request<Incoming> {
    if let Some(Peer(peer)) = request.extensions().get::<Peer>().copied() {
        let client = client_of(peer.ip(), request.headers(), |address| {
            trusted.iter().any(|network| network.contains(address))
        });
        request.extensions_mut().insert(Client(client));
    }
    request
}

/// Drops a client's own request id when it is too long or could play tricks in a log.
fn without_strange_id(mut request: Request<Incoming>) -> Request<Incoming> {
    let plain = |id: &HeaderValue| {
        !id.is_empty()
            && id.len() <= LONGEST_REQUEST_ID
            && id
                .as_bytes()
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(byte))
    };
    let several = request.headers().get_all(REQUEST_ID).iter().count() > 1;
    if several || !request.headers().get(REQUEST_ID).is_some_and(plain) {
        request.headers_mut().remove(REQUEST_ID);
    }
    request
}

/// Makes ids of 128 random bits in hex.
#[derive(Debug, Clone, Copy)]
struct RandomId;

impl MakeRequestId for RandomId {
    fn make_request_id<B>(&mut self, _: &Request<B>) -> Option<RequestId> {
        // Without randomness the id is all zeros, which is still an id.
        let id = token::draw().unwrap_or_else(|_| "0".repeat(32));
        HeaderValue::from_str(&id).ok().map(RequestId::new)
    }
}

/// The span of a request. The query is left out: people put secrets there.
fn span<B>(request: &Request<B>) -> Span {
    tracing::info_span!(
        "request",
        id = request_id(request.headers()),
        method = %request.method(),
        path = loggable(request.uri().path()),
        operation = tracing::field::Empty,
        client = request.extensions().get::<Client>().map(|client| client.0.to_string()),
        user = tracing::field::Empty,
    )
}

/// A path without the signature of a link, which would let a reader of the log fetch the file.
fn loggable(path: &str) -> &str {
    path.find("/files/")
        .map_or(path, |at| &path[..at + "/files/".len()])
}

fn log_answer<B>(answer: &Response<B>, latency: Duration, _: &Span) {
    let status = answer.status().as_u16();
    let ms = latency.as_secs_f64() * 1e3;
    tracing::info!(status, ms, "answered");
}

/// The answer to a request whose handler panicked: the cause goes to the log alone.
#[allow(
    clippy::needless_pass_by_value,
    reason = "the layer hands the panic over"
)]
fn panicked(panic: Box<dyn Any + Send>) -> Reply {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without a text");
    Problem::internal(&text).unrendered()
}

/// Which web pages may call the API; `None` when none may.
fn cors(origins: &[String]) -> Option<CorsLayer> {
    if origins.is_empty() {
        return None;
    }
    let origin = if origins.iter().any(|origin| origin == "*") {
        AllowOrigin::from(AnyOrigin)
    } else {
        let listed = origins
            .iter()
            .filter_map(|origin| HeaderValue::from_str(origin).ok());
        AllowOrigin::list(listed)
    };
    let exposed = [
        REQUEST_ID,
        LOCATION,
        LINK,
        ETAG,
        CONTENT_RANGE,
        RETRY_AFTER,
        POLICY,
        LIMIT,
        X_LIMIT,
        X_REMAINING,
        X_RESET,
        HeaderName::from_static("idempotency-replayed"),
        HeaderName::from_static("preference-applied"),
        HeaderName::from_static("tus-resumable"),
        HeaderName::from_static("tus-version"),
        HeaderName::from_static("tus-extension"),
        HeaderName::from_static("tus-max-size"),
        HeaderName::from_static("upload-offset"),
        HeaderName::from_static("upload-length"),
        HeaderName::from_static("upload-expires"),
        HeaderName::from_static("upload-metadata"),
    ];
    let layer = CorsLayer::new()
        .allow_origin(origin)
        .allow_methods([
            Method::GET,
            Method::HEAD,
            Method::POST,
            Method::PATCH,
            Method::PUT,
            Method::DELETE,
        ])
        // A star would not cover `Authorization`.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(exposed)
        .max_age(PREFLIGHT_MAX_AGE);
    Some(layer)
}
