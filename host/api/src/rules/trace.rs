use hyper::HeaderMap;
use hyper::header::HeaderName;

use vocalhost_observe::traces::TraceContext;

/// The header of W3C Trace Context.
const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// The trace that a request says it belongs to.
#[must_use]
pub fn parent(headers: &HeaderMap) -> Option<String> {
    let mut given = headers.get_all(TRACE_PARENT).iter();
    let (Some(header), None) = (given.next(), given.next()) else {
        return None;
    };
    let context = TraceContext::parse(header.to_str().ok()?)?;
    Some(context.header())
}
