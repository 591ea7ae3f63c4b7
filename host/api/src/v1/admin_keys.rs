use hyper::StatusCode;
use serde_json::{Value, json};

use super::admin;
use super::json_fields::Fields;
use super::timestamp::timestamp;
use crate::Api;
use crate::rules::audit::actor;
use crate::rules::call::Call;
use crate::rules::created::created;
use crate::rules::noted::noted;
use crate::rules::page::list_reply;
use crate::rules::problem::{Problem, refuse};
use crate::rules::route::{Ask, Operation, Route};
use vocalhost_http::reply::{self, Reply};
use vocalhost_store::{Caller, IssuedKey, KeyRecord, NewKey, Scope};
use vocalhost_system::clock;

/// Keys never live longer than this: a hundred years.
pub(crate) const MAX_DAYS: u64 = 36_500;

/// An old key goes on for at most this long after it was replaced.
pub const MAX_GRACE_S: u64 = 30 * 86_400;

const DAY_US: i64 = 86_400 * clock::US_PER_S;

/// What may be asked here.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        path: "/admin/keys",
        operations: &[
            Operation::get(
                "listKeys",
                "Every key, without its secret",
                super::shapes::admin::list_keys,
            )
            .keyed(Scope::Admin, |api, ask, _| Box::pin(list(api, ask))),
            Operation::post(
                "createKey",
                "Make a key: the only time that it is shown",
                super::shapes::admin::create_key,
            )
            .repeated(Scope::Admin, |api, ask, caller| {
                Box::pin(create(api, ask, caller))
            }),
        ],
    },
    Route {
        path: "/admin/keys/{id}",
        operations: &[
            Operation::get(
                "getKey",
                "One key, without its secret",
                super::shapes::admin::get_key,
            )
            .keyed(Scope::Admin, |api, ask, _| Box::pin(get(api, ask))),
            Operation::delete(
                "revokeKey",
                "Stop a key from working",
                super::shapes::admin::revoke_key,
            )
            .keyed(Scope::Admin, |api, ask, caller| {
                Box::pin(revoke(api, ask, caller))
            }),
        ],
    },
    Route {
        path: "/admin/keys/{id}/rotate",
        operations: &[Operation::post(
            "rotateKey",
            "Make a key in place of another one",
            super::shapes::admin::rotate_key,
        )
        .repeated(Scope::Admin, |api, ask, caller| {
            Box::pin(rotate(api, ask, caller))
        })],
    },
];

async fn list(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let asked = admin::asked(&ask.call)?;
    let mut keys = api.store.list_keys().await?;
    if let Some(user) = ask.call.query.get("user") {
        keys.retain(|key| key.user == user);
    }
    let data: Vec<Value> = asked.cut(&keys).into_iter().map(record).collect();
    Ok(list_reply(&ask.call, &asked, keys.len() as u64, &data))
}

async fn get(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let key = api.store.key(ask.part("id")).await?;
    let key = key.ok_or(Problem::RowNotFound)?;
    Ok(reply::json(StatusCode::OK, &record(&key)))
}

async fn create(api: &Api, mut ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let given = ask.json(api).await?;
    let known = ["user", "label", "scopes", "expiresInDays"];
    let mut fields = Fields::new(&given, &known);
    let now_us = clock::now_us();
    let user = fields.text("user");
    fields.require("user", user.is_some());
    let user = user.unwrap_or_default();
    if given.contains_key("user") && fields.mistakes.is_empty() && !admin::is_user_name(&user) {
        fields.wrong("user", "pattern", &admin::name_rule());
    }
    let label = fields.text("label").unwrap_or_default();
    if label.chars().count() > 128 {
        fields.wrong("label", "length", "may have at most 128 characters");
    }
    let new = NewKey {
        user,
        label,
        scopes: scopes(&mut fields),
        expires_at_us: fields
            .count("expiresInDays", (1, MAX_DAYS))
            .map(|days| now_us + days as i64 * DAY_US),
    };
    refuse(fields.mistakes)?;
    let actor = actor(&ask.call, caller);
    let issued = api.store.create_key(&new, &actor, now_us).await?;
    issued_reply(api, &ask.call, &issued).await
}

/// Without the field a key reads and writes.
fn scopes(fields: &mut Fields<'_>) -> Vec<Scope> {
    let Some(words) = fields.texts("scopes") else {
        return vec![Scope::Read, Scope::Write];
    };
    let found: Option<Vec<Scope>> = words.iter().map(|word| Scope::parse(word)).collect();
    match found {
        Some(scopes) if !scopes.is_empty() => scopes,
        _ => {
            fields.wrong("scopes", "enum", "must have some of read, write, admin");
            Vec::new()
        }
    }
}

async fn revoke(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let actor = actor(&ask.call, caller);
    let revoked = api
        .store
        .revoke_key(ask.part("id"), &actor, clock::now_us());
    if !revoked.await? {
        return Err(Problem::RowNotFound);
    }
    Ok(noted(reply::empty(StatusCode::NO_CONTENT)))
}

async fn rotate(api: &Api, mut ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    // Without a body the old key stops at once.
    let given = if hyper::body::Body::is_end_stream(ask.body) {
        serde_json::Map::new()
    } else {
        ask.json(api).await?
    };
    let mut fields = Fields::new(&given, &["graceSeconds"]);
    let grace_s = fields.count("graceSeconds", (0, MAX_GRACE_S)).unwrap_or(0);
    refuse(fields.mistakes)?;
    let grace_us = grace_s as i64 * clock::US_PER_S;
    let actor = actor(&ask.call, caller);
    let id = ask.part("id");
    let issued = api
        .store
        .rotate_key(id, grace_us, &actor, clock::now_us())
        .await?;
    issued_reply(api, &ask.call, &issued.ok_or(Problem::RowNotFound)?).await
}

/// The record of a key that was just made, with the key itself.
async fn issued_reply(api: &Api, call: &Call, issued: &IssuedKey) -> Result<Reply, Problem> {
    let key = api
        .store
        .key(&issued.id)
        .await?
        .ok_or(Problem::RowNotFound)?;
    let mut shown = record(&key);
    shown["key"] = json!(issued.key);
    let address = format!("{}/admin/keys/{}", call.root, issued.id);
    Ok(noted(created(&address, &shown)))
}

/// The record of a key.
#[must_use]
pub fn record(key: &KeyRecord) -> Value {
    let scopes: Vec<&str> = key.scopes.iter().map(|scope| scope.as_str()).collect();
    json!({
        "id": key.id,
        "user": key.user,
        "label": key.label,
        "scopes": scopes,
        "createdAt": timestamp(key.created_at_us),
        "expiresAt": key.expires_at_us.map(timestamp),
        "revokedAt": key.revoked_at_us.map(timestamp),
        "lastUsedAt": key.last_used_at_us.map(timestamp),
    })
}
