use serde_json::{Value, json};

use super::effects;
use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    boolean, choice, joined, named, nullable, number, object, says, string, timestamp,
};
use crate::v1::effects::EFFECT_PAGES;

const TAG: &str = "Installed effects";

/// The record of an effect with what is an operator's business.
pub fn record() -> Value {
    let bytes = || json!({ "type": "integer", "minimum": 0 });
    let more = object(json!({
        "enabled": boolean(),
        "origin": choice(&["builtin", "installed"]),
        "bytes": bytes(),
        "limits": object(json!({ "memoryBytes": bytes(), "workPerAudio": number() })),
        "overrides": says(
            object(json!({ "memoryBytes": nullable(bytes()), "workPerAudio": nullable(number()) })),
            "Limits of its own in the place of the settings'.",
        ),
        "installedAt": timestamp(),
        "installedBy": nullable(string()),
        "publicKey": says(nullable(string()), "The key that its id belongs to, from its first signed install on."),
    }));
    joined([effects::record(), more])
}

fn one() -> Description {
    let name = says(
        string(),
        "Its id, with `@` and a version when there are several.",
    );
    Description::of(TAG).part("id", name)
}

/// `GET` of the collection.
pub fn list() -> Description {
    Description::of(TAG)
        .pages(&EFFECT_PAGES)
        .gives_page_of(named("InstalledEffect"))
}

/// `POST`.
pub fn install() -> Description {
    Description::of(TAG)
        .query(
            "memoryBytes",
            json!({ "type": "integer", "minimum": 0 }),
            "A limit of its own.",
        )
        .query(
            "workPerAudio",
            number(),
            "A limit of its own: seconds per second of sound.",
        )
        .query(
            "trust",
            boolean(),
            "Install it although its id belongs to a key. What comes this way is signed by nobody.",
        )
        .file("application/wasm")
        .makes(201, "It is installed.", named("InstalledEffect"))
        .makes(200, "It was installed already.", named("InstalledEffect"))
        .refuses(409, "E_EFFECT_ID_TAKEN")
        .refuses(409, "E_EFFECT_VERSION_TAKEN")
}

/// `GET` of one.
pub fn get() -> Description {
    one()
        .gives(200, "The effect.", named("InstalledEffect"))
        .refuses(422, "E_VALIDATION_FAILURE")
}

/// `PATCH`.
pub fn change() -> Description {
    let change = object(json!({
        "enabled?": boolean(),
        "memoryBytes?": says(json!({ "type": ["integer", "null"], "minimum": 0 }), "null for the settings' limit."),
        "workPerAudio?": says(nullable(number()), "null for the settings' limit."),
    }));
    let mut closed = change;
    closed["additionalProperties"] = json!(false);
    closed["minProperties"] = json!(1);
    one()
        .json(closed)
        .gives(200, "The effect as it is now.", named("InstalledEffect"))
        .refuses(409, "E_EFFECT_BUILT_IN")
}

/// `DELETE`.
pub fn remove() -> Description {
    one()
        .says("Jobs that were accepted keep it until they have ended.")
        .gives_nothing(204, "It is gone.")
        .refuses(409, "E_EFFECT_BUILT_IN")
        .refuses(422, "E_VALIDATION_FAILURE")
}
