use std::time::Duration;

use super::once::Once;
use std::net::IpAddr;

use super::problem::Problem;
use super::surface::Surface;
use vocalhost_http::query::Query;

/// What a handler needs to know about a request, beside its body.
#[derive(Debug, Clone)]
pub struct Call {
    /// The name of the operation that is asked for.
    pub operation: &'static str,
    /// The absolute address of the resource under the root that was asked, without a query or trailing slash.
    pub address: String,
    /// The absolute address of the root itself.
    pub root: String,
    /// Where the request comes from.
    pub client: IpAddr,
    /// Which part of the API is served by the listener that was asked.
    pub surface: Surface,
    /// The query.
    pub query: Query,
    /// The id that is in the log and in the answer.
    pub request_id: String,
    /// How long the client would like to wait for a job's end.
    pub wait: Option<Duration>,
    /// Sees to it that a request with an idempotency key is done once.
    pub once: Once,
    /// The trace that it belongs to, as the header `traceparent` has it.
    pub trace_parent: Option<String>,
}

/// The id of a row in a path; anything that is not a number is an id that nothing has.
pub fn row_id(text: &str) -> Result<i64, Problem> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let id = digits.then(|| text.parse().ok()).flatten();
    id.ok_or(Problem::RowNotFound)
}
