use serde_json::{Value, json};

use super::{forms, job};
use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    binary, choice, id, joined, list as list_schema, named, nullable, object, says, timestamp, url,
};
use crate::rules::page::JOB_PAGES;

/// The tag of its operations.
pub const VOCALS: &str = "Vocal separations";
/// The tag of its operations.
pub const STEMS: &str = "Stem splits";

/// Every stem that a separation or a split may have.
const STEM_NAMES: [&str; 7] = [
    "vocals", "harmony", "reverb", "backing", "drums", "bass", "other",
];

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
        "foldedFrom": says(nullable(id()), "Channels of the recording, when it had more than two."),
        "stems": says(nullable(list_schema(choice(&STEM_NAMES))), "Those that were asked for; null for all."),
    }));
    joined([
        first,
        job::times(),
        files,
        job::progress(),
        job::outcome(),
        how,
        job::output(),
    ])
}

/// A stem of a record.
pub fn stem() -> Value {
    object(json!({
        "instrument": choice(&STEM_NAMES),
        "url": url(),
    }))
}

fn form(stems: &[&str]) -> Value {
    let own = object(json!({
        "inputFile": says(binary(), "wav, webm, mp3 or flac of at most 50 MB; its bytes say which."),
        "pre?": forms::chain_field("Effects on the mix."),
        "post?": forms::chain_field("Effects on each file."),
        "strictInput?": forms::strict_input(),
        "metadata?": forms::metadata(),
        "priority?": forms::priority(),
        "webhookUrl?": forms::webhook_url(),
        "stems?": says(list_schema(choice(stems)), "Which stems to make; all without it."),
    }));
    joined([own, forms::output()])
}

fn create(tag: &'static str, stems: &[&str]) -> Description {
    job::may_wait(Description::of(tag)).form(form(stems)).makes(
        200,
        "The job is in the queue.",
        named("Separation"),
    )
}

/// `GET /vocal-separations`.
pub fn list_vocals() -> Description {
    job::list_of(VOCALS, "Separation", &JOB_PAGES)
}

/// `POST /vocal-separations`.
pub fn create_vocals() -> Description {
    create(VOCALS, &["vocals", "harmony", "reverb", "backing"])
}

/// `GET /stem-splits`.
pub fn list_stems() -> Description {
    job::list_of(STEMS, "Separation", &JOB_PAGES)
}

/// `POST /stem-splits`.
pub fn create_stems() -> Description {
    create(STEMS, &["vocals", "drums", "bass", "other", "backing"])
}
