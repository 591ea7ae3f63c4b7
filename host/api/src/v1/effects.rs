use serde_json::{Value, json};

use crate::Api;
use crate::rules::call::Call;
use crate::rules::page::{PageRequest, PageRules, list_reply};
use crate::rules::problem::Problem;
use crate::rules::route::{Class, Operation, Route};
use vocalhost_catalogues::shelf::ListedEffect;
use vocalhost_http::reply::Reply;
use vocalhost_store::Scope;

/// A client that builds a panel wants every effect, and there are few.
pub const EFFECT_PAGES: PageRules = PageRules {
    default_per_page: 1_000,
    max_per_page: 1_000,
};

/// What may be asked here.
pub const ROUTES: &[Route] = &[Route {
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
}];

/// `GET /effects`: every effect that a job may name, all versions, with their parameters.
pub async fn list(api: &Api, call: &Call) -> Result<Reply, Problem> {
    let asked = PageRequest::of(call, &EFFECT_PAGES)?;
    let listing = api.shelf.current().await?;
    let enabled: Vec<&ListedEffect> = listing.enabled().collect();
    let page = asked.cut(&enabled).into_iter();
    let data: Vec<Value> = page.map(|effect| record(effect)).collect();
    Ok(list_reply(call, &asked, enabled.len() as u64, &data))
}

/// The record of an effect: what it says about itself, and which component it is.
#[must_use]
pub fn record(effect: &ListedEffect) -> Value {
    let mut record = json!(effect.descriptor);
    record["alias"] = json!(effect.alias);
    record["digest"] = json!(effect.record.effect.digest);
    record
}
