use hyper::StatusCode;
use serde_json::{Value, json};

use super::admin;
use crate::Api;
use crate::rules::audit::actor;
use crate::rules::noted::noted;
use crate::rules::page::list_reply;
use crate::rules::problem::{Problem, refuse};
use crate::rules::route::{Ask, Operation, Route};
use vocalhost_http::reply::{self, Reply};
use vocalhost_model::{Content, Manifest, Task, Voice};
use vocalhost_store::{Caller, Scope};
use vocalhost_system::clock;

/// What may be asked here.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        path: "/admin/packages",
        operations: &[Operation::get(
            "listPackages",
            "The model packages of the installation",
            super::shapes::packages::list,
        )
        .keyed(Scope::Admin, |api, ask, _| Box::pin(list(api, ask)))],
    },
    Route {
        path: "/admin/packages/{id}",
        operations: &[
            Operation::get(
                "getPackage",
                "One model package",
                super::shapes::packages::get,
            )
            .keyed(Scope::Admin, |api, ask, _| Box::pin(get(api, ask))),
            Operation::delete(
                "removePackage",
                "Remove a model package that was imported",
                super::shapes::packages::remove,
            )
            .keyed(Scope::Admin, |api, ask, caller| {
                Box::pin(remove(api, ask, caller))
            }),
        ],
    },
];

async fn list(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let asked = admin::asked(&ask.call)?;
    let models = api.library.current(clock::now_us()).await?;
    let page = asked.cut(models.packages()).into_iter();
    let data: Vec<Value> = page
        .map(|package| record(package.manifest(), api.library.used_for(&models, package)))
        .collect();
    let total = models.packages().len() as u64;
    Ok(list_reply(&ask.call, &asked, total, &data))
}

async fn get(api: &Api, ask: Ask<'_>) -> Result<Reply, Problem> {
    let models = api.library.current(clock::now_us()).await?;
    let package = models.find(ask.part("id")).ok_or(Problem::RowNotFound)?;
    let used_for = api.library.used_for(&models, package);
    let record = record(package.manifest(), used_for);
    Ok(reply::json(StatusCode::OK, &record))
}

async fn remove(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let mut mistakes = Vec::new();
    let forced = ask.call.query.toggle("force", &mut mistakes);
    refuse(mistakes)?;
    let actor = actor(&ask.call, caller);
    let removing = api
        .library
        .remove_package(ask.part("id"), forced, &actor, clock::now_us());
    removing.await?;
    Ok(noted(reply::empty(StatusCode::NO_CONTENT)))
}

/// The record of a package that jobs use for a task, or for none.
#[must_use]
pub fn record(manifest: &Manifest, used_for: Option<Task>) -> Value {
    let bytes: u64 = manifest.files.values().map(|file| file.bytes).sum();
    let task = manifest.separator.as_ref();
    json!({
        "packageId": manifest.id,
        "name": manifest.name,
        "version": manifest.version,
        "kind": manifest.kind.as_str(),
        "family": manifest.family,
        "task": task.map(|separator| separator.task.as_str()),
        "usedFor": used_for.map(Task::as_str),
        "stems": manifest.stems.as_ref().map(|stems| &stems.names),
        "members": manifest.ensemble.as_ref().map(|facts| &facts.members),
        "sampleRate": manifest.audio.sample_rate_hz,
        "nFft": manifest.stft.map(|stft| stft.n_fft),
        "listens": manifest.voice.as_ref().map(|voice| listens(manifest, voice)),
        "contentVectors": manifest.content.as_ref().map(content_vectors),
        "license": manifest.license,
        "attribution": manifest.attribution,
        "trainedOn": manifest.trained_on,
        "consent": manifest.consent,
        "sourceUrl": manifest.source_url,
        "created": manifest.created,
        "bytes": bytes,
    })
}

/// What a voice listens with, and what it was trained on.
fn listens(manifest: &Manifest, voice: &Voice) -> Value {
    let rvc = manifest.rvc.as_ref();
    json!({
        "content": voice.content,
        "f0": voice.f0,
        "hearsPitch": rvc.is_none_or(|rvc| rvc.f0),
        "version": rvc.map(|rvc| rvc.version),
        "contentLayer": rvc.map(|rvc| rvc.content_layer),
        "contentChannels": rvc.map_or(voice.content_dim, |rvc| rvc.content_dim),
        "speaker": voice.speaker,
        "indexRows": manifest.index.as_ref().map(|index| index.rows),
    })
}

/// The vectors that an encoder gives.
fn content_vectors(content: &Content) -> Vec<Value> {
    let vector =
        |channels: u32, layer: Option<u32>| json!({ "channels": channels, "layer": layer });
    if content.outputs.is_empty() {
        return vec![vector(content.dim, content.layer)];
    }
    let outputs = content.outputs.iter();
    outputs
        .map(|output| vector(output.dim, output.layer))
        .collect()
}
