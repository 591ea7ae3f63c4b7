use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;

/// Why the body of an answer broke off.
pub type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// The body of an answer.
pub type ReplyBody = UnsyncBoxBody<Bytes, BodyError>;

/// An answer.
pub type Reply = Response<ReplyBody>;

/// An answer without a body.
#[must_use]
pub fn empty(status: StatusCode) -> Reply {
    let mut reply = Response::new(
        Empty::new()
            .map_err(|never: std::convert::Infallible| match never {})
            .boxed_unsync(),
    );
    *reply.status_mut() = status;
    reply
}

/// An answer in JSON.
#[must_use]
pub fn json(status: StatusCode, value: &impl Serialize) -> Reply {
    json_as("application/json", status, value)
}

/// An answer in plain text.
#[must_use]
pub fn text(status: StatusCode, text: String) -> Reply {
    whole("text/plain; charset=utf-8", status, text.into_bytes())
}

/// An answer in JSON with a media type of its own.
///
/// # Panics
///
/// When `value` is no JSON: a map in it has keys that are no text.
#[must_use]
pub fn json_as(media_type: &'static str, status: StatusCode, value: &impl Serialize) -> Reply {
    let text = serde_json::to_vec(value).expect("records have text keys and finite numbers");
    whole(media_type, status, text)
}

/// An answer that is a file.
#[must_use]
pub fn bytes(media_type: &'static str, content: impl Into<Bytes>) -> Reply {
    whole(media_type, StatusCode::OK, content)
}

fn whole(media_type: &'static str, status: StatusCode, content: impl Into<Bytes>) -> Reply {
    let content: Bytes = content.into();
    let length = content.len();
    let mut reply = Response::new(
        Full::new(content)
            .map_err(|never| match never {})
            .boxed_unsync(),
    );
    *reply.status_mut() = status;
    let headers = reply.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    reply
}
