use serde_json::{Map, Value, json};

use crate::rules::describe::schema::{choice, named, object, says, string};
use vocalhost_store::JOB_EVENTS;

/// What the server sends to addresses that users name, in the order of the events' names.
const SUMMARIES: [&str; 3] = [
    "A job has its result.",
    "A job has failed.",
    "A job was cancelled.",
];

/// The events, as OpenAPI writes them: requests of the server to the client.
#[must_use]
pub fn webhooks() -> Value {
    let webhooks = JOB_EVENTS.into_iter().zip(SUMMARIES).map(|(event, summary)| {
        let body = object(json!({
            "type": choice(&[event]),
            "timestamp": says(string(), "When it happened."),
            "data": json!({
                "description": "The record of the job, as it is read at its own address.",
                "anyOf": [named("VoiceConversion"), named("Separation"), named("VoiceBlend"), named("VoiceTraining")],
            }),
        }));
        let signed = |name: &str, text: &str| json!({ "name": name, "in": "header", "required": true, "description": text, "schema": { "type": "string" } });
        let item = json!({
            "post": {
                "operationId": format!("on{}", event.replace("job.", "Job_")),
                "summary": summary,
                "tags": ["Webhooks"],
                "security": [],
                "parameters": [
                    signed("webhook-id", "The same for every attempt to deliver this event."),
                    signed("webhook-timestamp", "Seconds since the Unix epoch."),
                    signed("webhook-signature", "`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body` (Standard Webhooks)."),
                ],
                "requestBody": {
                    "required": true,
                    "content": { "application/json": { "schema": body } },
                },
                "responses": { "2XX": { "description": "It was received; anything else is tried again." } },
            },
        });
        (event.to_owned(), item)
    });
    Value::Object(webhooks.collect::<Map<String, Value>>())
}
