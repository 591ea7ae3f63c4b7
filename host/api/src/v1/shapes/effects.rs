use serde_json::{Value, json};

use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    boolean, choice, digest, integer, list as list_schema, map, named, nullable, number, object,
    says, string,
};
use crate::v1::effects::EFFECT_PAGES;

/// The record of an effect.
pub fn record() -> Value {
    let setting = json!({ "type": ["number", "boolean", "string"] });
    object(json!({
        "id": says(string(), "Stable and globally unique."),
        "name": string(),
        "version": string(),
        "vendor": string(),
        "summary": string(),
        "tags": list_schema(string()),
        "layouts": says(
            list_schema(object(json!({ "inputs": integer(), "outputs": integer() }))),
            "Channels in and out, best first; none for any number of channels.",
        ),
        "parameters": list_schema(parameter()),
        "presets": list_schema(object(json!({
            "id": string(),
            "name": string(),
            "settings": map(setting),
        }))),
        "alias": says(nullable(string()), "Its short name in `pre` and `post`."),
        "digest": says(digest(), "SHA-256 of its component."),
    }))
}

fn parameter() -> Value {
    let option = object(json!({ "id": string(), "name": string() }));
    object(json!({
        "id": string(),
        "name": string(),
        "group": string(),
        "summary": string(),
        "type": choice(&["number", "toggle", "choice"]),
        "default": json!({ "type": ["number", "boolean", "string"] }),
        "min?": number(),
        "max?": number(),
        "step?": says(number(), "Distance between values, from the smallest on; 0 is continuous."),
        "unit?": string(),
        "scale?": choice(&["linear", "logarithmic"]),
        "options?": list_schema(option),
        "advanced": boolean(),
    }))
}

/// `GET /effects/{id}/component`.
pub fn component() -> Description {
    let name = "Its id, its id and version (`org.example.echo@1.0.0`), or its short name.";
    Description::of("Effects")
        .says("What a job runs. Other hosts of the interface run it, too; the console does, for its preview.")
        .part("id", says(string(), name))
        .header(
            "If-None-Match",
            string(),
            "Nothing is sent when it still is this one.",
        )
        .gives_bytes(200, "The WebAssembly component.", &["application/wasm"])
        .with_header("ETag", "The SHA-256 of the component.")
        .with_header("Cache-Control", "It has to be asked for anew.")
        .gives_nothing(304, "It still is the one that you have.")
        .refuses(404, "E_ROW_NOT_FOUND")
}

/// `GET` of the collection.
pub fn list() -> Description {
    Description::of("Effects")
        .pages(&EFFECT_PAGES)
        .gives_page_of(named("Effect"))
}
