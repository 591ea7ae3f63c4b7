use std::time::Instant;

use hyper::StatusCode;

use crate::metrics::Metrics;

/// What is counted of a request that was not answered because its client went away.
const ABORTED: &str = "aborted";

/// Counts a request when it is dropped, be it answered, given up by its client, or broken by a panic.
pub struct Timed<'a> {
    metrics: &'a Metrics,
    began: Instant,
    /// What was asked for; `none` until it is known.
    pub operation: &'static str,
    /// The status of the answer, once there is one.
    pub status: Option<StatusCode>,
}

impl<'a> Timed<'a> {
    /// A request that has just arrived.
    pub fn start(metrics: &'a Metrics) -> Self {
        Self {
            metrics,
            began: Instant::now(),
            operation: "none",
            status: None,
        }
    }
}

impl Drop for Timed<'_> {
    fn drop(&mut self) {
        let status = match &self.status {
            Some(status) => status.as_str(),
            None if std::thread::panicking() => "500",
            None => ABORTED,
        };
        self.metrics
            .answered(self.operation, status, self.began.elapsed());
    }
}
