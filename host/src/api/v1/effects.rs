use serde_json::{Value, json};

use crate::api::Api;
use crate::api::call::Call;
use crate::api::page::{Meta, PageRequest, PageRules, list_reply};
use crate::api::problem::Problem;
use crate::api::reply::Reply;
use crate::plugin::CatalogEntry;

/// A client that builds a panel wants every effect, and there are few.
const PAGES: PageRules = PageRules {
    default_per_page: 1_000,
    max_per_page: 1_000,
};

/// `GET /effects`: every installed effect with its parameters.
pub fn list(api: &Api, call: &Call) -> Result<Reply, Problem> {
    let mut mistakes = Vec::new();
    let asked = PageRequest::parse(&call.query, &PAGES, &mut mistakes);
    if !mistakes.is_empty() {
        return Err(Problem::Invalid(mistakes));
    }
    let entries = api.effects.entries();
    let data: Vec<Value> = asked.cut(entries).into_iter().map(record).collect();
    let meta = Meta::new(&asked, entries.len() as u64);
    Ok(list_reply(&call.address, &call.query, &meta, &data))
}

/// The record of an effect: what it says about itself, and which component it is.
#[must_use]
pub fn record(entry: &CatalogEntry) -> Value {
    let mut record = json!(entry.descriptor);
    record["alias"] = json!(entry.alias);
    record["digest"] = json!(entry.digest);
    record
}
