use serde_json::{Value, json};

use super::forms::toggle;
use super::packages;
use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    boolean, id, joined, list as list_schema, named, nullable, object, says, string, url,
};
use crate::rules::page::CATALOG_PAGES;

/// The tag of its operations.
pub const TAG: &str = "Voice models";

/// The record of a voice.
pub fn record() -> Value {
    object(json!({
        "id": id(),
        "title": string(),
        "tags": list_schema(string()),
        "imageUrl": nullable(url()),
        "demoUrl": nullable(url()),
        "twitterLink": nullable(string()),
        "instagramLink": nullable(string()),
        "tiktokLink": nullable(string()),
        "spotifyLink": nullable(string()),
        "youtubeLink": nullable(string()),
        "isUsable": says(boolean(), "Its package is whole, and a blend has succeeded."),
        "unusableReason": says(nullable(string()), "Why it cannot be used, if it cannot."),
    }))
}

/// What a voice may be used for, and by whose leave.
pub fn terms() -> Value {
    let of_a_package = || {
        object(json!({
            "license": says(string(), "An SPDX expression, or words."),
            "attribution": says(string(), "Who must be named."),
            "trainedOn": string(),
            "consent": says(string(), "How the owner of the voice agreed, or why nobody has to."),
            "sourceUrl": nullable(string()),
        }))
    };
    let share = json!({ "type": "number", "minimum": 0, "maximum": 1 });
    let source = object(json!({
        "packageId": string(),
        "name": string(),
        "version": string(),
        "share": says(share, "Its share in the blend."),
    }));
    let sources = list_schema(joined([source, of_a_package()]));
    let own = object(json!({
        "created": says(string(), "The day of its making."),
        "sources": says(sources, "Of a blend, the voices that it was made of."),
    }));
    joined([of_a_package(), own])
}

/// A voice with its terms.
pub fn with_terms() -> Value {
    joined([
        record(),
        object(json!({ "terms": nullable(named("Terms")) })),
    ])
}

/// `GET` of the collection.
pub fn list() -> Description {
    Description::of(TAG)
        .pages(&CATALOG_PAGES)
        .query("myModels", toggle(), "Only your own.")
        .query("instruments", toggle(), "Only instruments.")
        .query("q", string(), "Part of the title.")
        .query("tag", string(), "Only voices with this tag.")
        .gives_page_of(named("VoiceModel"))
}

/// `GET` of one.
pub fn get() -> Description {
    Description::of(TAG)
        .says("With the terms of its package, where that can be read.")
        .gives(200, "The voice.", named("VoiceModelWithTerms"))
}

/// `PATCH` of one.
pub fn change() -> Description {
    let mut json = object(json!({ "title?": packages::title(), "tags?": packages::tags() }));
    json["additionalProperties"] = json!(false);
    json["minProperties"] = json!(1);
    let texts = object(json!({
        "title?": packages::title(),
        "tags?": says(string(), "With commas between them; may be repeated."),
    }));
    Description::of(TAG)
        .says("Of your own, and with the scope `admin` of everybody's that were imported or blended. What is not given stays as it is.")
        .json(json)
        .or_form(joined([texts, packages::beside()]))
        .gives(200, "The voice as it is now.", named("VoiceModel"))
        .refuses(409, "E_MODEL_NOT_IMPORTED")
        .refuses(429, "E_QUOTA_EXCEEDED")
}

/// `DELETE` of one.
pub fn remove() -> Description {
    Description::of(TAG)
        .says("Only your own. Jobs that wait for it fail.")
        .gives_nothing(204, "It is gone, with its files.")
        .refuses(409, "E_JOB_RUNNING")
}
