//! Model packages, and the form that models are imported with.

use serde_json::{Value, json};

use super::forms::toggle;
use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    binary, boolean, choice, joined, list as list_schema, map, named, nullable, object, says,
    string,
};
use crate::v1::admin::ADMIN_PAGES;
use crate::v1::model_form::MAX_TEXT_CHARACTERS;
use vocalhost_model::{MAX_TAG_CHARACTERS, MAX_TAGS, MAX_TITLE_CHARACTERS};

const TAG: &str = "Administration";

/// What a voice listens with.
fn listens() -> Value {
    let whole = || json!({ "type": "integer", "minimum": 0 });
    object(json!({
        "content": says(nullable(string()), "The package of its content encoder; null where it takes one that fits."),
        "f0": says(nullable(string()), "That of its F0 estimator, or `pyin`; null where it takes the one that is used."),
        "hearsPitch": boolean(),
        "version": says(nullable(string()), "The generation of RVC's architecture."),
        "contentLayer": says(nullable(whole()), "The layer of the encoder that a voice of RVC was trained on."),
        "contentChannels": whole(),
        "speaker": json!({ "type": "integer" }),
        "indexRows": says(nullable(whole()), "Vectors of its retrieval index."),
    }))
}

/// What an encoder gives.
fn content_vectors() -> Value {
    let whole = || json!({ "type": "integer", "minimum": 0 });
    list_schema(object(json!({
        "channels": whole(),
        "layer": says(nullable(whole()), "Null where it is told the layer, or has none to name."),
    })))
}

/// The record of a package.
pub fn record() -> Value {
    object(json!({
        "packageId": string(),
        "name": string(),
        "version": string(),
        "kind": choice(&["voice", "content", "f0", "separator", "speaker"]),
        "family": string(),
        "task": says(nullable(string()), "What a separator separates."),
        "usedFor": says(nullable(string()), "Its task, when jobs of that use it and no other separator."),
        "stems": says(nullable(list_schema(string())), "What its graph gives, in the graph's order; separators only."),
        "members": says(nullable(list_schema(string())), "The packages of an ensemble."),
        "sampleRate": json!({ "type": "integer", "minimum": 1 }),
        "nFft": says(nullable(json!({ "type": "integer" })), "Length of the transform that the host makes for it."),
        "listens": says(nullable(listens()), "What a voice listens with and was trained on."),
        "contentVectors": says(nullable(content_vectors()), "The vectors that a content encoder gives."),
        "license": string(),
        "attribution": string(),
        "trainedOn": string(),
        "consent": says(string(), "How the owner of a voice agreed."),
        "sourceUrl": nullable(string()),
        "created": says(string(), "The day of its making."),
        "bytes": json!({ "type": "integer", "minimum": 0 }),
    }))
}

fn found() -> Value {
    object(json!({ "found": says(list_schema(string()), "What was found, a sentence each.") }))
}

/// A voice that was just imported.
pub fn imported_voice() -> Value {
    let family = object(json!({ "family": string() }));
    joined([super::models::record(), family, found()])
}

/// What an administrator imported: a voice, or another model.
pub fn imported_model() -> Value {
    json!({ "anyOf": [named("ImportedVoiceModel"), named("ImportedPackage")] })
}

/// A model that is no voice and was just imported.
pub fn imported_package() -> Value {
    joined([record(), found()])
}

/// A title.
pub fn title() -> Value {
    json!({ "type": "string", "minLength": 1, "maxLength": MAX_TITLE_CHARACTERS })
}

/// Tags.
pub fn tags() -> Value {
    let mut tags = list_schema(json!({ "type": "string", "maxLength": MAX_TAG_CHARACTERS }));
    tags["maxItems"] = json!(MAX_TAGS);
    tags
}

/// The picture and the demo of a form.
pub fn beside() -> Value {
    object(json!({
        "imageFile?": says(binary(), "A picture: PNG, JPEG or WebP of at most 8 MB and 4,096 pixels a side."),
        "demoFile?": says(binary(), "A recording: wav, mp3 or flac of at most 20 MB."),
    }))
}

fn form() -> Value {
    let text = || json!({ "type": "string", "maxLength": MAX_TEXT_CHARACTERS });
    let own = object(json!({
        "modelFile": says(binary(), "A checkpoint, an ONNX graph, a package that was exported, or an archive (ZIP) with a checkpoint or graph and its index at most beside what is passed over; its bytes say which."),
        "indexFile?": says(binary(), "The retrieval index of a voice."),
        "modelFile2?": says(binary(), "What belongs to a model of several files: more graphs or checkpoints, weights of a graph, settings. Where several could be meant, each is known by the name that it comes with."),
        "modelFile3?": binary(),
        "modelFile4?": binary(),
        "modelFile5?": binary(),
        "modelFile6?": binary(),
        "modelFile7?": binary(),
        "modelFile8?": binary(),
        "title?": title(),
        "tags?": says(string(), "With commas between them; may be repeated."),
        "packageId?": says(text(), "The id of a package that is no voice."),
        "license?": text(),
        "attribution?": says(text(), "Who must be named."),
        "trainedOn?": text(),
        "consent?": says(text(), "How the owner of the voice agreed."),
        "sourceUrl?": text(),
        "answers?": says(map(string()), "What only a person can know of the model, by the names of the questions."),
    }));
    joined([own, beside()])
}

const ASYNCHRONY: &str = "The answer comes when the model was looked at and tried, after seconds, at most some minutes. \
     What is missing is asked for: 422 with rule `required`, the question in `message` and the answers in `args.allowed`. \
     An answer that cannot be is pointed out in the same way with rule `enum`, where the answers can be listed, or \
     `answer`; one that no such model has, with `exists`.";

/// `POST /voice-models`.
pub fn import_voice() -> Description {
    Description::of(super::models::TAG)
        .says(ASYNCHRONY)
        .form(form())
        .makes(201, "The voice, yours alone.", named("ImportedVoiceModel"))
}

/// `POST /admin/models`.
pub fn import_model() -> Description {
    Description::of(TAG)
        .says(ASYNCHRONY)
        .form(form())
        .makes(201, "The model, everybody's.", named("ImportedModel"))
        .refuses(409, "E_MODEL_ID_TAKEN")
}

fn one() -> Description {
    Description::of(TAG).part("id", says(string(), "The package's id."))
}

/// `GET /admin/packages`.
pub fn list() -> Description {
    Description::of(TAG)
        .pages(&ADMIN_PAGES)
        .gives_page_of(named("Package"))
}

/// `GET /admin/packages/{id}`.
pub fn get() -> Description {
    one().gives(200, "The package.", named("Package"))
}

/// `DELETE /admin/packages/{id}`.
pub fn remove() -> Description {
    one()
        .says("One that other models need stays unless `force` says otherwise: they cannot be used without it.")
        .query("force", toggle(), "Remove it although others need it.")
        .gives_nothing(204, "It is gone.")
        .refuses(409, "E_MODEL_NOT_IMPORTED")
        .refuses(409, "E_MODEL_NEEDED")
}
