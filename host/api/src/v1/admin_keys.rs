use hyper::body::Incoming;
use hyper::header::{HeaderValue, LOCATION};
use hyper::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use super::admin::{self, Fields};
use super::timestamp::timestamp;
use crate::Api;
use crate::audit::{actor, noted};
use crate::call::Call;
use crate::page::list_reply;
use crate::problem::{Problem, refuse};
use crate::reply::{self, Reply};
use crate::route::{Operation, Route};
use crate::small_body::read_json;
use vocalhost_store::{Caller, IssuedKey, KeyRecord, NewKey, Scope};
use vocalhost_system::clock;

/// Keys never live longer than this: a hundred years.
pub const MAX_DAYS: u64 = 36_500;

/// An old key goes on for at most this long after it was replaced.
pub const MAX_GRACE_S: u64 = 30 * 86_400;

const DAY_US: i64 = 86_400 * clock::US_PER_S;

/// What may be asked here.
pub const ROUTES: &[Route] = &[
    Route {
        path: "/admin/keys",
        operations: &[
            Operation::get(
                "listKeys",
                "Every key, without its secret",
                super::shapes::admin::list_keys,
            )
            .keyed(Scope::Admin, |api, ask, _| {
                Box::pin(async move { list(api, &ask.call).await })
            }),
            Operation::post(
                "createKey",
                "Make a key: the only time that it is shown",
                super::shapes::admin::create_key,
            )
            .repeated(Scope::Admin, |api, ask, caller| {
                Box::pin(async move {
                    create(api, &ask.call, caller, (&ask.head.headers, ask.body)).await
                })
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
            .keyed(Scope::Admin, |api, ask, _| {
                Box::pin(async move { get(api, ask.part("id")).await })
            }),
            Operation::delete(
                "revokeKey",
                "Stop a key from working",
                super::shapes::admin::revoke_key,
            )
            .keyed(Scope::Admin, |api, ask, caller| {
                Box::pin(async move { revoke(api, &ask.call, caller, ask.part("id")).await })
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
            Box::pin(async move {
                let id = ask.path.get("id").unwrap_or_default();
                let sent = (&ask.head.headers, ask.body);
                rotate(api, (&ask.call, caller), id, sent).await
            })
        })],
    },
];

async fn list(api: &Api, call: &Call) -> Result<Reply, Problem> {
    let asked = admin::asked(call)?;
    let mut keys = api.store.list_keys().await?;
    if let Some(user) = call.query.get("user") {
        keys.retain(|key| key.user == user);
    }
    let data: Vec<Value> = asked.cut(&keys).into_iter().map(record).collect();
    Ok(list_reply(call, &asked, keys.len() as u64, &data))
}

async fn get(api: &Api, id: &str) -> Result<Reply, Problem> {
    let key = api.store.key(id).await?.ok_or(Problem::RowNotFound)?;
    Ok(reply::json(StatusCode::OK, &record(&key)))
}

async fn create(
    api: &Api,
    call: &Call,
    caller: &Caller,
    (headers, body): (&HeaderMap, &mut Incoming),
) -> Result<Reply, Problem> {
    let given = read_json(headers, body, api.body_times()).await?;
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
    let issued = api
        .store
        .create_key(&new, &actor(call, caller), now_us)
        .await?;
    issued_reply(api, call, &issued).await
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

async fn revoke(api: &Api, call: &Call, caller: &Caller, id: &str) -> Result<Reply, Problem> {
    let actor = actor(call, caller);
    if !api.store.revoke_key(id, &actor, clock::now_us()).await? {
        return Err(Problem::RowNotFound);
    }
    Ok(noted(reply::empty(StatusCode::NO_CONTENT)))
}

async fn rotate(
    api: &Api,
    (call, caller): (&Call, &Caller),
    id: &str,
    (headers, body): (&HeaderMap, &mut Incoming),
) -> Result<Reply, Problem> {
    // Without a body the old key stops at once.
    let given = if hyper::body::Body::is_end_stream(body) {
        serde_json::Map::new()
    } else {
        read_json(headers, body, api.body_times()).await?
    };
    let mut fields = Fields::new(&given, &["graceSeconds"]);
    let grace_s = fields.count("graceSeconds", (0, MAX_GRACE_S)).unwrap_or(0);
    refuse(fields.mistakes)?;
    let grace_us = grace_s as i64 * clock::US_PER_S;
    let actor = actor(call, caller);
    let now_us = clock::now_us();
    let issued = api.store.rotate_key(id, grace_us, &actor, now_us).await?;
    issued_reply(api, call, &issued.ok_or(Problem::RowNotFound)?).await
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
    let mut answer = reply::json(StatusCode::CREATED, &shown);
    let list = call.address.split("/admin/").next().unwrap_or_default();
    if let Ok(location) = HeaderValue::from_str(&format!("{list}/admin/keys/{}", issued.id)) {
        answer.headers_mut().insert(LOCATION, location);
    }
    Ok(noted(answer))
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
