use std::time::Instant;

use hyper::{HeaderMap, StatusCode};
use serde_json::json;

use super::request_id::request_id;
use super::state::Api;
use super::trace;
use vocalhost_observe::traces::{OpenSpan, SpanKind};
use vocalhost_system::clock;

/// What is counted of a request that was not answered because its client went away.
const ABORTED: &str = "aborted";

/// Counts a request, and ends its span, when it is dropped, be it answered, given up by its client, or broken by a panic.
pub struct Timed<'a> {
    api: &'a Api,
    began: Instant,
    request_id: String,
    span: Option<OpenSpan>,
    /// The trace that the client says the request belongs to.
    parent: Option<String>,
    /// What was asked for; `none` until it is known.
    pub operation: &'static str,
    /// The status of the answer, once there is one.
    pub status: Option<StatusCode>,
}

impl<'a> Timed<'a> {
    /// A request that has just arrived.
    pub fn start(api: &'a Api, headers: &HeaderMap) -> Self {
        let parent = trace::parent(headers);
        Self {
            api,
            began: Instant::now(),
            request_id: request_id(headers),
            span: api.tracer.begin(parent.as_deref(), clock::now_us()),
            parent,
            operation: "none",
            status: None,
        }
    }

    /// What follows from the request belongs to this: its own span, else that of the client.
    pub fn trace_parent(&self) -> Option<String> {
        let own = self.span.as_ref().map(|span| span.context.header());
        own.or_else(|| self.parent.clone())
    }
}

impl Drop for Timed<'_> {
    fn drop(&mut self) {
        let status = match &self.status {
            Some(status) => status.as_str(),
            None if std::thread::panicking() => "500",
            None => ABORTED,
        };
        let took = self.began.elapsed();
        self.api.metrics.answered(self.operation, status, took);
        if let Some(span) = self.span.take() {
            let attributes = vec![
                ("http.response.status_code".into(), json!(status)),
                ("vocalhost.request_id".into(), json!(self.request_id)),
            ];
            let failed = self.status.is_none_or(|status| status.is_server_error());
            let name = (self.operation.to_owned(), SpanKind::Server);
            let about = (attributes, failed);
            self.api.tracer.end(span, name, clock::now_us(), about);
        }
    }
}
