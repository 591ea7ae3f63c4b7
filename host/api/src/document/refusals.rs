use std::collections::BTreeMap;

use hyper::StatusCode;
use serde_json::{Value, json};

use super::operation::headers;
use crate::rules::describe::schema::named;

/// What operations are refused with. Most refuse the same, so each answer stands once in the document, under a name that says its
/// codes.
#[derive(Default)]
pub struct Refusals(BTreeMap<String, (u16, Vec<&'static str>)>);

impl Refusals {
    /// The answer of this status with one of these codes, by its name.
    pub fn one(&mut self, status: u16, mut codes: Vec<&'static str>) -> Value {
        codes.sort_unstable();
        codes.dedup();
        let name = name(&codes);
        let reference = json!({ "$ref": format!("#/components/responses/{name}") });
        self.0.insert(name, (status, codes));
        reference
    }

    /// The answers.
    pub fn responses(&self) -> Value {
        let all = self.0.iter();
        all.map(|(name, (status, codes))| (name.clone(), response(name, *status, codes)))
            .collect()
    }

    /// The bodies of the answers, as schemas with names: otherwise generators would make a new type wherever an answer is used.
    pub fn schemas(&self) -> impl Iterator<Item = (String, Value)> {
        self.0.iter().map(|(name, (_, codes))| {
            let codes = json!({ "type": "object", "properties": { "code": { "type": "string", "enum": codes } } });
            (body_name(name), json!({ "allOf": [named("Problem"), codes] }))
        })
    }
}

/// `RowNotFound` for `E_ROW_NOT_FOUND`.
fn name(codes: &[&str]) -> String {
    let words = codes.iter().map(|code| {
        let words = code.split('_').skip(1);
        words
            .map(|word| word[..1].to_owned() + &word[1..].to_ascii_lowercase())
            .collect::<String>()
    });
    words.collect::<Vec<_>>().join("Or")
}

fn body_name(name: &str) -> String {
    format!("{name}Problem")
}

fn response(name: &str, status: u16, codes: &[&str]) -> Value {
    let title = StatusCode::from_u16(status).ok();
    let title = title.and_then(|status| status.canonical_reason());
    let mut shown = json!({
        "description": format!("{}: {}.", title.unwrap_or("Refused"), codes.join(", ")),
        "headers": headers(true),
        "content": { "application/problem+json": { "schema": named(&body_name(name)) } },
    });
    let asked = match status {
        401 => Some("WWW-Authenticate"),
        416 => Some("Content-Range"),
        429 | 503 => Some("Retry-After"),
        _ => None,
    };
    if let Some(name) = asked {
        shown["headers"][name] = json!({ "required": true, "schema": { "type": "string" } });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_codes_are_the_same_answer_in_whatever_order() {
        let mut refusals = Refusals::default();
        let first = refusals.one(429, vec!["E_TOO_MANY_REQUESTS", "E_QUOTA_EXCEEDED"]);
        let again = refusals.one(429, vec!["E_QUOTA_EXCEEDED", "E_TOO_MANY_REQUESTS"]);
        assert_eq!(first, again);
        let name = "QuotaExceededOrTooManyRequests";
        assert_eq!(first["$ref"], format!("#/components/responses/{name}"));
        let responses = refusals.responses();
        assert!(responses[name]["headers"]["Retry-After"].is_object());
        let schemas: Vec<(String, Value)> = refusals.schemas().collect();
        assert_eq!(schemas.len(), 1);
        let codes = &schemas[0].1["allOf"][1]["properties"]["code"]["enum"];
        assert_eq!(*codes, json!(["E_QUOTA_EXCEEDED", "E_TOO_MANY_REQUESTS"]));
    }
}
