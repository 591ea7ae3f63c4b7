use hyper::StatusCode;
use serde_json::{Value, json};

use super::job_record::done_before;
use super::timestamp::timestamp;
use super::webhooks::own;
use crate::Api;
use crate::rules::call::row_id;
use crate::rules::page::{JOB_PAGES, PageRequest, page_reply};
use crate::rules::problem::Problem;
use crate::rules::route::{Ask, Class, Operation, Route};
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::reply::{self, Reply};
use vocalhost_store::{
    Caller, DeliveryAttempt, DeliveryRecord, DeliveryState, Scope, WebhookRecord,
};
use vocalhost_system::clock;

/// Why nothing is sent to a webhook.
pub const WEBHOOK_DISABLED: &str = "This webhook is disabled; enable it first.";

/// What may be asked here.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        path: "/webhooks/{id}/test",
        operations: &[Operation::post(
            "testWebhook",
            "Send a webhook something that means nothing",
            super::shapes::webhooks::test,
        )
        .counts_as(Class::Creation)
        .keyed(Scope::Write, |api, ask, caller| {
            Box::pin(test(api, ask, caller))
        })],
    },
    Route {
        path: "/webhooks/{id}/deliveries",
        operations: &[Operation::get(
            "listWebhookDeliveries",
            "What was and is to be sent to a webhook",
            super::shapes::webhooks::deliveries,
        )
        .counts_as(Class::FreeRead)
        .keyed(Scope::Read, |api, ask, caller| {
            Box::pin(list(api, ask, caller))
        })],
    },
    Route {
        path: "/webhooks/{id}/deliveries/{deliveryId}",
        operations: &[Operation::get(
            "getWebhookDelivery",
            "One delivery with all its tries",
            super::shapes::webhooks::one_delivery,
        )
        .counts_as(Class::FreeRead)
        .keyed(Scope::Read, |api, ask, caller| {
            Box::pin(get(api, ask, caller))
        })],
    },
    Route {
        path: "/webhooks/{id}/deliveries/{deliveryId}/replay",
        operations: &[Operation::post(
            "replayWebhookDelivery",
            "Deliver once more",
            super::shapes::webhooks::replay,
        )
        .counts_as(Class::Creation)
        .keyed(Scope::Write, |api, ask, caller| {
            Box::pin(replay(api, ask, caller))
        })],
    },
];

/// `POST /webhooks/:id/test`.
async fn test(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    if let Some(answer) = done_before(api, &ask.call, &Fingerprint::of_nothing()).await? {
        return Ok(answer);
    }
    let webhook = own(api, &ask, caller).await?;
    if webhook.url.is_none() {
        return Err(Problem::Conflict {
            code: "E_WEBHOOK_WITHOUT_URL",
            detail: "This webhook has no address of its own.".to_owned(),
        });
    }
    is_enabled(&webhook)?;
    let made = api.store.test_webhook(webhook.id, clock::now_us()).await?;
    Ok(reply::json(StatusCode::ACCEPTED, &record(&made)))
}

/// `GET /webhooks/:id/deliveries`.
async fn list(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let webhook = own(api, &ask, caller).await?;
    let asked = PageRequest::of(&ask.call, &JOB_PAGES)?;
    let page = (asked.page, asked.per_page);
    let found = api.store.deliveries(webhook.id, asked.descending, page);
    let found = found.await?;
    Ok(page_reply(&ask.call, &asked, &found, record))
}

/// `GET /webhooks/:id/deliveries/:deliveryId`.
async fn get(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let webhook = own(api, &ask, caller).await?;
    let id = row_id(ask.part("deliveryId"))?;
    let found = api.store.delivery(webhook.id, id).await?;
    let found = found.ok_or(Problem::RowNotFound)?;
    Ok(reply::json(StatusCode::OK, &record(&found)))
}

/// `POST /webhooks/:id/deliveries/:deliveryId/replay`.
async fn replay(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    if let Some(answer) = done_before(api, &ask.call, &Fingerprint::of_nothing()).await? {
        return Ok(answer);
    }
    let webhook = own(api, &ask, caller).await?;
    is_enabled(&webhook)?;
    let id = row_id(ask.part("deliveryId"))?;
    let replayed = api.store.replay_delivery(webhook.id, id, clock::now_us());
    let replayed = replayed.await?.ok_or(Problem::RowNotFound)?;
    Ok(reply::json(StatusCode::ACCEPTED, &record(&replayed)))
}

fn is_enabled(webhook: &WebhookRecord) -> Result<(), Problem> {
    if webhook.enabled {
        return Ok(());
    }
    Err(Problem::Conflict {
        code: "E_WEBHOOK_DISABLED",
        detail: WEBHOOK_DISABLED.to_owned(),
    })
}

/// The record of a delivery with its tries.
#[must_use]
pub fn record(delivery: &DeliveryRecord) -> Value {
    let pending = delivery.state == DeliveryState::Pending;
    let attempts: Vec<Value> = delivery.attempts.iter().map(attempt).collect();
    json!({
        "id": delivery.id,
        "webhookId": delivery.webhook_id,
        "messageId": delivery.message_id,
        "event": delivery.event,
        "jobId": delivery.job_id,
        "state": delivery.state.as_str(),
        "createdAt": timestamp(delivery.created_at_us),
        "endedAt": delivery.ended_at_us.map(timestamp),
        "nextAttemptAt": pending.then(|| timestamp(delivery.next_attempt_us)),
        "attempts": attempts,
    })
}

fn attempt(attempt: &DeliveryAttempt) -> Value {
    json!({
        "at": timestamp(attempt.at_us),
        "durationMs": attempt.duration_ms,
        "status": attempt.status,
        "error": attempt.error,
        "answer": attempt.answer,
    })
}
