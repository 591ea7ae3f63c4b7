//! `/live-conversions`: a voice while somebody speaks. A request makes one and says everything that is wrong with it, since a browser
//! cannot read why a stream does not open. The stream itself is a WebSocket.

mod form;
mod frames;
mod link;
mod noting;
mod opened;
mod own;
mod record;
mod recordings;
mod render;
mod session;
mod stream;
mod tape;
mod told;
mod warnings;

pub(super) use recordings::{COLLECTION, served};

use hyper::StatusCode;
use serde_json::json;

use own::own;
use record::shown;
use recordings::delete_files;
use stream::no_place;

use super::shapes::live as shapes;
use super::usable::{named_in, usable_voice};
use crate::Api;
use crate::rules::created::created;
use crate::rules::page::{JOB_PAGES, PageRequest, list_reply};
use crate::rules::problem::{FieldError, Problem, refuse};
use crate::rules::route::{Ask, Class, Operation, Route};
use vocalhost_catalogues::library::LibraryError;
use vocalhost_http::multipart::Form;
use vocalhost_http::reply::{self, Reply};
use vocalhost_model::Family;
use vocalhost_store::{Caller, LiveLimits, ModelRecord, NewLive, Scope};
use vocalhost_system::{clock, token};

/// What may be asked here.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        path: "/live-conversions",
        operations: &[
            Operation::get("listLiveConversions", "Your live conversions", shapes::list)
                .keyed(Scope::Read, |api, ask, caller| {
                    Box::pin(list(api, ask, caller))
                }),
            Operation::post(
                "createLiveConversion",
                "Convert a voice while somebody speaks",
                shapes::create,
            )
            .counts_as(Class::Creation)
            .repeated(Scope::Write, |api, ask, caller| {
                Box::pin(create(api, ask, caller))
            }),
        ],
    },
    Route {
        path: "/live-conversions/{id}",
        operations: &[
            Operation::get("getLiveConversion", "One live conversion", shapes::get)
                .keyed(Scope::Read, |api, ask, caller| {
                    Box::pin(get(api, ask, caller))
                }),
            Operation::delete(
                "deleteLiveConversion",
                "End and forget a live conversion",
                shapes::delete,
            )
            .keyed(Scope::Write, |api, ask, caller| {
                Box::pin(delete(api, ask, caller))
            }),
        ],
    },
    Route {
        path: "/live-conversions/{id}/render",
        operations: &[Operation::post(
            "renderLiveConversion",
            "Convert what was said live as a recording",
            shapes::render,
        )
        .counts_as(Class::Creation)
        .keyed(Scope::Write, |api, ask, caller| {
            Box::pin(render::render(api, ask, caller))
        })],
    },
    Route {
        path: "/live-conversions/{id}/stream",
        operations: &[Operation::get(
            "openLiveStream",
            "The sound of a live conversion, as a WebSocket",
            shapes::stream,
        )
        .counts_as(Class::Uncounted)
        .open(|api, ask| Box::pin(stream::open(api, ask)))],
    },
];

/// `GET /live-conversions`.
async fn list(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let asked = PageRequest::of(&ask.call, &JOB_PAGES)?;
    let page = (asked.descending, asked.page, asked.per_page);
    let found = api.store.lives(caller.user_id, page).await?;
    let mut data = Vec::with_capacity(found.rows.len());
    for live in &found.rows {
        data.push(shown(api, &ask.call.root, live).await?);
    }
    Ok(list_reply(&ask.call, &asked, found.total, &data))
}

/// `GET /live-conversions/:id`.
async fn get(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let live = own(api, &ask, caller).await?;
    let record = shown(api, &ask.call.root, &live).await?;
    Ok(reply::json(StatusCode::OK, &record))
}

/// `DELETE /live-conversions/:id`.
async fn delete(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let live = own(api, &ask, caller).await?;
    let keys = api.store.delete_live(live.id).await?;
    delete_files(api, live.id, &keys).await;
    Ok(reply::empty(StatusCode::NO_CONTENT))
}

/// `POST /live-conversions`.
async fn create(api: &Api, mut ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    if api.live.places() == 0 {
        return Err(Problem::Forbidden {
            detail: "This server has no live conversions: its operator has given them no workers."
                .to_owned(),
        });
    }
    let given = ask.json(api).await?;
    let mut form = Form::default();
    form.fields = form::fields(&given);
    let mut mistakes = Vec::new();
    let effects = api.shelf.current().await?;
    let saved = named_in(api, caller.user_id, &form.fields).await?;
    let mut spec = form::parse((&form, &given), (&effects, &saved), &mut mistakes);
    let voice = usable_voice(api, spec.voice_model_id, caller, &mut mistakes).await?;
    if let Some(voice) = &voice {
        spec.voice_title.clone_from(&voice.title);
        check_family(api, voice, &mut mistakes).await?;
    }
    refuse(mistakes)?;
    if api.live.taken() >= api.live.places() {
        return Err(no_place());
    }
    let ticket = token::draw().map_err(|error| Problem::internal(&error))?;
    let new = NewLive {
        user_id: caller.user_id,
        spec,
        ticket: ticket.clone(),
    };
    let limits = LiveLimits {
        at_a_time: api.settings.max_live_per_user,
        audio_minutes_quota: api.settings.audio_minutes_quota,
        storage_quota_bytes: api.settings.storage_quota_bytes,
    };
    let now_us = clock::now_us();
    let live = api.store.create_live(&new, limits, now_us).await?;
    let mut record = shown(api, &ask.call.root, &live).await?;
    record["ticket"] = json!(ticket);
    let address = format!("{}/{}", ask.call.address, live.id);
    Ok(created(&address, &record))
}

/// Notes it when voices of this family cannot speak live.
async fn check_family(
    api: &Api,
    voice: &ModelRecord,
    mistakes: &mut Vec<FieldError>,
) -> Result<(), Problem> {
    let family = match api.library.manifest(voice).await {
        Ok(manifest) => manifest.family,
        // Removed since it was looked up.
        Err(LibraryError::Missing(_)) => {
            mistakes.push(super::common::no_such_voice("voiceModelId"));
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    if family != Family::DdspRvc {
        let message = format!(
            "Voices of the family {} cannot speak live: their encoder hears seconds at a time.",
            family.as_str()
        );
        mistakes.push(FieldError::new("voiceModelId", "family", message));
    }
    Ok(())
}
