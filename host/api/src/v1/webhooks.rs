use hyper::StatusCode;
use serde_json::{Map, Value, json};

use super::job_record::done_before;
use super::json_fields::{member, toggle};
use super::timestamp::timestamp;
use super::webhook_form;
use crate::Api;
use crate::rules::created::created;
use crate::rules::mistakes::missing;
use crate::rules::page::{CATALOG_PAGES, PageRequest, page_reply};
use crate::rules::problem::{FieldError, Problem, refuse};
use crate::rules::route::{Ask, Class, Operation, Route};
use vocalhost_hooks::AddressRules;
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::reply::{self, Reply};
use vocalhost_store::{Caller, NewWebhook, Scope, WebhookRecord};
use vocalhost_system::clock;

/// Webhooks of one user. Each one costs a request for every job.
pub const MAX_PER_USER: u64 = 16;

/// What may be asked here.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        path: "/webhooks",
        operations: &[
            Operation::get(
                "listWebhooks",
                "Your webhooks",
                super::shapes::webhooks::list,
            )
            .counts_as(Class::FreeRead)
            .keyed(Scope::Read, |api, ask, caller| {
                Box::pin(list(api, ask, caller))
            }),
            Operation::post(
                "createWebhook",
                "Be told of ended jobs at an address",
                super::shapes::webhooks::create,
            )
            .keyed(Scope::Write, |api, ask, caller| {
                Box::pin(create(api, ask, caller))
            }),
        ],
    },
    Route {
        path: "/webhooks/{id}",
        operations: &[
            Operation::get("getWebhook", "One webhook", super::shapes::webhooks::get)
                .counts_as(Class::FreeRead)
                .keyed(Scope::Read, |api, ask, caller| {
                    Box::pin(get(api, ask, caller))
                }),
            Operation::patch(
                "changeWebhook",
                "Change a webhook",
                super::shapes::webhooks::change,
            )
            .keyed(Scope::Write, |api, ask, caller| {
                Box::pin(change(api, ask, caller))
            }),
            Operation::delete(
                "deleteWebhook",
                "Forget a webhook and its deliveries",
                super::shapes::webhooks::delete,
            )
            .keyed(Scope::Write, |api, ask, caller| {
                Box::pin(delete(api, ask, caller))
            }),
        ],
    },
    Route {
        path: "/webhooks/{id}/rotate",
        operations: &[Operation::post(
            "rotateWebhookSecret",
            "Give a webhook another secret",
            super::shapes::webhooks::rotate,
        )
        .keyed(Scope::Write, |api, ask, caller| {
            Box::pin(rotate(api, ask, caller))
        })],
    },
];

/// `GET /webhooks`.
async fn list(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let asked = PageRequest::of(&ask.call, &CATALOG_PAGES)?;
    let page = (asked.page, asked.per_page);
    let found = api.store.webhooks(caller.user_id, asked.descending, page);
    let found = found.await?;
    Ok(page_reply(&ask.call, &asked, &found, record))
}

/// `POST /webhooks`: the answer is the only one that shows the secret.
async fn create(api: &Api, mut ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let body = ask.json(api).await?;
    if let Some(answer) = done_before(api, &ask.call, &Fingerprint::of_json(&body)).await? {
        return Ok(answer);
    }
    let mut mistakes = Vec::new();
    let new = NewWebhook {
        user_id: caller.user_id,
        ..asked(&body, &api.webhook_addresses, &mut mistakes)
    };
    refuse(mistakes)?;
    let made = api
        .store
        .create_webhook(&new, MAX_PER_USER, clock::now_us());
    let (webhook, secret) = made.await?;
    let address = format!("{}/{}", ask.call.address, webhook.id);
    Ok(created(&address, &with_secret(&webhook, &secret)))
}

/// The webhook that a body asks for, nobody's yet; what is wrong is added to `mistakes`.
pub fn asked(
    body: &Map<String, Value>,
    rules: &AddressRules,
    mistakes: &mut Vec<FieldError>,
) -> NewWebhook {
    let given = webhook_form::parse(body, rules, mistakes);
    let for_jobs = toggle(body, "forJobs", mistakes).unwrap_or(false);
    let has_url = member(body, "url").is_some();
    if for_jobs && has_url {
        let message = "`url` must not be given with `forJobs`: each job names its own.";
        mistakes.push(FieldError::new("url", "absent", message));
    } else if !for_jobs && !has_url {
        mistakes.push(missing("url"));
    }
    NewWebhook {
        user_id: 0,
        url: given.url,
        events: given.events.unwrap_or_default(),
        description: given.description.unwrap_or_default(),
    }
}

/// `PATCH /webhooks/:id`.
async fn change(api: &Api, mut ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let webhook = own(api, &ask, caller).await?;
    let body = ask.json(api).await?;
    let mut mistakes = Vec::new();
    let change = webhook_form::parse(&body, &api.webhook_addresses, &mut mistakes);
    if webhook.url.is_none() && change.url.is_some() {
        let message = "`url` must not be given: each job names its own.";
        mistakes.push(FieldError::new("url", "absent", message));
    }
    refuse(mistakes)?;
    let changed = api
        .store
        .change_webhook(webhook.id, &change, clock::now_us());
    let changed = changed.await?.ok_or(Problem::RowNotFound)?;
    Ok(reply::json(StatusCode::OK, &record(&changed)))
}

/// `GET /webhooks/:id`.
async fn get(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let webhook = own(api, &ask, caller).await?;
    Ok(reply::json(StatusCode::OK, &record(&webhook)))
}

/// `DELETE /webhooks/:id`.
async fn delete(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let webhook = own(api, &ask, caller).await?;
    api.store.delete_webhook(webhook.id).await?;
    Ok(reply::empty(StatusCode::NO_CONTENT))
}

/// `POST /webhooks/:id/rotate`: the answer is the only one that shows the new secret.
async fn rotate(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    if let Some(answer) = done_before(api, &ask.call, &Fingerprint::of_nothing()).await? {
        return Ok(answer);
    }
    let webhook = own(api, &ask, caller).await?;
    let secret = api.store.rotate_webhook(webhook.id, clock::now_us());
    let secret = secret.await?.ok_or(Problem::RowNotFound)?;
    Ok(reply::json(StatusCode::OK, &with_secret(&webhook, &secret)))
}

/// The webhook that the path names, when it is the caller's.
pub(crate) async fn own(
    api: &Api,
    ask: &Ask<'_>,
    caller: &Caller,
) -> Result<WebhookRecord, Problem> {
    let webhook = api.store.webhook(ask.id()?).await?;
    let webhook = webhook.ok_or(Problem::RowNotFound)?;
    if webhook.user_id != caller.user_id {
        return Err(Problem::Forbidden {
            detail: "This webhook belongs to somebody else.".to_owned(),
        });
    }
    Ok(webhook)
}

/// The record of a webhook.
#[must_use]
pub fn record(webhook: &WebhookRecord) -> Value {
    json!({
        "id": webhook.id,
        "url": webhook.url,
        "forJobs": webhook.url.is_none(),
        "events": webhook.events,
        "description": webhook.description,
        "enabled": webhook.enabled,
        "disabledReason": webhook.disabled_reason,
        "createdAt": timestamp(webhook.created_at_us),
        "lastSuccessAt": webhook.last_success_at_us.map(timestamp),
    })
}

/// The same with the secret, the only time that it is shown.
#[must_use]
pub fn with_secret(webhook: &WebhookRecord, secret: &str) -> Value {
    let mut record = record(webhook);
    record["secret"] = Value::from(secret);
    record
}
