use hyper::HeaderMap;
use hyper::header::HeaderName;

/// The header that carries a request's id, both ways.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id of a request, which the layers have set.
#[must_use]
pub fn request_id(headers: &HeaderMap) -> String {
    let id = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    id.unwrap_or_default().to_owned()
}
