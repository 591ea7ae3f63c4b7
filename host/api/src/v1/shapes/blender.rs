use serde_json::{Value, json};

use super::{forms, job};
use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    id, joined, named, nullable, number_in, object, says, string, timestamp,
};
use crate::rules::page::BLEND_PAGES;

/// The tag of its operations.
pub const TAG: &str = "Voice blender";

/// The record of a blend.
pub fn record() -> Value {
    let share = || number_in(0.0, 1.0);
    let first = object(json!({
        "id": id(),
        "createdAt": timestamp(),
        "model1Id": id(),
        "model2Id": id(),
        "model3Id?": id(),
        "model4Id?": id(),
        "alpha": share(),
        "alpha2": share(),
        "alpha3?": share(),
        "alpha4?": share(),
        "status": job::status(),
    }));
    let output = object(json!({
        "outputModelId": says(id(), "The voice that it makes; usable from `success` on."),
    }));
    let how = object(json!({
        "provider": nullable(string()),
        "warnings": job::warnings(),
        "title?": says(string(), "In the answer to its creation only."),
    }));
    joined([first, job::times(), output, job::progress(), how])
}

fn body() -> Value {
    let share = |text: &str| says(number_in(0.0, 1.0), text);
    object(json!({
        "modelId1": id(),
        "modelId2": id(),
        "modelId3?": nullable(id()),
        "modelId4?": nullable(id()),
        "alpha": share("Share of the first voice. The last voice gets what the others leave."),
        "alpha2?": says(nullable(number_in(0.0, 1.0)), "Needed with three voices or more."),
        "alpha3?": says(nullable(number_in(0.0, 1.0)), "Needed with four voices."),
        "title?": json!({ "type": ["string", "null"], "maxLength": 200 }),
        "metadata?": forms::metadata(),
        "priority?": forms::priority(),
        "webhookUrl?": forms::webhook_url(),
    }))
}

/// `GET` of the collection.
pub fn list() -> Description {
    job::list_of(TAG, "VoiceBlend", &BLEND_PAGES)
}

/// `POST`.
pub fn create() -> Description {
    job::may_wait(Description::of(TAG)).json(body()).makes(
        200,
        "The job is in the queue.",
        named("VoiceBlend"),
    )
}
