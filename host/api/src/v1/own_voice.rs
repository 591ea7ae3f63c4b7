use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::{HeaderMap, StatusCode};

use super::json_fields::Fields;
use super::{model_form, records};
use crate::Api;
use crate::rules::audit::actor;
use crate::rules::call::{Call, row_id};
use crate::rules::noted::noted;
use crate::rules::problem::{FieldError, Problem, refuse};
use crate::v1::uploads::put_in;
use vocalhost_http::multipart::{FormRules, read_form_within};
use vocalhost_http::reply::{self, Reply};
use vocalhost_http::small_body::read_json;
use vocalhost_model::{MAX_DEMO_BYTES, MAX_PICTURE_BYTES};
use vocalhost_store::{Caller, OwnVoice, OwnVoiceChange, Scope};
use vocalhost_system::clock;

use model_form::Beside;

/// What a request changes, with the files that go along.
#[derive(Default)]
struct Asked {
    change: OwnVoiceChange,
    picture: Option<Beside>,
    demo: Option<Beside>,
}

/// `PATCH /voice-models/{id}`: another title, other tags, another picture or demo, of a voice of the caller's own, or by an
/// administrator of one of everybody's that does not come from a model folder.
pub async fn change(
    api: &Api,
    (call, caller): (&Call, &Caller),
    id: i64,
    sent: (&HeaderMap, &mut Incoming),
) -> Result<Reply, Problem> {
    // Before the body: a caller who may not change the voice is told nothing about it.
    let voice = api.store.model(id).await?.ok_or(Problem::RowNotFound)?;
    let is_everybodys = voice.owner_id.is_none() && caller.may(Scope::Admin);
    if is_everybodys && voice.package.is_empty() {
        return Err(Problem::Conflict {
            code: "E_MODEL_NOT_IMPORTED",
            detail: "This voice comes from a model folder: change its package there.".to_owned(),
        });
    }
    if voice.owner_id != Some(caller.user_id) && !is_everybodys {
        return Err(not_own());
    }
    let mut mistakes = Vec::new();
    let asked = if is_form(sent.0) {
        of_form(api, caller, sent, &mut mistakes).await?
    } else {
        of_json(api, sent, &mut mistakes).await?
    };
    refuse(mistakes)?;
    let files = (
        asked.picture.as_ref().map(|picture| &picture.file),
        asked.demo.as_ref().map(|demo| &demo.file),
    );
    let actor = actor(call, caller);
    let changed = api
        .library
        .change_voice(
            (id, voice.owner_id),
            asked.change,
            files,
            (&actor, clock::now_us()),
        )
        .await?;
    let voice = done(changed)?;
    let record = records::voice_model(api, &voice);
    Ok(noted(reply::json(StatusCode::OK, &record)))
}

/// `DELETE /voice-models/{id}`: a voice of the caller's own goes, with its files.
pub async fn remove(
    api: &Api,
    (call, caller): (&Call, &Caller),
    id: &str,
) -> Result<Reply, Problem> {
    let (id, actor) = (row_id(id)?, actor(call, caller));
    let removed = api
        .library
        .remove_voice(id, Some(caller.user_id), &actor, clock::now_us())
        .await?;
    done(removed)?;
    Ok(noted(reply::empty(StatusCode::NO_CONTENT)))
}

/// The voice that something was done with, or why not.
pub fn done(outcome: OwnVoice) -> Result<vocalhost_store::ModelRecord, Problem> {
    match outcome {
        OwnVoice::Done(voice, _) => Ok(*voice),
        OwnVoice::Unknown => Err(Problem::RowNotFound),
        OwnVoice::NotOwn => Err(not_own()),
        OwnVoice::InTheMaking => Err(Problem::Conflict {
            code: "E_JOB_RUNNING",
            detail: "A job is still making this voice: cancel that.".to_owned(),
        }),
    }
}

fn not_own() -> Problem {
    Problem::Forbidden {
        detail: "This voice model is not your own.".to_owned(),
    }
}

fn is_form(headers: &HeaderMap) -> bool {
    let given = headers.get(CONTENT_TYPE);
    let given = given.and_then(|value| value.to_str().ok());
    given.is_some_and(|text| {
        text.trim_start()
            .to_ascii_lowercase()
            .starts_with("multipart/form-data")
    })
}

async fn of_json(
    api: &Api,
    (headers, body): (&HeaderMap, &mut Incoming),
    mistakes: &mut Vec<FieldError>,
) -> Result<Asked, Problem> {
    let given = read_json(headers, body, api.body_times()).await?;
    let mut fields = Fields::new(&given, &["title", "tags"]);
    let (title, tags) = (fields.text("title"), fields.texts("tags"));
    mistakes.append(&mut fields.mistakes);
    let change = OwnVoiceChange {
        title: model_form::title(title.as_deref(), mistakes),
        tags: tags.map(|tags| model_form::tags(tags.iter().map(String::as_str), mistakes)),
        ..OwnVoiceChange::default()
    };
    if mistakes.is_empty() && change == OwnVoiceChange::default() {
        mistakes.push(nothing("title and tags"));
    }
    Ok(Asked {
        change,
        ..Asked::default()
    })
}

async fn of_form(
    api: &Api,
    caller: &Caller,
    (headers, body): (&HeaderMap, &mut Incoming),
    mistakes: &mut Vec<FieldError>,
) -> Result<Asked, Problem> {
    let folder = api.settings.uploads_path();
    let rules = FormRules {
        files: &[model_form::IMAGE, model_form::DEMO],
        texts: &["title", "tags"],
        max_file_bytes: MAX_DEMO_BYTES,
        folder: &folder,
        times: api.body_times(),
    };
    let smaller = [(model_form::IMAGE, MAX_PICTURE_BYTES)];
    let mut form = read_form_within(headers, body, &rules, &smaller).await?;
    put_in(api, caller, &mut form, rules.max_file_bytes).await?;
    mistakes.append(&mut form.mistakes);
    let change = OwnVoiceChange {
        title: model_form::title(form.text("title"), mistakes),
        tags: model_form::form_tags(&form, mistakes),
        ..OwnVoiceChange::default()
    };
    let picture = model_form::picture(&mut form, mistakes).await?;
    let demo = model_form::demo(api, &mut form, mistakes).await?;
    let has_files = picture.is_some() || demo.is_some();
    if mistakes.is_empty() && change == OwnVoiceChange::default() && !has_files {
        mistakes.push(nothing("title, tags, imageFile and demoFile"));
    }
    Ok(Asked {
        change,
        picture,
        demo,
    })
}

fn nothing(fields: &str) -> FieldError {
    FieldError::new(
        "body",
        "required",
        format!("The body has some of {fields}."),
    )
}
