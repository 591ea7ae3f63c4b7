use serde_json::{Value, json};

use super::{forms, job};
use crate::api::openapi::Description;
use crate::api::openapi::schema::{
    binary, choice, id, joined, list as list_schema, named, nullable, object, says, string,
    timestamp, url,
};
use crate::api::page::JOB_PAGES;

const VOCALS: &str = "Vocal separations";
const STEMS: &str = "Stem splits";

/// The record of a separation or a split.
pub fn record() -> Value {
    let first = object(json!({
        "id": id(),
        "createdAt": timestamp(),
        "type": choice(&["separate"]),
        "status": job::status(),
    }));
    let files = object(json!({
        "vocalAudioFileUrl": says(nullable(url()), "Everything sung or spoken, without loss."),
        "lossyVocalAudioFileUrl": says(nullable(url()), "Everything sung or spoken, as MP3."),
        "backingAudioFileUrl": says(nullable(url()), "The rest, without loss."),
        "stemFileUrls": list_schema(named("Stem")),
        "lossyStemFileUrls": says(list_schema(named("Stem")), "The same instruments in the same order."),
    }));
    let how = object(json!({
        "models": says(nullable(list_schema(string())), "The packages that took it apart."),
        "foldedFrom": says(nullable(id()), "Channels of the recording, when it had more than two."),
    }));
    joined([
        first,
        job::times(),
        files,
        job::progress(),
        job::outcome(),
        how,
    ])
}

/// A stem of a record.
pub fn stem() -> Value {
    object(json!({
        "instrument": choice(&["vocals", "harmony", "reverb", "backing", "drums", "bass", "other"]),
        "url": url(),
    }))
}

fn form() -> Value {
    object(json!({
        "inputFile": says(binary(), "wav, webm, mp3 or flac of at most 50 MB; its bytes say which."),
        "pre?": forms::chain_field("Effects on the mix."),
        "post?": forms::chain_field("Effects on each file."),
        "metadata?": forms::metadata(),
    }))
}

fn create(tag: &'static str) -> Description {
    Description::of(tag)
        .form(form())
        .makes(200, "The job is in the queue.", named("Separation"))
}

/// `GET /vocal-separations`.
pub fn list_vocals() -> Description {
    job::list_of(VOCALS, "Separation", &JOB_PAGES)
}

/// `POST /vocal-separations`.
pub fn create_vocals() -> Description {
    create(VOCALS)
}

/// `GET` of one separation.
pub fn get_vocals() -> Description {
    job::one_of(VOCALS, "Separation")
}

/// `GET /stem-splits`.
pub fn list_stems() -> Description {
    job::list_of(STEMS, "Separation", &JOB_PAGES)
}

/// `POST /stem-splits`.
pub fn create_stems() -> Description {
    create(STEMS)
}

/// `GET` of one split.
pub fn get_stems() -> Description {
    job::one_of(STEMS, "Separation")
}
