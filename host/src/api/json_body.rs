use futures_util::TryStreamExt;
use hyper::HeaderMap;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use serde_json::{Map, Value};

use super::Api;
use super::body::{BodyFault, PacedBody};
use super::problem::{FieldError, Problem};

/// The longest body in JSON: as much as one text field of a form may have.
const MAX_JSON_BYTES: u64 = 64 << 10;

/// Reads a body that must be a JSON object.
pub async fn read_object(
    api: &Api,
    headers: &HeaderMap,
    body: &mut Incoming,
) -> Result<Map<String, Value>, Problem> {
    if !headers.get(CONTENT_TYPE).is_some_and(|given| {
        let media_type = given.to_str().unwrap_or_default().split(';').next();
        media_type.is_some_and(|given| given.trim().eq_ignore_ascii_case("application/json"))
    }) {
        return Err(Problem::UnsupportedMediaType {
            wanted: "application/json",
        });
    }
    // Nothing is settled while it is read: the limit holds for the whole body.
    let pieces = PacedBody::new(body, MAX_JSON_BYTES, api.body_times());
    let read = pieces.try_fold(Vec::new(), async |mut bytes, piece| {
        bytes.extend_from_slice(&piece);
        Ok(bytes)
    });
    let bytes = read.await.map_err(refuse)?;
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_),
        )
        | Err(_) => Err(Problem::field(
            "body",
            "json",
            "The body is not a JSON object.",
        )),
    }
}

fn refuse(fault: BodyFault) -> Problem {
    match fault {
        BodyFault::TooSlow => Problem::RequestTimeout,
        BodyFault::HeaderTooLong => {
            let message = format!("The body is larger than {MAX_JSON_BYTES} bytes.");
            let mistake = FieldError::new("body", "size", message);
            Problem::Invalid(vec![mistake.with("maxBytes", MAX_JSON_BYTES)])
        }
        BodyFault::Broken => Problem::field("body", "json", "The body is not complete."),
    }
}
