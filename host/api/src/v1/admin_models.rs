use hyper::StatusCode;
use serde_json::{Value, json};

use super::admin;
use super::json_fields::Fields;
use super::model_form::broken_title_rule;
use super::timestamp::timestamp;
use super::{admin_packages, model_import, own_voice};
use crate::Api;
use crate::rules::audit::actor;
use crate::rules::noted::noted;
use crate::rules::page::page_reply;
use crate::rules::problem::{Problem, refuse};
use crate::rules::route::{Ask, Class, Operation, Route};
use vocalhost_http::reply::{self, Reply};
use vocalhost_model::{is_title, title_rule};
use vocalhost_store::{Caller, ListedModel, ModelChange, ModelChanged, OwnVoice, Scope};
use vocalhost_system::clock;

/// What may be asked here.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        path: "/admin/models",
        operations: &[
            Operation::get(
                "listAllVoiceModels",
                "Every voice, whoever owns it",
                super::shapes::admin::list_models,
            )
            .keyed(Scope::Admin, |api, ask, _| Box::pin(list(api, ask))),
            Operation::post(
                "importModel",
                "Import a model for everybody",
                super::shapes::packages::import_model,
            )
            .counts_as(Class::Creation)
            .keyed(Scope::Admin, |api, ask, caller| {
                Box::pin(async move {
                    let sent = (&ask.head.headers, ask.body);
                    model_import::for_everybody(api, &ask.call, caller, sent).await
                })
            }),
        ],
    },
    Route {
        path: "/admin/models/{id}",
        operations: &[
            Operation::get(
                "getAnyVoiceModel",
                "One voice, whoever owns it",
                super::shapes::admin::get_model,
            )
            .keyed(Scope::Admin, |api, ask, _| Box::pin(get(api, ask))),
            Operation::patch(
                "changeVoiceModel",
                "Enable, disable, rename, publish or take back a voice",
                super::shapes::admin::change_model,
            )
            .keyed(Scope::Admin, |api, ask, caller| {
                Box::pin(change(api, ask, caller))
            }),
            Operation::delete(
                "removeVoiceModel",
                "Remove a voice that was imported or blended",
                super::shapes::admin::remove_model,
            )
            .keyed(Scope::Admin, |api, ask, caller| {
                Box::pin(remove(api, ask, caller))
            }),
        ],
    },
];

async fn list(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let asked = admin::asked(&ask.call)?;
    api.library.current(clock::now_us()).await?;
    let place = (asked.page, asked.per_page);
    let found = api.store.all_models(asked.descending, place).await?;
    Ok(page_reply(&ask.call, &asked, &found, record))
}

async fn get(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let id = ask.id()?;
    api.library.current(clock::now_us()).await?;
    let listed = api.store.listed_model(id).await?;
    let listed = listed.ok_or(Problem::RowNotFound)?;
    let mut record = record(&listed);
    // A voice whose package is gone, or not made yet, is shown all the same; why it is so stands in its record.
    let manifest = api.library.manifest(&listed.voice).await.ok();
    let package = manifest.as_ref();
    record["package"] = package
        .map(|voice| admin_packages::record(voice, None))
        .into();
    Ok(reply::json(StatusCode::OK, &record))
}

async fn remove(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let (id, actor) = (ask.id()?, actor(&ask.call, caller));
    let removing = api
        .library
        .remove_voice(id, None, &actor, clock::now_us())
        .await?;
    if removing == OwnVoice::NotOwn {
        return Err(Problem::Conflict {
            code: "E_MODEL_NOT_IMPORTED",
            detail:
                "This voice comes from a model folder: remove its package there, or disable it."
                    .to_owned(),
        });
    }
    own_voice::done(removing)?;
    Ok(noted(reply::empty(StatusCode::NO_CONTENT)))
}

async fn change(api: &Api, mut ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let id = ask.id()?;
    let given = ask.json(api).await?;
    let mut fields = Fields::new(&given, &["enabled", "title", "public"]);
    let mut changes = Vec::new();
    changes.extend(fields.toggle("enabled").map(ModelChange::Enable));
    changes.extend(fields.toggle("public").map(ModelChange::Publish));
    if let Some(title) = fields.text("title") {
        if is_title(&title) {
            changes.push(ModelChange::Rename(title));
        } else {
            fields.wrong("title", broken_title_rule(&title), &title_rule());
        }
    }
    if changes.is_empty() && fields.mistakes.is_empty() {
        fields.wrong("body", "required", "has some of enabled, title, public");
    }
    refuse(fields.mistakes)?;
    let actor = actor(&ask.call, caller);
    let done = api
        .store
        .change_model(id, &changes, &actor, clock::now_us())
        .await?;
    match done {
        ModelChanged::Unknown => Err(Problem::RowNotFound),
        ModelChanged::NeverOwned => Err(Problem::Conflict {
            code: "E_MODEL_NEVER_OWNED",
            detail: NEVER_OWNED.to_owned(),
        }),
        ModelChanged::InTheMaking => Err(Problem::Conflict {
            code: "E_JOB_RUNNING",
            detail: IN_THE_MAKING.to_owned(),
        }),
        ModelChanged::Done(voice) => Ok(noted(reply::json(StatusCode::OK, &record(&voice)))),
    }
}

/// Why a voice cannot be taken back.
pub const NEVER_OWNED: &str = "This voice never belonged to a user, so there is nobody to give it back to: disable it instead.";

/// Why a voice cannot be published yet.
pub const IN_THE_MAKING: &str = "A job is still making this voice: publish it when it has ended.";

/// The record of a voice as an operator sees it.
#[must_use]
pub fn record(listed: &ListedModel) -> Value {
    let voice = &listed.voice;
    json!({
        "id": voice.id,
        "packageId": voice.package_id,
        "title": voice.title,
        "tags": voice.tags,
        "instrument": voice.instrument,
        "owner": listed.owner,
        "public": voice.owner_id.is_none(),
        "publishedFrom": listed.published_from,
        "enabled": listed.enabled,
        "isUsable": voice.usable,
        "unusableReason": voice.unusable_reason(),
        "createdAt": timestamp(voice.created_at_us),
    })
}
