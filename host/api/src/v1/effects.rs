//! The effects that a chain may name.

use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, ETAG};
use serde_json::{Value, json};

use super::served::insert;
use crate::Api;
use crate::rules::call::Call;
use crate::rules::page::{PageRequest, PageRules, list_reply};
use crate::rules::problem::Problem;
use crate::rules::route::{Ask, Class, Operation, Route};
use vocalhost_catalogues::shelf::ListedEffect;
use vocalhost_http::reply::{self, Reply};
use vocalhost_http::validators::matches_any;
use vocalhost_store::Scope;

/// A client that builds a panel wants every effect, and there are few.
pub const EFFECT_PAGES: PageRules = PageRules {
    default_per_page: 1_000,
    max_per_page: 1_000,
};

/// What may be asked here.
pub const ROUTES: &[Route] = &[
    Route {
        path: "/effects",
        operations: &[Operation::get(
            "listEffects",
            "The effects that a job may name",
            super::shapes::effects::list,
        )
        .counts_as(Class::FreeRead)
        .keyed(Scope::Read, |api, ask, _| {
            Box::pin(async move { list(api, &ask.call).await })
        })],
    },
    Route {
        path: "/effects/{id}/component",
        operations: &[Operation::get(
            "getEffectComponent",
            "The component of an effect",
            super::shapes::effects::component,
        )
        .counts_as(Class::FreeRead)
        .keyed(Scope::Read, |api, ask, _| Box::pin(component(api, ask)))],
    },
];

/// `GET /effects`: every effect that a job may name, all versions, with their parameters.
pub async fn list(api: &Api, call: &Call) -> Result<Reply, Problem> {
    let asked = PageRequest::of(call, &EFFECT_PAGES)?;
    let listing = api.shelf.current().await?;
    let enabled: Vec<&ListedEffect> = listing.enabled().collect();
    let page = asked.cut(&enabled).into_iter();
    let data: Vec<Value> = page.map(|effect| record(effect)).collect();
    Ok(list_reply(call, &asked, enabled.len() as u64, &data))
}

/// `GET /effects/{id}/component`: the bytes that a job runs, for whoever runs the same effect elsewhere; the console does.
async fn component(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let listing = api.shelf.current().await?;
    let found = listing.find(&plain_name(ask.part("id")));
    let effect = found.ok_or(Problem::RowNotFound)?;
    let etag = format!("\"{}\"", effect.record.effect.digest);
    let mut reply = if matches_any(&ask.head.headers, &etag) {
        reply::empty(StatusCode::NOT_MODIFIED)
    } else {
        let bytes = api.shelf.component(&effect.full_name()).await?;
        reply::bytes("application/wasm", bytes)
    };
    let headers = reply.headers_mut();
    insert(headers, ETAG, &etag);
    // An effect may be disabled or replaced at any moment: it is asked for anew, and sent when it is another one.
    insert(headers, CACHE_CONTROL, "private, no-cache");
    Ok(reply)
}

/// The record of an effect: what it says about itself, and which component it is.
#[must_use]
pub fn record(effect: &ListedEffect) -> Value {
    let mut record = json!(effect.descriptor);
    record["alias"] = json!(effect.alias);
    record["digest"] = json!(effect.record.effect.digest);
    record
}

/// The name of an effect in a path. Of the characters that names and versions are made of, clients encode these two.
#[must_use]
pub fn plain_name(name: &str) -> String {
    name.replace("%40", "@")
        .replace("%2B", "+")
        .replace("%2b", "+")
}
