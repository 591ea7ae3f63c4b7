use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::Instant;

use vocalhost_api::{Api, Surface};
use vocalhost_http::Server;

/// Serves the operators on a listener of their own, if they have one.
pub(super) async fn serve_operators(
    server: Option<Server>,
    api: Arc<Api>,
    closing: watch::Receiver<Option<Instant>>,
) {
    if let Some(server) = server {
        tracing::info!(address = %server.address(), "serving operators");
        vocalhost_api::serve(server, api, Surface::Operators, closed(closing)).await;
    }
}

/// Resolves when the listeners are to close, to the end of the grace period.
pub(super) async fn closed(mut closing: watch::Receiver<Option<Instant>>) -> Instant {
    let end = closing.wait_for(Option::is_some).await;
    // The other end is gone only when the server is.
    end.ok().and_then(|end| *end).unwrap_or_else(Instant::now)
}
