use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{Span, otlp};

/// Spans of one request to the collector.
const MAX_BATCH: usize = 256;

/// How long spans are gathered before they are sent.
const GATHER: Duration = Duration::from_secs(1);

/// Posts a body of JSON to the collector; the error is for the log.
pub type Export = Arc<dyn Fn(Vec<u8>) -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// Sends spans to the collector. What it does not take is lost.
pub struct Exporter {
    /// The spans.
    pub spans: mpsc::Receiver<Span>,
    /// How they are sent.
    pub export: Export,
}

impl Exporter {
    /// Sends until `ended`, and then what is still there.
    pub async fn run(mut self, ended: impl Future<Output = ()>) {
        tokio::pin!(ended);
        let mut going_on = true;
        while going_on {
            let mut batch = Vec::new();
            tokio::select! {
                () = &mut ended => going_on = false,
                () = gather(&mut self.spans, &mut batch) => {}
            }
            while batch.len() < MAX_BATCH
                && let Ok(span) = self.spans.try_recv()
            {
                batch.push(span);
            }
            if !batch.is_empty() {
                self.send(&batch).await;
            }
        }
    }

    async fn send(&self, batch: &[Span]) {
        let body = otlp::request(batch).to_string().into_bytes();
        if let Err(error) = (self.export)(body).await {
            tracing::warn!(spans = batch.len(), error, "the collector takes no spans");
        }
    }
}

/// Waits for a first span, and then a while for more.
async fn gather(spans: &mut mpsc::Receiver<Span>, batch: &mut Vec<Span>) {
    match spans.recv().await {
        Some(span) => batch.push(span),
        // No tracer is left to send spans: only the end can come.
        None => std::future::pending().await,
    }
    let more = async {
        while batch.len() < MAX_BATCH
            && let Some(span) = spans.recv().await
        {
            batch.push(span);
        }
    };
    // When time is up or there are enough spans, they are sent.
    let _ = timeout(GATHER, more).await;
}
