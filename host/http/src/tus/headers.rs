use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};

use super::checksum::ALGORITHMS;
use super::receive::MEDIA_TYPE;
use crate::Refusal;

/// The one version of the protocol.
const VERSION: &str = "1.0.0";

const EXTENSIONS: &str = "creation,creation-with-upload,termination,checksum,expiration";

const RESUMABLE: HeaderName = HeaderName::from_static("tus-resumable");
const METHOD: HeaderName = HeaderName::from_static("x-http-method-override");
/// How many bytes have arrived, or where a piece begins.
pub const OFFSET: HeaderName = HeaderName::from_static("upload-offset");
/// The size of the whole in bytes.
pub const LENGTH: HeaderName = HeaderName::from_static("upload-length");
/// What a client notes beside an upload.
pub const METADATA: HeaderName = HeaderName::from_static("upload-metadata");
/// When an upload is forgotten.
pub const EXPIRES: HeaderName = HeaderName::from_static("upload-expires");

/// What `OPTIONS` says of uploads beside the methods; `max_bytes` is the largest.
pub fn discover(headers: &mut HeaderMap, max_bytes: u64) {
    for (name, value) in [
        ("tus-version", VERSION.to_owned()),
        ("tus-extension", EXTENSIONS.to_owned()),
        ("tus-max-size", max_bytes.to_string()),
        ("tus-checksum-algorithm", ALGORITHMS.to_owned()),
    ] {
        insert(headers, HeaderName::from_static(name), &value);
    }
    headers.insert(RESUMABLE, HeaderValue::from_static(VERSION));
}

/// The method of a request for uploads. By the protocol, clients that can only send `POST` name the method in a header.
#[must_use]
pub fn method_of<'h>(sent: &'h Method, headers: &HeaderMap) -> &'h Method {
    if sent != Method::POST {
        return sent;
    }
    match headers.get(METHOD).map(HeaderValue::as_bytes) {
        Some(b"PATCH") => &Method::PATCH,
        Some(b"DELETE") => &Method::DELETE,
        _ => sent,
    }
}

/// A whole number in a header that the protocol requires; `shown` is the name as the protocol spells it.
pub fn number(headers: &HeaderMap, name: &HeaderName, shown: &str) -> Result<u64, Refusal> {
    let text = headers.get(name).and_then(|value| value.to_str().ok());
    let Some(text) = text else {
        let message = format!("The header {shown} is missing.");
        return Err(Refusal::field(shown, "required", message));
    };
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.then(|| text.parse().ok()).flatten();
    number.ok_or_else(|| {
        let message = format!("The header {shown} must be a whole number.");
        Refusal::field(shown, "number", message)
    })
}

/// Whether a body of this type is a piece of an upload.
#[must_use]
pub fn is_piece(media_type: &HeaderValue) -> bool {
    media_type
        .to_str()
        .is_ok_and(|text| text.trim().eq_ignore_ascii_case(MEDIA_TYPE))
}

/// A request without a version is taken as one of ours: a plain HTTP client sends none.
pub fn check_version(headers: &HeaderMap) -> Result<(), Refusal> {
    if headers.get(RESUMABLE).is_none_or(|value| value == VERSION) {
        return Ok(());
    }
    Err(Refusal::Upload {
        status: StatusCode::PRECONDITION_FAILED,
        code: "E_TUS_VERSION",
        detail: format!("The version of the protocol here is {VERSION}."),
    })
}

/// Every answer names the version.
pub fn speaking(headers: &mut HeaderMap) {
    headers.insert(RESUMABLE, HeaderValue::from_static(VERSION));
    headers.insert("tus-version", HeaderValue::from_static(VERSION));
}

/// Sets a header whose value may be a client's own.
pub fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
