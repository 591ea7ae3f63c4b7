use serde_json::{Value, json};

use super::forms::toggle;
use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    boolean, named, nullable, object, or, says, string, timestamp,
};
use crate::rules::page::CATALOG_PAGES;

const TAG: &str = "Pipelines";

/// The record of a pipeline.
pub fn record() -> Value {
    object(json!({
        "name": name(),
        "shared": says(boolean(), "Whether everybody may use it."),
        "isMine": boolean(),
        "chain": named("EffectList"),
        "createdAt": timestamp(),
        "updatedAt": timestamp(),
    }))
}

fn name() -> Value {
    json!({ "type": "string", "pattern": "^[a-z0-9_-]{1,64}$" })
}

fn one() -> Description {
    Description::of(TAG).part("id", says(string(), "Its name."))
}

fn shared() -> Value {
    says(
        or(nullable(boolean()), false),
        "Takes a key with the scope `admin`.",
    )
}

/// `GET` of the collection.
pub fn list() -> Description {
    Description::of(TAG)
        .pages(&CATALOG_PAGES)
        .query("myPipelines", toggle(), "Only your own.")
        .gives_page_of(named("Pipeline"))
}

/// `POST`.
pub fn create() -> Description {
    let body = object(json!({ "name": name(), "chain": named("EffectList"), "shared?": shared() }));
    Description::of(TAG)
        .json(body)
        .makes(201, "It is saved.", named("Pipeline"))
        .refuses(429, "E_QUOTA_EXCEEDED")
}

/// `GET` of one.
pub fn get() -> Description {
    one().gives(200, "The pipeline.", named("Pipeline"))
}

/// `PUT`.
pub fn replace() -> Description {
    let body = object(json!({
        "name?": says(name(), "Only the one of the address."),
        "chain": named("EffectList"),
        "shared?": shared(),
    }));
    one()
        .json(body)
        .gives(200, "The pipeline as it is now.", named("Pipeline"))
}

/// `DELETE`.
pub fn delete() -> Description {
    one()
        .says("Jobs that were made with it are not touched.")
        .gives_nothing(204, "It is gone.")
}
