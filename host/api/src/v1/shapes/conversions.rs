use serde_json::{Value, json};

use super::{forms, job};
use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    binary, boolean, choice, id, integer_in, joined, list as list_schema, named, nullable, number,
    number_in, object, or, says, string, timestamp, url,
};
use crate::rules::page::JOB_PAGES;

/// The words of `clean`.
pub const CLEAN_STEPS: [&str; 4] = ["lead", "dereverb", "deecho", "denoise"];

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
        "recombinedAudioFileUrl": says(nullable(url()), "The converted voice over its backing, when one was given, or over the rest of the song with `isolateVocals`."),
        "vocalAudioFileUrl": says(nullable(url()), "With `isolateVocals`: what was sung, as it was; with `clean=lead` without the voices behind the lead."),
        "lossyVocalAudioFileUrl": says(nullable(url()), "The same as MP3."),
        "backingAudioFileUrl": says(nullable(url()), "With `isolateVocals`: the rest, which with `clean=lead` has the voices behind the lead."),
        "stemFileUrls": says(list_schema(named("Stem")), "With `isolateVocals`: the same two, as a separation lists them."),
        "lossyStemFileUrls": says(list_schema(named("Stem")), "The same as MP3."),
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
        "isolateVocals": boolean(),
        "clean": says(list_schema(choice(&CLEAN_STEPS)), "What was to be taken out of the voice first, in this order."),
        "f0Method": says(string(), "`auto`, `pyin` or the id of the F0 estimator that was asked for."),
        "protect": says(nullable(number_in(0.0, 0.5)), "Null is as the voice says."),
        "speakerId": says(nullable(json!({ "type": "integer", "minimum": 0 })), "Null is as the voice says."),
        "silenceGate": says(nullable(boolean()), "Null is the way of the voice's family."),
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
    }));
    joined([own, settings()])
}

/// What may be said of a conversion beside its voice and its recording.
pub fn settings() -> Value {
    let own = object(json!({
        "conversionStrength?": says(or(number_in(0.0, 1.0), 0.5), "How much of the model's accent is taken."),
        "modelVolumeMix?": says(or(number_in(0.0, 1.0), 0.5), "0 keeps the input's dynamics, 1 takes the model's loudness."),
        "pitchShift?": says(or(number_in(-24.0, 24.0), 0), "In semitones; fractions are fine."),
        "autoPitch?": says(or(boolean(), false), "Moves the pitch into the voice's register as well, by `suggestedPitchShift`."),
        "seed?": says(or(json!({ "type": "integer", "minimum": 0 }), 0), "Up to 2^53 - 1."),
        "isolateVocals?": says(forms::toggle(), "Whether what is sung is taken out of the recording, converted, and put over the rest of it again; `pre` and `post` act on the voice alone. Not together with `backingSoundFile`."),
        "clean?": says(list_schema(choice(&CLEAN_STEPS)), "What is taken out of the voice before it is converted, and before `pre`: `lead` the voices behind the lead, `dereverb` its room, `deecho` its echo, `denoise` noise; in this order, whatever the order here. A list with commas is fine, too. With `isolateVocals` the voices behind the lead stay in the backing; everything else that is taken out is dropped. A step for which no model is installed is refused."),
        "f0Method?": says(or(string(), "auto"), "How the pitch is found: `auto` as the voice says, `pyin`, which needs no model, or the id of an installed F0 estimator."),
        "protect?": says(number_in(0.0, 0.5), "Of voices of RVC: how much of what retrieval changed reaches unvoiced frames; 0.5 protects nothing. As the voice says without it."),
        "speakerId?": says(json!({ "type": "integer", "minimum": 0 }), "Of voices of RVC: number of the speaker. As the voice says without it."),
        "silenceGate?": says(boolean(), "Whether the voice is shut off where the recording is silent. Without it voices of RVC are not, as in RVC, and others are."),
        "pre?": forms::chain_field("Effects on the input."),
        "post?": forms::chain_field("Effects on the output."),
        "strictInput?": forms::strict_input(),
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
