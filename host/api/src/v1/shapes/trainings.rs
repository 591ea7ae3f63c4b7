use serde_json::{Value, json};

use super::conversions::CLEAN_STEPS;
use super::{forms, job};
use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    binary, boolean, choice, digest, id, integer, integer_in, joined, list as list_schema, named,
    nullable, number, object, or, says, string, timestamp, url,
};
use crate::rules::page::JOB_PAGES;
use vocalhost_audio::InputFormat;
use vocalhost_config::Training;
use vocalhost_job::{By, Preset, TrainingSpec};

/// The tag of its operations.
pub const TAG: &str = "Voice trainings";

/// The record of a training.
pub fn record() -> Value {
    let first = object(json!({
        "id": id(),
        "createdAt": timestamp(),
        "title": string(),
        "tags": list_schema(string()),
        "base": says(base(), "The voice that it was asked to start from."),
        "preset": preset(),
        "seed": says(integer_in(0, (1 << 53) - 1), "The same recordings, parameters and seed give the same voice."),
        "isolateVocals": says(boolean(), "Whether the voice is what is sung in the recordings."),
        "clean": says(list_schema(choice(&CLEAN_STEPS)), "What was to be taken out of them first, in this order."),
        "status": job::status(),
    }));
    let output = object(json!({
        "outputModelId": says(id(), "The voice that it makes; usable from `success` on, gone when the job ends otherwise."),
    }));
    let training = object(json!({
        "step": says(integer(), "Steps that have been taken."),
        "steps": says(integer(), "Steps to take at most: a training that gets no better ends before."),
        "loss": says(nullable(number()), "How far what the voice draws is from the recordings, in nepers; null before it has begun."),
        "heldOutLoss": says(nullable(number()), "The same of stretches that nothing is learned from."),
        "etaSeconds": says(nullable(number()), "How long the rest takes at this pace."),
        "curve": says(list_schema(named("TrainingPoint")), "Every ten steps."),
        "tests": says(list_schema(named("TrainingTest")), "What the voice sounds like, after the first checkpoint and every hundred steps; of a job that fails or is cancelled they go."),
        "recordings": list_schema(named("TrainingRecording")),
        "keepRecordings": boolean(),
        "consent": declared(),
        "review": says(boolean(), "Whether nobody can use the voice before an operator has enabled it."),
    }));
    let how = object(json!({
        "provider": nullable(string()),
        "models": says(nullable(list_schema(string())), "The ids of the packages that ran, the voice that it started from among them."),
        "modelsUsed": nullable(list_schema(named("ModelUsed"))),
        "warnings": job::warnings(),
    }));
    joined([first, job::times(), output, training, job::progress(), how])
}

/// A point of a training's curve.
pub fn point() -> Value {
    object(json!({
        "step": integer(),
        "loss": number(),
        "heldOutLoss": nullable(number()),
    }))
}

/// A test of a voice in training.
pub fn test() -> Value {
    object(json!({ "step": integer(), "url": url() }))
}

/// A recording that a voice is trained on.
pub fn recording() -> Value {
    object(json!({
        "name": says(string(), "As its file was called."),
        "format": format(),
        "bytes": integer(),
        "seconds": says(nullable(number()), "Null where only decoding all of it would tell."),
        "sha256": digest(),
    }))
}

fn base() -> Value {
    json!({ "anyOf": [choice(&["auto"]), id()] })
}

fn preset() -> Value {
    choice(&Preset::ALL.map(Preset::as_str))
}

fn by() -> Value {
    choice(&By::ALL.map(By::as_str))
}

fn format() -> Value {
    let all = [
        InputFormat::Wav,
        InputFormat::Mp3,
        InputFormat::Flac,
        InputFormat::Webm,
    ];
    choice(&all.map(InputFormat::as_str))
}

/// What was declared about a voice.
fn declared() -> Value {
    object(json!({
        "version": says(integer(), "The version of the statement."),
        "statement": string(),
        "by": by(),
        "name": nullable(string()),
        "spoken": says(nullable(string()), "The number that was to be said, where the consent came as a recording, too."),
    }))
}

fn form() -> Value {
    let consent = object(json!({
        "statement": says(string(), "The statement of `GET /voice-trainings/consent`, word for word."),
        "by": says(by(), "Whose declaration it is: `self`, it is your own voice; `owner-agreed`, the person whose voice it is has agreed; `licence`, the recordings are under a licence that allows it."),
        "name?": says(nullable(string()), "Whose voice it is."),
        "token?": says(nullable(string()), "The token of the sentence that `consentRecording` says."),
    }));
    let files = json!({
        "type": "array", "items": binary(), "minItems": 1, "maxItems": TrainingSpec::MAX_RECORDINGS,
    });
    object(json!({
        "soundFile": says(files, "Recordings of the voice alone, each wav, mp3, flac or webm of at most 100 MB, or `upload:` and the id of an upload. A minute of sound is enough; of more than the operator allows, 20 minutes by default, only the first are used."),
        "title": json!({ "type": "string", "maxLength": 200 }),
        "tags?": list_schema(string()),
        "base?": says(or(base(), "auto"), "The number of the voice to start from, or `auto`: the nearest of those that come with the server."),
        "preset?": says(or(preset(), "quick"), "How long it is trained: 100, 300 or 1,000 steps."),
        "seed?": says(or(json!({ "type": "integer", "minimum": 0 }), 0), "Up to 2^53 - 1."),
        "isolateVocals?": says(forms::toggle(), "The recordings are songs: the voice is what is sung in them."),
        "clean?": says(list_schema(choice(&CLEAN_STEPS)), "What is taken out of the voice first: `lead` the voices behind it, `dereverb` its room, `deecho` its echo, `denoise` noise; in this order. A list with commas is fine, too. A step for which no model is installed is refused."),
        "consent": says(consent, "What you declare about the voice; kept in its package, its terms and the audit log, and in those of blends of it."),
        "consentRecording?": says(binary(), "The sentence of `GET /voice-trainings/consent`, said by the person whose voice it is within ten minutes, or `upload:` and the id of an upload. It is compared with the recordings by a speaker encoder; what is said is not transcribed. Some servers ask for it."),
        "keepRecordings?": says(forms::toggle(), "Whether the recordings are kept as long as those of other jobs; they are deleted with the job's success otherwise."),
        "metadata?": forms::metadata(),
        "priority?": forms::priority(),
        "webhookUrl?": forms::webhook_url(),
    }))
}

/// `GET` of the collection.
pub fn list() -> Description {
    job::list_of(TAG, "VoiceTraining", &JOB_PAGES)
}

/// `POST`.
pub fn create() -> Description {
    job::may_wait(Description::of(TAG))
        .says("The voice has its number at once, can be used once the job has succeeded, and belongs to you alone. Only where the operator has switched it on; see `GET /voice-trainings/consent`.")
        .form(form())
        .makes(200, "The job is in the queue.", named("VoiceTraining"))
}

/// The consent, to be said.
fn to_say() -> Value {
    object(json!({
        "required": says(boolean(), "Whether a training needs it."),
        "sentence": says(string(), "What the person whose voice it is says in `consentRecording`: another one each time."),
        "number": says(string(), "Its number, four digits."),
        "token": says(string(), "To be sent with the recording, as `consent.token`."),
        "expiresAt": says(timestamp(), "Until when."),
    }))
}

/// `GET` of the consent.
pub fn consent() -> Description {
    let training = choice(&Training::ALL.map(Training::as_str));
    let record = object(json!({
        "version": integer(),
        "statement": says(string(), "To be shown to whoever declares it, and sent back word for word."),
        "by": says(list_schema(by()), "What a declaration can be founded on."),
        "training": says(training, "Who may train voices on this server."),
        "allowed": says(boolean(), "Whether you may."),
        "spoken": to_say(),
    }));
    Description::of(TAG).gives(200, "The statement.", record)
}
