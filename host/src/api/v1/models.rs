use hyper::{Method, StatusCode};

use super::records;
use crate::api::Api;
use crate::api::call::Call;
use crate::api::page::{CATALOG_PAGES, Meta, PageRequest, list_reply};
use crate::api::problem::Problem;
use crate::api::reply::{self, Reply};
use crate::api::route::{Class, Handler, Operation, Route};
use crate::store::{Caller, ModelQuery, ModelRecord, Scope};

/// What may be asked here.
pub const ROUTES: &[Route] = &[
    Route {
        path: "/voice-models",
        operations: &[Operation {
            method: Method::GET,
            id: "listVoiceModels",
            summary: "The voices that you may use",
            describe: super::shapes::models::list,
            class: Class::FreeRead,
            handler: Handler::Keyed(Scope::Read, |api, ask, caller| {
                Box::pin(async move { list(api, &ask.call, caller).await })
            }),
        }],
    },
    Route {
        path: "/voice-models/{id}",
        operations: &[Operation {
            method: Method::GET,
            id: "getVoiceModel",
            summary: "One voice",
            describe: super::shapes::models::get,
            class: Class::FreeRead,
            handler: Handler::Keyed(Scope::Read, |api, ask, caller| {
                Box::pin(async move { get(api, ask.part("id"), caller).await })
            }),
        }],
    },
];

/// `GET /voice-models`: the voices that the caller may see.
pub async fn list(api: &Api, call: &Call, caller: &Caller) -> Result<Reply, Problem> {
    let mut mistakes = Vec::new();
    let asked = PageRequest::parse(&call.query, &CATALOG_PAGES, &mut mistakes);
    let mine = call.query.toggle("myModels", &mut mistakes);
    let instruments = call.query.toggle("instruments", &mut mistakes);
    if !mistakes.is_empty() {
        return Err(Problem::Invalid(mistakes));
    }
    let filter = |name: &str| {
        let text = call.query.get(name).map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let query = ModelQuery {
        user_id: caller.user_id,
        mine,
        instruments,
        q: filter("q"),
        tag: filter("tag"),
        descending: asked.descending,
        page: asked.page,
        per_page: asked.per_page,
    };
    let found = api.store.models(&query).await?;
    let data: Vec<_> = found
        .rows
        .iter()
        .map(|voice| records::voice_model(api, voice))
        .collect();
    let meta = Meta::new(&asked, found.total);
    Ok(list_reply(&call.address, &call.query, &meta, &data))
}

/// `GET /voice-models/:id`.
pub async fn get(api: &Api, id: &str, caller: &Caller) -> Result<Reply, Problem> {
    let id = crate::api::call::row_id(id)?;
    let voice = api.store.model(id).await?.ok_or(Problem::RowNotFound)?;
    if !is_visible(&voice, caller) {
        return Err(Problem::Forbidden {
            detail: "This voice model belongs to somebody else.".to_owned(),
        });
    }
    Ok(reply::json(
        StatusCode::OK,
        &records::voice_model(api, &voice),
    ))
}

/// Whether the caller may see this voice: public voices are everyone's.
pub fn is_visible(voice: &ModelRecord, caller: &Caller) -> bool {
    voice.owner_id.is_none_or(|owner| owner == caller.user_id)
}
