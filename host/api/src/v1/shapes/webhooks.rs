use serde_json::{Value, json};

use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    boolean, choice, id, integer, joined, list as list_schema, named, nullable, number, object,
    says, string, timestamp, url,
};
use crate::rules::page::{CATALOG_PAGES, JOB_PAGES};
use vocalhost_store::{DeliveryState, JOB_EVENTS, TEST_EVENT};

const TAG: &str = "Webhooks";

/// The record of a webhook.
pub fn record() -> Value {
    object(json!({
        "id": id(),
        "url": nullable(url()),
        "forJobs": says(boolean(), "It signs what goes to the `webhookUrl` of jobs."),
        "events": says(list_schema(choice(&JOB_EVENTS)), "None means all."),
        "description": string(),
        "enabled": boolean(),
        "disabledReason": says(nullable(string()), "Why the server gave up."),
        "createdAt": timestamp(),
        "lastSuccessAt": nullable(timestamp()),
    }))
}

/// What was, is or will be sent.
pub fn delivery() -> Value {
    let [success, error, cancelled] = JOB_EVENTS;
    let events = [success, error, cancelled, TEST_EVENT];
    object(json!({
        "id": id(),
        "webhookId": id(),
        "messageId": says(string(), "The header `webhook-id` of every try."),
        "event": choice(&events),
        "jobId": nullable(id()),
        "state": choice(&DeliveryState::ALL.map(DeliveryState::as_str)),
        "createdAt": timestamp(),
        "endedAt": nullable(timestamp()),
        "nextAttemptAt": nullable(timestamp()),
        "attempts": list_schema(object(json!({
            "at": timestamp(),
            "durationMs": number(),
            "status": says(nullable(integer()), "What the receiver answered."),
            "error": nullable(string()),
            "answer": says(nullable(string()), "How its answer began."),
        }))),
    }))
}

fn shown_once() -> Value {
    let secret = says(string(), "Signs what is sent; it is never shown again.");
    joined([record(), object(json!({ "secret": secret }))])
}

fn changeable() -> Value {
    object(json!({
        "url?": nullable(says(url(), "http or https, and not inside a private network.")),
        "events?": nullable(list_schema(choice(&JOB_EVENTS))),
        "description?": json!({ "type": ["string", "null"], "maxLength": 200 }),
        "enabled?": nullable(boolean()),
    }))
}

/// `GET /webhooks`.
pub fn list() -> Description {
    Description::of(TAG)
        .pages(&CATALOG_PAGES)
        .gives_page_of(named("Webhook"))
}

/// `POST /webhooks`.
pub fn create() -> Description {
    let text = "Instead of `url`: for the addresses that jobs name themselves.";
    let for_jobs = object(json!({ "forJobs?": says(nullable(boolean()), text) }));
    Description::of(TAG)
        .json(joined([changeable(), for_jobs]))
        .makes(201, "The webhook, with its secret.", shown_once())
        .refuses(429, "E_QUOTA_EXCEEDED")
}

/// `GET` of one.
pub fn get() -> Description {
    Description::of(TAG).gives(200, "The webhook.", named("Webhook"))
}

/// `PATCH` of one.
pub fn change() -> Description {
    Description::of(TAG).json(changeable()).gives(
        200,
        "The webhook as it is now.",
        named("Webhook"),
    )
}

/// `DELETE` of one.
pub fn delete() -> Description {
    Description::of(TAG).gives_nothing(204, "It is forgotten.")
}

/// `POST` of `/rotate`.
pub fn rotate() -> Description {
    Description::of(TAG).gives(200, "The webhook, with its new secret.", shown_once())
}

/// `POST` of `/test`.
pub fn test() -> Description {
    Description::of(TAG)
        .gives(202, "It is on its way.", named("WebhookDelivery"))
        .refuses(409, "E_WEBHOOK_WITHOUT_URL")
        .refuses(409, "E_WEBHOOK_DISABLED")
}

/// `GET` of the deliveries.
pub fn deliveries() -> Description {
    Description::of(TAG)
        .pages(&JOB_PAGES)
        .gives_page_of(named("WebhookDelivery"))
}

/// `GET` of one delivery.
pub fn one_delivery() -> Description {
    Description::of(TAG).gives(200, "The delivery.", named("WebhookDelivery"))
}

/// `POST` of `/replay`.
pub fn replay() -> Description {
    Description::of(TAG)
        .gives(202, "It is on its way again.", named("WebhookDelivery"))
        .refuses(409, "E_WEBHOOK_DISABLED")
}
