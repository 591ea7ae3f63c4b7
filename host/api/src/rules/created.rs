use hyper::StatusCode;
use hyper::header::{HeaderValue, LOCATION};
use serde_json::Value;

use vocalhost_http::reply::{self, Reply};

/// The answer that something was made: its record, and the address under which it is found.
#[must_use]
pub fn created(address: &str, record: &Value) -> Reply {
    let mut reply = reply::json(StatusCode::CREATED, record);
    locate(&mut reply, address);
    reply
}

/// Says where it is.
pub fn locate(reply: &mut Reply, address: &str) {
    if let Ok(location) = HeaderValue::from_str(address) {
        reply.headers_mut().insert(LOCATION, location);
    }
}
