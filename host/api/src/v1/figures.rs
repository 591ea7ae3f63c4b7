use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderValue};

use crate::Api;
use crate::rules::problem::Problem;
use vocalhost_http::reply::{self, Reply};
use vocalhost_observe::metrics::QueueFigures;
use vocalhost_system::clock;

/// What Prometheus is told that it gets.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// `GET /metrics`.
pub async fn show(api: &Api) -> Result<Reply, Problem> {
    let now_us = clock::now_us();
    let queues = api.store.queue_states().await?;
    let queues: Vec<QueueFigures> = queues
        .iter()
        .map(|queue| QueueFigures {
            kind: queue.kind.as_str(),
            waiting: queue.waiting,
            oldest_wait_s: queue.oldest_since_us.map_or(0.0, |since_us| {
                (now_us - since_us).max(0) as f64 / clock::US_PER_S as f64
            }),
            running: queue.running,
        })
        .collect();
    let text = api
        .metrics
        .render(&queues, api.store.webhook_backlog().await?);
    let mut reply = reply::text(StatusCode::OK, text);
    reply
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(OPEN_METRICS));
    Ok(reply)
}
