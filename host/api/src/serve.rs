use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use vocalhost_http::{ConnectionRules, Server};

use crate::routes::TABLES;
use crate::rules::layers;
use crate::rules::router::Router;
use crate::rules::state::Api;
use crate::rules::surface::Surface;

/// Serves `surface` on `server` until `stop` is done, then finishes the requests in flight by the time that it gives.
pub async fn serve(
    server: Server,
    api: Arc<Api>,
    surface: Surface,
    stop: impl Future<Output = Instant>,
) {
    let router = Arc::new(Router::new(api.clone(), surface, TABLES));
    let edge = layers::around(router, &api);
    let proxies = api.trusted_proxies.clone();
    let rules = ConnectionRules {
        max_connections: api.settings.max_connections,
        max_connections_per_address: api.settings.max_connections_per_address,
        is_proxy: Box::new(move |address| proxies.iter().any(|one| one.contains(address))),
        header_timeout: Duration::from_secs_f64(api.settings.header_timeout_s),
        stall_timeout: Duration::from_secs_f64(api.settings.body_idle_timeout_s),
    };
    server.serve(edge, rules, stop).await;
}
