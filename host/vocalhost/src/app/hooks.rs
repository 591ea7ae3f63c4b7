use std::sync::Arc;
use std::time::Duration;

use vocalhost_api::Api;
use vocalhost_api::v1::job_record_of;
use vocalhost_config::Settings;
use vocalhost_hooks::{
    AddressRules, Client, Deliverer, DelivererSettings, Render, TlsError, trusting,
};

/// What sends webhooks.
pub(super) fn client(settings: &Settings) -> Result<Client, TlsError> {
    Ok(Client {
        rules: AddressRules::with(&settings.webhook_allow_private),
        tls: trusting(settings.webhook_ca_file.as_deref())?,
        timeout: Duration::from_secs_f64(settings.webhook_timeout_s),
    })
}

/// What takes the outbox to its receivers, with records as `api` shows them.
pub(super) fn deliverer(api: &Arc<Api>, client: Client) -> Deliverer {
    let settings = DelivererSettings {
        pauses: api
            .settings
            .webhook_retries_s
            .iter()
            .map(|pause| Duration::from_secs_f64(*pause))
            .collect(),
        retention: Duration::from_secs(api.settings.webhook_retention_s),
        grace_period: Duration::from_secs_f64(api.settings.grace_period_s),
    };
    let store = api.store.clone();
    let api_tracer = api.tracer.clone();
    let api = api.clone();
    let render: Render = Arc::new(move |kind, id| {
        let api = api.clone();
        Box::pin(async move { job_record_of(&api, &kind, id).await })
    });
    Deliverer {
        store,
        client,
        render,
        tracer: api_tracer,
        settings,
    }
}
