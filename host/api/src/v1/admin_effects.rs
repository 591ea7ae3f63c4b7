use std::str::FromStr;

use hyper::StatusCode;
use serde_json::{Map, Value, json};

use super::effects::{EFFECT_PAGES, plain_name, record};
use super::job_record::done_before;
use super::timestamp::timestamp;
use crate::Api;
use crate::rules::created::locate;
use crate::rules::mistakes::{no_number, no_toggle};
use crate::rules::page::{PageRequest, list_reply};
use crate::rules::problem::{FieldError, Problem};
use crate::rules::route::{Ask, Class, Operation, Route};
use vocalhost_catalogues::shelf::{InstallRequest, ListedEffect, Shelf};
use vocalhost_effects::EffectLimits;
use vocalhost_http::fingerprint::Fingerprint;
use vocalhost_http::query::Query;
use vocalhost_http::reply::{self, Reply};
use vocalhost_http::small_body::{FileRules, read_file};
use vocalhost_store::{Caller, EffectChange, EffectKey, EffectOverrides, Scope, SignedBy};
use vocalhost_system::clock;

/// The fields of a change. Another one is refused: a misspelt `enabled` must not look as if the effect were off.
const CHANGEABLE: [&str; 3] = ["enabled", "memoryBytes", "workPerAudio"];

/// What may be asked here.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        path: "/admin/effects",
        operations: &[
            Operation::get(
                "listInstalledEffects",
                "Every effect, disabled ones too",
                super::shapes::admin_effects::list,
            )
            .keyed(Scope::Admin, |api, ask, _| Box::pin(list(api, ask))),
            Operation::post(
                "installEffect",
                "Install an effect",
                super::shapes::admin_effects::install,
            )
            .counts_as(Class::Creation)
            .keyed(Scope::Admin, |api, ask, caller| {
                Box::pin(install(api, ask, caller))
            }),
        ],
    },
    Route {
        path: "/admin/effects/{id}",
        operations: &[
            Operation::get(
                "getInstalledEffect",
                "One effect",
                super::shapes::admin_effects::get,
            )
            .keyed(Scope::Admin, |api, ask, _| Box::pin(get(api, ask))),
            Operation::patch(
                "changeInstalledEffect",
                "Enable, disable or limit an effect",
                super::shapes::admin_effects::change,
            )
            .keyed(Scope::Admin, |api, ask, _| Box::pin(change(api, ask))),
            Operation::delete(
                "removeInstalledEffect",
                "Remove an effect",
                super::shapes::admin_effects::remove,
            )
            .keyed(Scope::Admin, |api, ask, _| Box::pin(remove(api, ask))),
        ],
    },
];

/// `GET /admin/effects`: every effect, disabled ones too.
async fn list(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let asked = PageRequest::of(&ask.call, &EFFECT_PAGES)?;
    let listing = api.shelf.current().await?;
    let keys = api.shelf.keys().await?;
    let page = asked.cut(listing.all()).into_iter();
    let data: Vec<Value> = page
        .map(|effect| admin_record((&api.shelf, &keys), effect))
        .collect();
    Ok(list_reply(
        &ask.call,
        &asked,
        listing.all().len() as u64,
        &data,
    ))
}

/// `GET /admin/effects/{name}`; without a version the newest one.
async fn get(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let listing = api.shelf.current().await?;
    let effect = listing.look_up(&plain_name(ask.part("id")))?;
    answer(api, StatusCode::OK, effect).await
}

/// `POST /admin/effects`: installs the component that the body is. The query may give it limits of its own, for an
/// effect that does not start under the settings' limits, and may say that it is trusted although its id belongs to
/// somebody's key.
async fn install(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let (overrides, is_trusted) = asked_of(&ask.call.query)?;
    let folder = api.settings.uploads_path();
    let rules = FileRules {
        media_type: "application/wasm",
        max_bytes: EffectLimits::default().component_bytes as u64,
        folder: &folder,
        times: api.body_times(),
    };
    let upload = read_file(&ask.head.headers, ask.body, &rules).await?;
    let asked = Fingerprint::of_file(&format!("{} {overrides:?} {is_trusted}", upload.sha256));
    if let Some(answer) = done_before(api, &ask.call, &asked).await? {
        return Ok(answer);
    }
    let request = InstallRequest {
        component: upload.path(),
        overrides,
        signed: SignedBy {
            key: None,
            is_trusted,
        },
        installed_by: Some(&caller.user_name),
    };
    let installed = api.shelf.install(&request, clock::now_us()).await?;
    let status = if installed.is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    let mut reply = answer(api, status, &installed.effect).await?;
    let address = format!("{}/{}", ask.call.address, installed.effect.full_name());
    locate(&mut reply, &address);
    Ok(reply)
}

/// `PATCH /admin/effects/{name}`: `enabled`, `memoryBytes`, `workPerAudio`; a limit of `null` is the settings' again.
async fn change(api: &Api, mut ask: Ask<'_>) -> Result<Reply, Problem> {
    let fields = ask.json(api).await?;
    let change = change_of(&fields)?;
    let changed = api
        .shelf
        .change(&plain_name(ask.part("id")), &change)
        .await?;
    answer(api, StatusCode::OK, &changed).await
}

/// `DELETE /admin/effects/{name}`: jobs that were accepted keep the effect until they have ended.
async fn remove(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let name = plain_name(ask.part("id"));
    api.shelf.remove(&name, clock::now_us()).await?;
    Ok(reply::empty(StatusCode::NO_CONTENT))
}

/// The record of an effect with what is an operator's business; `keys` are those that ids belong to.
#[must_use]
pub fn admin_record((shelf, keys): (&Shelf, &[EffectKey]), effect: &ListedEffect) -> Value {
    let id = &effect.descriptor.id;
    let owner = keys.iter().find(|key| key.effect_id == *id);
    let stored = &effect.record;
    let overrides = &stored.effect.overrides;
    let (memory_bytes, work_per_audio) = shelf.limits(overrides);
    let mut record = record(effect);
    record["enabled"] = json!(stored.enabled);
    record["origin"] = json!(stored.origin.as_str());
    record["bytes"] = json!(stored.effect.bytes);
    record["limits"] = json!({ "memoryBytes": memory_bytes, "workPerAudio": work_per_audio });
    record["overrides"] = json!({
        "memoryBytes": overrides.memory_bytes,
        "workPerAudio": overrides.work_per_audio,
    });
    record["installedAt"] = json!(timestamp(stored.installed_at_us));
    record["installedBy"] = json!(stored.installed_by);
    record["publicKey"] = json!(owner.map(|owner| &owner.public_key));
    record
}

async fn answer(api: &Api, status: StatusCode, effect: &ListedEffect) -> Result<Reply, Problem> {
    let keys = api.shelf.keys().await?;
    let record = admin_record((&api.shelf, &keys), effect);
    Ok(reply::json(status, &record))
}

/// The limits that the effect is to have, and whether it is trusted.
fn asked_of(query: &Query) -> Result<(EffectOverrides, bool), Problem> {
    let mut mistakes = Vec::new();
    let overrides = EffectOverrides {
        memory_bytes: read_limit(query, "memoryBytes", |_| true, &mut mistakes),
        work_per_audio: read_limit(
            query,
            "workPerAudio",
            |work| f64::is_finite(*work),
            &mut mistakes,
        ),
    };
    let is_trusted = query.toggle("trust", &mut mistakes);
    if mistakes.is_empty() {
        Ok((overrides, is_trusted))
    } else {
        Err(Problem::Invalid(mistakes))
    }
}

fn read_limit<T: FromStr>(
    query: &Query,
    name: &'static str,
    is_sound: fn(&T) -> bool,
    mistakes: &mut Vec<FieldError>,
) -> Option<T> {
    let text = query.get(name)?;
    let limit = text.parse().ok().filter(is_sound);
    if limit.is_none() {
        mistakes.push(no_number(name));
    }
    limit
}

fn change_of(fields: &Map<String, Value>) -> Result<EffectChange, Problem> {
    let mut change = EffectChange::default();
    let mut mistakes: Vec<FieldError> = fields
        .keys()
        .filter(|name| !CHANGEABLE.contains(&name.as_str()))
        .map(|name| {
            let message = format!(
                "There is no such field: a change has {}.",
                CHANGEABLE.join(", ")
            );
            FieldError::new(name.as_str(), "exists", message)
        })
        .collect();
    if fields.is_empty() {
        let message = format!(
            "The change is empty: it has some of {}.",
            CHANGEABLE.join(", ")
        );
        mistakes.push(FieldError::new("body", "required", message));
    }
    match fields.get("enabled") {
        None => {}
        Some(Value::Bool(enabled)) => change.enabled = Some(*enabled),
        Some(_) => {
            mistakes.push(no_toggle("enabled"));
        }
    }
    match fields.get("memoryBytes") {
        None => {}
        Some(Value::Null) => change.memory_bytes = Some(None),
        Some(value) => match whole(value) {
            Some(bytes) => change.memory_bytes = Some(Some(bytes)),
            None => mistakes.push(no_number("memoryBytes")),
        },
    }
    match fields.get("workPerAudio") {
        None => {}
        Some(Value::Null) => change.work_per_audio = Some(None),
        Some(value) => match value.as_f64() {
            Some(work) => change.work_per_audio = Some(Some(work)),
            None => mistakes.push(no_number("workPerAudio")),
        },
    }
    if mistakes.is_empty() {
        Ok(change)
    } else {
        Err(Problem::Invalid(mistakes))
    }
}

/// A number of bytes, also when it is written as `1e8`.
fn whole(value: &Value) -> Option<u64> {
    let is_whole = |number: &f64| number.fract() == 0.0 && (0.0..1e15).contains(number);
    value
        .as_u64()
        .or_else(|| value.as_f64().filter(is_whole).map(|number| number as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_set_taken_back_or_left_alone() {
        let change = |value: Value| {
            let Value::Object(fields) = value else {
                panic!("an object");
            };
            change_of(&fields)
        };
        for wrong in [json!({}), json!({ "enable": false })] {
            assert!(
                matches!(change(wrong), Err(Problem::Invalid(mistakes)) if mistakes.len() == 1)
            );
        }
        let both = change(json!({ "memoryBytes": null, "workPerAudio": 2, "enabled": false }));
        assert_eq!(
            both,
            Ok(EffectChange {
                enabled: Some(false),
                memory_bytes: Some(None),
                work_per_audio: Some(Some(2.0)),
            })
        );
        let Err(Problem::Invalid(mistakes)) =
            change(json!({ "enabled": "no", "memoryBytes": "1", "workPerAudio": [] }))
        else {
            panic!("three mistakes");
        };
        assert_eq!(mistakes.len(), 3);
    }
}
