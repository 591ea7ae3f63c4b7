use serde_json::{Value, json};

use super::forms::toggle;
use crate::api::openapi::Description;
use crate::api::openapi::schema::{
    boolean, id, list as list_schema, named, nullable, object, says, string, url,
};
use crate::api::page::CATALOG_PAGES;

const TAG: &str = "Voice models";

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
