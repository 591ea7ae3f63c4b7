use std::sync::Arc;

use vocalhost_config::Settings;
use vocalhost_hooks::{AddressRules, Client};
use vocalhost_observe::traces::{Export, Exporter, Tracer};

/// The most spans that wait for the collector; more are lost.
const SPANS_KEPT: usize = 4_096;

/// What takes spans, and what sends them to the collector when there is one. They go the way of webhooks, but to an
/// address that the operator chose.
pub(super) fn open(settings: &Settings, client: &Client) -> (Tracer, Option<Exporter>) {
    let Some(endpoint) = &settings.otlp_endpoint else {
        return (Tracer::default(), None);
    };
    let url = format!("{}/v1/traces", endpoint.trim_end_matches('/'));
    let client = Client {
        rules: AddressRules::everything(),
        ..client.clone()
    };
    let export: Export = Arc::new(move |body| {
        let (client, url) = (client.clone(), url.clone());
        Box::pin(async move {
            let sent = client.post_json(&url, &[], body).await;
            match sent {
                Ok(sent) if (200..300).contains(&sent.status) => Ok(()),
                Ok(sent) => Err(format!("status {}: {}", sent.status, sent.excerpt)),
                Err(error) => Err(error.to_string()),
            }
        })
    });
    let (tracer, spans) = Tracer::bounded(SPANS_KEPT);
    (tracer, Some(Exporter { spans, export }))
}
