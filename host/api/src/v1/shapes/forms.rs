use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::rules::describe::schema::{
    boolean, choice, integer_in, map, named, nullable, number_in, object, or, says, string, url,
};
use vocalhost_job::{LossyFiles, OutputFormat};

/// The client's own notes, as a field of a request.
pub fn metadata() -> Value {
    let text = json!({ "type": "string", "maxLength": 512 });
    let mut pairs = map(text);
    pairs["maxProperties"] = json!(16);
    pairs["propertyNames"] = json!({ "maxLength": 64 });
    says(
        nullable(pairs),
        "Your own notes, which every record of the job repeats.",
    )
}

/// Whose turn comes first among a user's own jobs.
pub fn priority() -> Value {
    says(
        or(integer_in(-10, 10), 0),
        "Your jobs of a higher one go first.",
    )
}

/// What the files of a result are to be.
pub fn output() -> Value {
    let formats = OutputFormat::ALL.map(OutputFormat::as_str);
    let all = OutputFormat::ALL.into_iter();
    let bitrates: BTreeSet<u32> = all.flat_map(OutputFormat::bitrates_kbps).copied().collect();
    object(json!({
        "outputFormat?": says(or(choice(&formats), "wav24"), "What the main files are; the MP3 goes along."),
        "outputLoudness?": says(number_in(-40.0, -5.0), "In LUFS (ITU-R BS.1770): what the result is brought to, as far as no true peak comes over -1 dBTP. Stems share one gain, by which they add up to that."),
        "lossy?": says(choice(&LossyFiles::ALL.map(LossyFiles::as_str)), "When the MP3 that goes along with each main file is made: with the job, or when it is first asked for. As the server is set without it; always with the job where the main files are lossy themselves."),
        "outputBitrate?": says(json!({ "enum": bitrates }), "In kbit/s, for `mp3` and `opus`, each with some of these."),
    }))
}

/// Whether the recording must be whole.
pub fn strict_input() -> Value {
    let text = "Whether a recording that is cut or damaged is refused; it is heard as far as it goes otherwise, and the record has `warnings`.";
    says(toggle(), text)
}

/// Where the end of a job is told.
pub fn webhook_url() -> Value {
    let text = "Where the job's end is told, beside your webhooks; http or https, and not inside a private network.";
    says(url(), text)
}

/// `pre` or `post` of a form.
pub fn chain_field(what: &str) -> Value {
    says(json!({ "anyOf": [named("Chain")] }), what)
}

/// A chain in any of its forms, as JSON text. Bracket fields and bare names, which forms know too, have no schema. Every form of an
/// object has a name, which generators of clients make a type of.
pub fn chain() -> Value {
    let none = json!({ "type": "null" });
    json!({ "anyOf": [named("EffectsByName"), named("EffectList"), named("SavedChain"), none] })
}

/// The form that names effects in a set order.
pub fn effects_by_name() -> Value {
    let gate = json!({
        "threshold_db?": or(number_in(-100.0, 0.0), -100.0),
        "ratio?": or(number_in(1.0, 100.0), 10.0),
        "attack_ms?": or(number_in(0.0, 5_000.0), 1.0),
        "release_ms?": or(number_in(0.0, 5_000.0), 100.0),
    });
    let compressor = json!({
        "threshold_db?": or(number_in(-100.0, 0.0), 0.0),
        "ratio?": or(number_in(1.0, 100.0), 1.0),
        "attack_ms?": or(number_in(0.0, 5_000.0), 1.0),
        "release_ms?": or(number_in(0.0, 5_000.0), 100.0),
    });
    let cutoff = || effect(json!({ "cutoff_frequency_hz?": or(number_in(0.0, 99_999.0), 50.0) }));
    let share = |default: f64| or(number_in(0.0, 1.0), default);
    let effects = closed(json!({
        "noiseGate?": effect(gate),
        "highPassFilter?": cutoff(),
        "lowPassFilter?": cutoff(),
        "compressor?": effect(compressor),
        "chorus?": effect(json!({
            "rate_hz?": or(number_in(0.0, 100.0), 1.0),
            "depth?": share(0.25),
            "centre_delay_ms?": or(number_in(0.0, 100.0), 7.0),
            "feedback?": share(0.0),
            "mix?": share(0.5),
        })),
        "delay?": effect(json!({
            "delay_seconds?": or(number_in(0.0, 10.0), 0.5),
            "feedback?": share(0.0),
            "mix?": share(0.5),
        })),
        "reverb?": effect(json!({
            "room_size?": share(0.5),
            "damping?": share(0.5),
            "wet_level?": share(0.33),
            "dry_level?": share(0.4),
            "width?": share(1.0),
            "freeze_mode?": share(0.0),
        })),
    }));
    let text = "By name, in a set order: `noiseGate`, `highPassFilter`, `lowPassFilter`, `compressor` before; \
                `compressor`, `chorus`, `delay`, `reverb` after.";
    says(effects, text)
}

/// The form that names a pipeline.
pub fn saved_chain() -> Value {
    let pipeline = closed(json!({ "pipeline": string() }));
    says(pipeline, "A chain that was saved under a name.")
}

/// An entry of the array form.
pub fn listed_effect() -> Value {
    let settings = map(json!({ "type": ["number", "boolean", "string"] }));
    object(json!({
        "effect": says(string(), "An id or a name of `/effects`, with `@` and a version if need be."),
        "params?": says(or_switch(&settings), "Its parameters; false leaves the effect out."),
    }))
}

/// The array form of a chain.
pub fn effect_list() -> Value {
    let by_name = says(string(), "The effect with its defaults.");
    let entry = json!({ "anyOf": [named("ListedEffect"), by_name] });
    let text = "Any installed effects, in the order in which they run.";
    says(
        json!({ "type": "array", "items": entry, "maxItems": 32 }),
        text,
    )
}

/// The parameters of an effect, or whether it is there at all.
fn effect(parameters: Value) -> Value {
    or_switch(&object(parameters))
}

fn or_switch(parameters: &Value) -> Value {
    json!({ "anyOf": [parameters, { "type": ["boolean", "null"] }] })
}

/// A switch of a query.
pub fn toggle() -> Value {
    or(boolean(), false)
}

/// An object without any other fields.
fn closed(fields: Value) -> Value {
    let mut schema = object(fields);
    schema["additionalProperties"] = json!(false);
    schema
}
