use hyper::StatusCode;
use serde_json::{Map, Value, json};

use super::chain::{self, Find, KnownEffect};
use super::job_record::done_before;
use super::json_fields::{member, text, toggle};
use super::timestamp::timestamp;
use crate::Api;
use crate::rules::created::created;
use crate::rules::mistakes::missing;
use crate::rules::page::{CATALOG_PAGES, PageRequest, list_reply};
use crate::rules::problem::{FieldError, Problem, refuse};
use crate::rules::route::{Ask, Class, Operation, Route};
use vocalhost_catalogues::shelf::Listing;
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::reply::{self, Reply};
use vocalhost_store::{Caller, NewPipeline, PipelineQuery, PipelineRecord, Scope};
use vocalhost_system::clock;

/// Pipelines of one user: far more than anybody can remember, and few enough to be listed in one go.
pub const MAX_PER_USER: u64 = 200;

/// Names are said in addresses and forms.
const MAX_NAME_BYTES: usize = 64;

/// What may be asked here.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        path: "/pipelines",
        operations: &[
            Operation::get(
                "listPipelines",
                "The pipelines that you may use",
                super::shapes::pipelines::list,
            )
            .counts_as(Class::FreeRead)
            .keyed(Scope::Read, |api, ask, caller| {
                Box::pin(list(api, ask, caller))
            }),
            Operation::post(
                "createPipeline",
                "Save a chain of effects under a name",
                super::shapes::pipelines::create,
            )
            .keyed(Scope::Write, |api, ask, caller| {
                Box::pin(create(api, ask, caller))
            }),
        ],
    },
    Route {
        path: "/pipelines/{id}",
        operations: &[
            Operation::get("getPipeline", "One pipeline", super::shapes::pipelines::get)
                .counts_as(Class::FreeRead)
                .keyed(Scope::Read, |api, ask, caller| {
                    Box::pin(get(api, ask, caller))
                }),
            Operation::put(
                "replacePipeline",
                "Save another chain under a name",
                super::shapes::pipelines::replace,
            )
            .keyed(Scope::Write, |api, ask, caller| {
                Box::pin(replace(api, ask, caller))
            }),
            Operation::delete(
                "deletePipeline",
                "Forget a pipeline",
                super::shapes::pipelines::delete,
            )
            .keyed(Scope::Write, |api, ask, caller| {
                Box::pin(delete(api, ask, caller))
            }),
        ],
    },
];

/// `GET /pipelines`: the caller's own pipelines, and the shared ones whose names the caller has not taken.
async fn list(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let call = &ask.call;
    let mut mistakes = Vec::new();
    let asked = PageRequest::parse(&call.query, &CATALOG_PAGES, &mut mistakes);
    let mine = call.query.toggle("myPipelines", &mut mistakes);
    refuse(mistakes)?;
    let query = PipelineQuery {
        user_id: caller.user_id,
        mine,
        descending: asked.descending,
        page: asked.page,
        per_page: asked.per_page,
    };
    let found = api.store.pipelines(&query).await?;
    let data: Vec<_> = found.rows.iter().map(|row| record(row, caller)).collect();
    Ok(list_reply(call, &asked, found.total, &data))
}

/// `GET /pipelines/:name`.
async fn get(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let found = api.store.pipeline(caller.user_id, ask.part("id")).await?;
    let found = found.ok_or(Problem::RowNotFound)?;
    Ok(reply::json(StatusCode::OK, &record(&found, caller)))
}

/// `POST /pipelines`: saves a chain under a new name.
async fn create(api: &Api, mut ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let given = ask.json(api).await?;
    let asked = Fingerprint::of_json(&given);
    if let Some(answer) = done_before(api, &ask.call, &asked).await? {
        return Ok(answer);
    }
    let mut mistakes = Vec::new();
    let name = given_name(&given, &mut mistakes);
    let new = read_pipeline(
        &*api.shelf.current().await?,
        caller,
        (name, &given),
        mistakes,
    )?;
    may_share(new.shared, caller)?;
    let now_us = clock::now_us();
    let made = api
        .store
        .create_pipeline(&new, MAX_PER_USER, now_us)
        .await?;
    let address = format!("{}/{}", ask.call.address, made.name);
    Ok(created(&address, &record(&made, caller)))
}

/// `PUT /pipelines/:name`: saves another chain under a name that the caller has.
async fn replace(api: &Api, mut ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let before = changeable(api, ask.part("id"), caller).await?;
    let given = ask.json(api).await?;
    let mut mistakes = Vec::new();
    if given.get("name").is_some_and(|name| name != ask.part("id")) {
        let message = "The name is that of the address; a pipeline is not renamed.";
        mistakes.push(FieldError::new("name", "same", message));
    }
    let new = read_pipeline(
        &*api.shelf.current().await?,
        caller,
        (before.name, &given),
        mistakes,
    )?;
    may_share(new.shared, caller)?;
    let replaced = api.store.replace_pipeline(&new, clock::now_us()).await?;
    let replaced = replaced.ok_or(Problem::RowNotFound)?;
    Ok(reply::json(StatusCode::OK, &record(&replaced, caller)))
}

/// `DELETE /pipelines/:name`. Jobs that were made with it are not touched.
async fn delete(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let name = ask.part("id");
    changeable(api, name, caller).await?;
    if !api.store.delete_pipeline(caller.user_id, name).await? {
        return Err(Problem::RowNotFound);
    }
    Ok(reply::empty(StatusCode::NO_CONTENT))
}

/// What is wrong with a chain that is to be saved: every mistake, each with its path.
#[must_use]
pub fn mistakes_in(chain: &Value, find: &Find<'_>) -> Vec<FieldError> {
    let mut mistakes = Vec::new();
    chain::parse_saved("chain", chain, find, &mut mistakes);
    mistakes
}

/// Whether a pipeline may have this name.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    (1..=MAX_NAME_BYTES).contains(&name.len()) && name.bytes().all(plain)
}

/// A pipeline that the caller may change: one of the caller's own. A shared one takes an administrator, since others
/// count on it.
async fn changeable(api: &Api, name: &str, caller: &Caller) -> Result<PipelineRecord, Problem> {
    let found = api.store.pipeline(caller.user_id, name).await?;
    let found = found.ok_or(Problem::RowNotFound)?;
    if found.owner_id != caller.user_id {
        return Err(Problem::Forbidden {
            detail: "This pipeline belongs to somebody else.".to_owned(),
        });
    }
    may_share(found.shared, caller)?;
    Ok(found)
}

fn may_share(shared: bool, caller: &Caller) -> Result<(), Problem> {
    if shared && !caller.may(Scope::Admin) {
        return Err(Problem::Forbidden {
            detail: format!(
                "Shared pipelines take a key with the scope `{}`.",
                Scope::Admin.as_str()
            ),
        });
    }
    Ok(())
}

/// The name in a body; empty when it is none.
fn given_name(given: &Map<String, Value>, mistakes: &mut Vec<FieldError>) -> String {
    let before = mistakes.len();
    match text(given, "name", mistakes) {
        Some(name) if is_name(name) => return name.to_owned(),
        Some(_) => {
            let message = format!("`name` must be 1 to {MAX_NAME_BYTES} of a-z, 0-9, - and _.");
            mistakes.push(FieldError::new("name", "pattern", message));
        }
        None if mistakes.len() == before => mistakes.push(missing("name")),
        None => {}
    }
    String::new()
}

/// What a body says beside the name, when all of it is right.
fn read_pipeline(
    effects: &Listing,
    caller: &Caller,
    (name, given): (String, &Map<String, Value>),
    mut mistakes: Vec<FieldError>,
) -> Result<NewPipeline, Problem> {
    let shared = toggle(given, "shared", &mut mistakes).unwrap_or(false);
    let chain = match member(given, "chain") {
        None => {
            mistakes.push(missing("chain"));
            Value::Null
        }
        Some(chain) => {
            let find = |name: &str| effects.find(name).map(KnownEffect::from);
            mistakes.extend(mistakes_in(chain, &find));
            chain.clone()
        }
    };
    refuse(mistakes)?;
    Ok(NewPipeline {
        owner_id: caller.user_id,
        name,
        shared,
        chain,
    })
}

/// The record of a pipeline. It does not tell whose a shared one is.
fn record(pipeline: &PipelineRecord, caller: &Caller) -> Value {
    json!({
        "name": pipeline.name,
        "shared": pipeline.shared,
        "isMine": pipeline.owner_id == caller.user_id,
        "chain": pipeline.chain,
        "createdAt": timestamp(pipeline.created_at_us),
        "updatedAt": timestamp(pipeline.updated_at_us),
    })
}
