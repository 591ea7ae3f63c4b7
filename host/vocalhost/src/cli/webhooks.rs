use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::actor::actor;
use super::database::{WHOLE_LIST, user_id, with_existing_store};
use super::output::{print_json, print_list};
use super::{Chosen, CliError, keys};
use vocalhost_api::v1::webhook_deliveries::record as delivery_record;
use vocalhost_api::v1::webhooks::{MAX_PER_USER, asked, record, with_secret};
use vocalhost_api::v1::{WEBHOOK_DISABLED, timestamp};
use vocalhost_hooks::AddressRules;
use vocalhost_store::{DeliveryRecord, Store, WebhookRecord};
use vocalhost_system::clock;

/// `vocalhost webhooks`.
#[derive(Debug, Subcommand)]
pub enum WebhooksCommand {
    /// List a user's webhooks.
    List(ListArguments),
    /// Tell an address of a user's ended jobs; prints the secret that signs, which is not shown again.
    Create(CreateArguments),
    /// Forget a webhook and its deliveries.
    Delete(OneWebhook),
    /// List what was and is to be sent to a webhook, newest first.
    Deliveries(DeliveriesArguments),
    /// Deliver once more.
    Replay(ReplayArguments),
}

/// `vocalhost webhooks list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Whose.
    #[arg(long, value_name = "NAME", value_parser = keys::user_name)]
    user: String,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// `vocalhost webhooks create`.
#[derive(Debug, Args)]
pub struct CreateArguments {
    /// The address.
    #[arg(required_unless_present = "for_jobs", conflicts_with = "for_jobs")]
    url: Option<String>,
    /// For the addresses that the user's jobs name themselves.
    #[arg(long)]
    for_jobs: bool,
    /// Only this event, such as job.success; may be given several times.
    #[arg(long = "event", value_name = "NAME")]
    events: Vec<String>,
    /// What it is for.
    #[arg(long, default_value = "")]
    description: String,
    #[command(flatten)]
    of: ListArguments,
}

/// Which webhook.
#[derive(Debug, Args)]
pub struct OneWebhook {
    /// The webhook's number.
    id: i64,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// `vocalhost webhooks deliveries`.
#[derive(Debug, Args)]
pub struct DeliveriesArguments {
    /// At most this many.
    #[arg(long, default_value_t = 100)]
    limit: u64,
    #[command(flatten)]
    webhook: OneWebhook,
}

/// `vocalhost webhooks replay`.
#[derive(Debug, Args)]
pub struct ReplayArguments {
    #[command(flatten)]
    webhook: OneWebhook,
    /// The delivery's number.
    delivery: i64,
}

/// Runs the command on the database of the settings in force; the server may be running, and delivers what is replayed.
pub fn run(command: &WebhooksCommand) -> Result<(), CliError> {
    match command {
        WebhooksCommand::List(arguments) => list(arguments),
        WebhooksCommand::Create(arguments) => create(arguments),
        WebhooksCommand::Delete(one) => delete(one),
        WebhooksCommand::Deliveries(arguments) => deliveries(arguments),
        WebhooksCommand::Replay(arguments) => replay(arguments),
    }
}

fn list(arguments: &ListArguments) -> Result<(), CliError> {
    let found = with_existing_store(&arguments.chosen, async |store| {
        let user_id = user_id(store, &arguments.user).await?;
        Ok(store.webhooks(user_id, false, WHOLE_LIST).await?)
    })?;
    print_list(arguments.json, &found.rows, record, print_webhook);
    Ok(())
}

fn create(arguments: &CreateArguments) -> Result<(), CliError> {
    let settings = arguments.of.chosen.load()?.settings;
    let rules = AddressRules::with(&settings.webhook_allow_private);
    let mut mistakes = Vec::new();
    let mut new = asked(&arguments.as_body(), &rules, &mut mistakes);
    if !mistakes.is_empty() {
        let said: Vec<&str> = mistakes.iter().map(|one| one.message.as_str()).collect();
        return Err(CliError::Usage(said.join(" ")));
    }
    let (webhook, secret) = with_existing_store(&arguments.of.chosen, async |store| {
        new.user_id = user_id(store, &arguments.of.user).await?;
        let now_us = clock::now_us();
        let made = store.create_webhook(&new, MAX_PER_USER, now_us).await?;
        note(store, "createWebhook", made.0.id).await?;
        Ok(made)
    })?;
    if arguments.of.json {
        print_json(&with_secret(&webhook, &secret));
    } else {
        say_line!("{secret}");
    }
    Ok(())
}

impl CreateArguments {
    /// What a request would say, so that both are held to the same rules.
    fn as_body(&self) -> Map<String, Value> {
        let body = json!({
            "url": self.url,
            "forJobs": self.for_jobs,
            "events": self.events,
            "description": self.description,
        });
        body.as_object().cloned().unwrap_or_default()
    }
}

fn delete(one: &OneWebhook) -> Result<(), CliError> {
    with_existing_store(&one.chosen, async |store| {
        if !store.delete_webhook(one.id).await? {
            return Err(missing(one.id));
        }
        note(store, "deleteWebhook", one.id).await
    })?;
    if one.json {
        print_json(&json!({ "id": one.id, "deleted": true }));
    }
    Ok(())
}

fn deliveries(arguments: &DeliveriesArguments) -> Result<(), CliError> {
    let one = &arguments.webhook;
    let found = with_existing_store(&one.chosen, async |store| {
        find(store, one.id).await?;
        Ok(store.deliveries(one.id, true, (1, arguments.limit)).await?)
    })?;
    print_list(one.json, &found.rows, delivery_record, print_delivery);
    Ok(())
}

fn replay(arguments: &ReplayArguments) -> Result<(), CliError> {
    let (one, delivery) = (&arguments.webhook, arguments.delivery);
    let replayed = with_existing_store(&one.chosen, async |store| {
        if !find(store, one.id).await?.enabled {
            return Err(CliError::WrongState(WEBHOOK_DISABLED.to_owned()));
        }
        let now_us = clock::now_us();
        let replayed = store.replay_delivery(one.id, delivery, now_us).await?;
        let missing = || CliError::Missing(format!("delivery {delivery} to webhook {}", one.id));
        let replayed = replayed.ok_or_else(missing)?;
        note(store, "replayWebhookDelivery", delivery).await?;
        Ok(replayed)
    })?;
    if one.json {
        print_json(&delivery_record(&replayed));
    } else {
        print_delivery(&replayed);
    }
    Ok(())
}

async fn find(store: &Store, id: i64) -> Result<WebhookRecord, CliError> {
    store.webhook(id).await?.ok_or_else(|| missing(id))
}

async fn note(store: &Store, action: &str, id: i64) -> Result<(), CliError> {
    let (actor, target) = (actor(), id.to_string());
    let noted = store.note(&actor, (action, &target), "ok", clock::now_us());
    Ok(noted.await?)
}

fn missing(id: i64) -> CliError {
    CliError::Missing(format!("webhook {id}"))
}

fn print_webhook(webhook: &WebhookRecord) {
    let state = if webhook.enabled {
        "enabled"
    } else {
        "disabled"
    };
    let url = webhook.url.as_deref().unwrap_or("(what jobs name)");
    let events = webhook.events.join(", ");
    say_line!("{:<6} {state:<9} {url}  {events}", webhook.id);
}

fn print_delivery(delivery: &DeliveryRecord) {
    let last = delivery.attempts.last();
    let last = last.map(|attempt| match (attempt.status, &attempt.error) {
        (Some(status), _) => status.to_string(),
        (None, error) => error.clone().unwrap_or_default(),
    });
    say_line!(
        "{:<8} {:<14} {:<10} {}  tries {}  {}",
        delivery.id,
        delivery.event,
        delivery.state.as_str(),
        timestamp(delivery.created_at_us),
        delivery.attempts.len(),
        last.unwrap_or_default()
    );
}
