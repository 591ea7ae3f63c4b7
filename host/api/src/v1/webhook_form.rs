use serde_json::{Map, Value, json};

use super::json_fields::{text, toggle};
use crate::rules::problem::FieldError;
use vocalhost_hooks::{AddressRules, Target};
use vocalhost_http::multipart::Form;
use vocalhost_store::{JOB_EVENTS, WebhookChange};

/// The field of a job for an address of its own.
pub const FIELD: &str = "webhookUrl";

const MAX_DESCRIPTION_CHARS: usize = 200;

/// The address for news that a form names for its job; one that cannot be is added to `mistakes`.
pub fn of_form(
    form: &Form,
    rules: &AddressRules,
    mistakes: &mut Vec<FieldError>,
) -> Option<String> {
    let text = form.text(FIELD).filter(|text| *text != "null")?;
    address(FIELD, text, rules, mistakes)
}

/// The address for news that a JSON body names for its job; one that cannot be is added to `mistakes`.
pub fn of_body(
    body: &Map<String, Value>,
    rules: &AddressRules,
    mistakes: &mut Vec<FieldError>,
) -> Option<String> {
    let text = text(body, FIELD, mistakes)?.trim();
    if text.is_empty() {
        return None;
    }
    address(FIELD, text, rules, mistakes)
}

/// What a body says of a webhook, be it all or only what is to change; what is wrong is added to `mistakes`.
pub fn parse(
    body: &Map<String, Value>,
    rules: &AddressRules,
    mistakes: &mut Vec<FieldError>,
) -> WebhookChange {
    let url = text(body, "url", mistakes);
    let description = text(body, "description", mistakes);
    if description.is_some_and(|text| text.chars().count() > MAX_DESCRIPTION_CHARS) {
        let message = format!("`description` may have at most {MAX_DESCRIPTION_CHARS} characters.");
        let mistake = FieldError::new("description", "length", message);
        mistakes.push(mistake.with("max", MAX_DESCRIPTION_CHARS));
    }
    WebhookChange {
        url: url.and_then(|text| address("url", text.trim(), rules, mistakes)),
        events: events(body, mistakes),
        description: description.map(str::to_owned),
        enabled: toggle(body, "enabled", mistakes),
    }
}

fn address(
    field: &str,
    text: &str,
    rules: &AddressRules,
    mistakes: &mut Vec<FieldError>,
) -> Option<String> {
    match Target::parse(text, rules) {
        Ok(_) => Some(text.to_owned()),
        Err(error) => {
            let message = format!("`{field}` cannot be used: {error}.");
            mistakes.push(FieldError::new(field, "url", message));
            None
        }
    }
}

fn events(body: &Map<String, Value>, mistakes: &mut Vec<FieldError>) -> Option<Vec<String>> {
    let given = match body.get("events")? {
        Value::Null => return None,
        Value::Array(given) => given,
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            let message = "`events` must be a list of names of events.";
            mistakes.push(FieldError::new("events", "array", message));
            return None;
        }
    };
    let mut events: Vec<String> = Vec::new();
    for (at, event) in given.iter().enumerate() {
        match event.as_str().filter(|event| JOB_EVENTS.contains(event)) {
            Some(event) if events.iter().any(|known| known == event) => {}
            Some(event) => events.push(event.to_owned()),
            None => {
                let message = format!("An event must be one of {}.", JOB_EVENTS.join(", "));
                let mistake = FieldError::new(format!("events.{at}"), "enum", message);
                mistakes.push(mistake.with("choices", json!(JOB_EVENTS)));
            }
        }
    }
    Some(events)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::problem::rules;

    fn read(body: &Value) -> (WebhookChange, Vec<String>) {
        let mut mistakes = Vec::new();
        let body = body.as_object().expect("an object");
        let change = parse(body, &AddressRules::default(), &mut mistakes);
        (change, rules(&mistakes))
    }

    #[test]
    fn what_is_given_is_read_and_what_is_not_is_left_open() {
        assert_eq!(
            read(&json!({"url": null})),
            (WebhookChange::default(), vec![])
        );
        let (change, mistakes) = read(&json!({
            "url": " https://hooks.example/a ",
            "events": ["job.error", "job.success", "job.error"],
            "description": "mine",
            "enabled": false,
        }));
        assert_eq!(mistakes, Vec::<String>::new());
        assert_eq!(change.url.as_deref(), Some("https://hooks.example/a"));
        let events = ["job.error", "job.success"].map(str::to_owned).to_vec();
        assert_eq!(change.events, Some(events));
        assert_eq!(change.enabled, Some(false));
    }

    #[test]
    fn each_mistake_has_its_field_and_rule() {
        let (_, mistakes) = read(&json!({
            "url": "http://10.0.0.1/",
            "events": ["job.success", "job.born", 3],
            "description": "x".repeat(201),
            "enabled": "yes",
        }));
        let wanted = [
            "description length",
            "url url",
            "events.1 enum",
            "events.2 enum",
            "enabled boolean",
        ];
        assert_eq!(mistakes, wanted);
        assert_eq!(
            read(&json!({"url": 3, "events": "all"})).1,
            ["url string", "events array"]
        );
    }
}
