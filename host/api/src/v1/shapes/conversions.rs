use serde_json::{Value, json};

use super::{forms, job};
use crate::openapi::Description;
use crate::openapi::schema::{
    binary, boolean, choice, id, integer_in, joined, named, nullable, number, number_in, object,
    or, says, timestamp, url,
};
use crate::page::JOB_PAGES;

/// The tag of its operations.
pub const TAG: &str = "Voice conversions";

/// The record of a conversion.
pub fn record() -> Value {
    let first = object(json!({
        "id": id(),
        "createdAt": timestamp(),
        "type": choice(&["infer"]),
        "voiceModelId": id(),
        "status": job::status(),
    }));
    let voice = says(
        named("VoiceModel"),
        "The voice as it is now; one that is gone has its number, the title that it had, and nothing else.",
    );
    let more = object(json!({
        "outputFileUrl": says(nullable(url()), "The converted voice without loss."),
        "lossyOutputFileUrl": says(nullable(url()), "The converted voice as MP3."),
        "recombinedAudioFileUrl": says(nullable(url()), "The converted voice over its backing, when one was given."),
        "model": voice,
        "conversionStrength": number_in(0.0, 1.0),
        "modelVolumeMix": number_in(0.0, 1.0),
        "pitchShift": number(),
        "autoPitch": boolean(),
        "suggestedPitchShift": says(
            nullable(number()),
            "Semitones that bring the recording into the voice's register: octaves or fifths. Null until it is heard, and where it cannot be told.",
        ),
        "seed": says(integer_in(0, (1 << 53) - 1), "The same request and seed give the same samples."),
    }));
    joined([
        first,
        job::times(),
        more,
        job::progress(),
        job::outcome(),
        job::output(),
    ])
}

fn form() -> Value {
    let own = object(json!({
        "voiceModelId": id(),
        "soundFile": says(binary(), "wav, mp3 or flac of at most 100 MB; its bytes say which."),
        "backingSoundFile?": says(binary(), "Goes under the converted voice; formats and size as of `soundFile`."),
        "conversionStrength?": says(or(number_in(0.0, 1.0), 0.5), "How much of the model's accent is taken."),
        "modelVolumeMix?": says(or(number_in(0.0, 1.0), 0.5), "0 keeps the input's dynamics, 1 takes the model's loudness."),
        "pitchShift?": says(or(number_in(-24.0, 24.0), 0), "In semitones; fractions are fine."),
        "autoPitch?": says(or(boolean(), false), "Moves the pitch into the voice's register as well, by `suggestedPitchShift`."),
        "seed?": says(or(json!({ "type": "integer", "minimum": 0 }), 0), "Up to 2^53 - 1."),
        "pre?": forms::chain_field("Effects on the input."),
        "post?": forms::chain_field("Effects on the output."),
        "metadata?": forms::metadata(),
        "priority?": forms::priority(),
        "webhookUrl?": forms::webhook_url(),
    }));
    joined([own, forms::output()])
}

/// `GET` of the collection.
pub fn list() -> Description {
    job::list_of(TAG, "VoiceConversion", &JOB_PAGES)
}

/// `POST`.
pub fn create() -> Description {
    job::may_wait(Description::of(TAG)).form(form()).makes(
        201,
        "The job is in the queue.",
        named("VoiceConversion"),
    )
}
