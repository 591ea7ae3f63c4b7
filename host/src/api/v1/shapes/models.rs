use serde_json::{Value, json};

use super::forms::toggle;
use super::packages;
use crate::api::openapi::Description;
use crate::api::openapi::schema::{
    boolean, id, joined, list as list_schema, named, nullable, object, says, string, url,
};
use crate::api::page::CATALOG_PAGES;

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
    Description::of(TAG).gives(200, "The voice.", named("VoiceModel"))
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
        .says("Only of your own. What is not given stays as it is.")
        .json(json)
        .or_form(joined([texts, packages::beside()]))
        .gives(200, "The voice as it is now.", named("VoiceModel"))
        .refuses(429, "E_QUOTA_EXCEEDED")
}

/// `DELETE` of one.
pub fn remove() -> Description {
    Description::of(TAG)
        .says("Only your own. Jobs that wait for it fail.")
        .gives_nothing(204, "It is gone, with its files.")
        .refuses(409, "E_JOB_RUNNING")
}
