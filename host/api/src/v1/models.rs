use hyper::StatusCode;

use super::usable::is_visible;
use super::{model_import, own_voice, records};
use crate::Api;
use crate::rules::call::{Call, row_id};
use crate::rules::page::{CATALOG_PAGES, PageRequest, list_reply};
use crate::rules::problem::{Problem, refuse};
use crate::rules::route::{Class, Operation, Route};
use vocalhost_http::reply::{self, Reply};
use vocalhost_store::{Caller, ModelQuery, Scope};
use vocalhost_system::clock;

/// What may be asked here.
pub const ROUTES: &[Route] = &[
    Route {
        path: "/voice-models",
        operations: &[
            Operation::get(
                "listVoiceModels",
                "The voices that you may use",
                super::shapes::models::list,
            )
            .counts_as(Class::FreeRead)
            .keyed(Scope::Read, |api, ask, caller| {
                Box::pin(async move { list(api, &ask.call, caller).await })
            }),
            Operation::post(
                "importVoiceModel",
                "Import a voice of your own",
                super::shapes::packages::import_voice,
            )
            .counts_as(Class::Creation)
            .keyed(Scope::Write, |api, ask, caller| {
                Box::pin(async move {
                    let sent = (&ask.head.headers, ask.body);
                    model_import::own_voice(api, &ask.call, caller, sent).await
                })
            }),
        ],
    },
    Route {
        path: "/voice-models/{id}",
        operations: &[
            Operation::get("getVoiceModel", "One voice", super::shapes::models::get)
                .counts_as(Class::FreeRead)
                .keyed(Scope::Read, |api, ask, caller| {
                    Box::pin(async move { get(api, ask.part("id"), caller).await })
                }),
            Operation::patch(
                "changeOwnVoiceModel",
                "Give a voice another title, tags, picture or demo",
                super::shapes::models::change,
            )
            .keyed(Scope::Write, |api, ask, caller| {
                Box::pin(async move {
                    let id = row_id(ask.path.get("id").unwrap_or_default())?;
                    let sent = (&ask.head.headers, ask.body);
                    own_voice::change(api, (&ask.call, caller), id, sent).await
                })
            }),
            Operation::delete(
                "deleteOwnVoiceModel",
                "Delete a voice of your own",
                super::shapes::models::remove,
            )
            .keyed(Scope::Write, |api, ask, caller| {
                Box::pin(async move {
                    own_voice::remove(api, (&ask.call, caller), ask.part("id")).await
                })
            }),
        ],
    },
];

/// `GET /voice-models`: the voices that the caller may see.
pub async fn list(api: &Api, call: &Call, caller: &Caller) -> Result<Reply, Problem> {
    let mut mistakes = Vec::new();
    let asked = PageRequest::parse(&call.query, &CATALOG_PAGES, &mut mistakes);
    let mine = call.query.toggle("myModels", &mut mistakes);
    let instruments = call.query.toggle("instruments", &mut mistakes);
    refuse(mistakes)?;
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
    // Models that have come or gone since the last look decide which voices can be used.
    api.library.current(clock::now_us()).await?;
    let found = api.store.models(&query).await?;
    let data: Vec<_> = found
        .rows
        .iter()
        .map(|voice| records::voice_model(api, voice))
        .collect();
    Ok(list_reply(call, &asked, found.total, &data))
}

/// `GET /voice-models/:id`.
pub async fn get(api: &Api, id: &str, caller: &Caller) -> Result<Reply, Problem> {
    let id = row_id(id)?;
    api.library.current(clock::now_us()).await?;
    let voice = api.store.model(id).await?.ok_or(Problem::RowNotFound)?;
    if !is_visible(&voice, caller) {
        return Err(Problem::Forbidden {
            detail: "This voice model belongs to somebody else.".to_owned(),
        });
    }
    // A voice whose package is gone, or not made yet, is shown all the same.
    let package = api.library.manifest(&voice).await.ok();
    Ok(reply::json(
        StatusCode::OK,
        &records::voice_with_terms(api, &voice, package.as_ref()),
    ))
}
