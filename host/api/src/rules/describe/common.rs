use serde_json::{Map, Value, json};

use super::Named;
use super::schema::{id, integer, list, map, nullable, object, says, string};

/// The schemas that every resource needs.
pub const SCHEMAS: &[Named] = &[
    ("Problem", problem),
    ("FieldError", field_error),
    ("PageMeta", page_meta),
];

/// The headers that answers share.
#[must_use]
pub fn headers() -> Map<String, Value> {
    let text = |what: &str, example: &str| json!({ "description": what, "schema": { "type": "string" }, "example": example });
    let mut request_id = text("Finds the request in the server's log.", "4f1d…");
    request_id["required"] = json!(true);
    let count = json!({
        "description": "The same for older clients: requests, requests left, seconds until all are there again.",
        "schema": { "type": "integer" },
    });
    let headers = [
        ("RequestId", request_id),
        (
            "RateLimitPolicy",
            text(
                "The limit that counts this request, when one does: requests (q) in seconds (w).",
                "\"create\";q=60;w=60",
            ),
        ),
        (
            "RateLimit",
            text(
                "What is left of it (r), and seconds until it is whole again (t).",
                "\"create\";r=59;t=1",
            ),
        ),
        ("RateLimitCount", count),
    ];
    headers
        .map(|(name, header)| (name.to_owned(), header))
        .into_iter()
        .collect()
}

/// The one body of everything that is refused (RFC 9457), with what older clients read.
fn problem() -> Value {
    object(json!({
        "type": string(),
        "title": string(),
        "status": integer(),
        "detail": says(string(), "One sentence for people."),
        "instance": says(string(), "The path of the request."),
        "error": says(string(), "The title again."),
        "code": says(string(), "For programs."),
        "message": says(string(), "The detail again."),
        "requestId": string(),
        "errors": says(list(super::schema::named("FieldError")), "Every mistake of an invalid request."),
    }))
}

fn field_error() -> Value {
    object(json!({
        "field": says(string(), "A path such as `pre.noiseGate.threshold_db`."),
        "rule": says(string(), "What it breaks, such as `required`, `range`, `format`."),
        "message": string(),
        "args": says(map(json!({})), "The rule's parameters, such as `min` and `max`."),
    }))
}

fn page_meta() -> Value {
    object(json!({
        "total": json!({ "type": "integer", "minimum": 0 }),
        "perPage": id(),
        "currentPage": id(),
        "lastPage": id(),
        "firstPage": id(),
        "firstPageUrl": string(),
        "lastPageUrl": string(),
        "nextPageUrl": nullable(string()),
        "previousPageUrl": nullable(string()),
    }))
}
