use serde_json::{Value, json};

use super::actions::Shown;
use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    id, integer, integer_in, list, named, number, object, or, string,
};

const FILE: &str =
    "`input`, `backing-input`, or a sound of the result by the name that it has in `loudness`.";

fn of(shown: Shown) -> Description {
    Description::of(shown.tag)
        .query("file", or(string(), "input"), FILE)
        .refuses(410, "E_INPUT_EXPIRED")
        .refuses(410, "E_RESULT_EXPIRED")
        .refuses(503, "E_SERVICE_UNAVAILABLE")
}

/// How far a wave reaches.
pub fn table() -> Value {
    let channel = object(json!({ "min": list(number()), "max": list(number()) }));
    object(json!({
        "file": string(),
        "sampleRate": id(),
        "frames": integer(),
        "points": integer(),
        "channels": list(channel),
    }))
}

/// `GET` of `/peaks`.
pub fn peaks(shown: Shown) -> Description {
    let text = "Moments; never more than there are frames.";
    of(shown)
        .query("points", or(integer_in(1, 8_192), 1_024), text)
        .gives(
            200,
            "The lowest and the highest sample of each moment.",
            named("Peaks"),
        )
}

/// `GET` of `/spectrogram`.
pub fn spectrogram(shown: Shown) -> Description {
    of(shown).gives_bytes(200, "1,024 by 256 pixels, without axes.", &["image/png"])
}
