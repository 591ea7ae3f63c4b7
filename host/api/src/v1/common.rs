use serde_json::{Map, Value};

use super::{metadata, webhook_form};
use crate::rules::mistakes::{no_whole_number, out_of_range};
use crate::rules::problem::FieldError;
use vocalhost_hooks::AddressRules;
use vocalhost_http::multipart::Form;

const PRIORITY: &str = "priority";

const PRIORITIES: std::ops::RangeInclusive<i32> = -10..=10;

/// The text fields that every form that makes a job may have.
pub const TEXT_FIELDS: [&str; 3] = [metadata::FIELD, PRIORITY, webhook_form::FIELD];

/// The mistake of a voice that is unknown, invisible or unusable: one and the same, so that it tells nothing about other
/// people's voices.
#[must_use]
pub fn no_such_voice(field: &str) -> FieldError {
    let message = "There is no voice model with this id that you can use. The record of one that you may see says why.";
    FieldError::new(field, "exists", message)
}

/// What every request that makes a job may say, whatever its kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Common {
    /// The client's own notes.
    pub metadata: Option<Value>,
    /// The job's place among the user's own: the larger, the sooner.
    pub priority: i32,
    /// Where its end is told, beside the user's webhooks.
    pub webhook_url: Option<String>,
}

impl Common {
    /// Reads the text fields of a form; `rules` say where webhooks may be, and what is wrong with them is added to `mistakes`.
    pub fn of_form(form: &Form, rules: &AddressRules, mistakes: &mut Vec<FieldError>) -> Self {
        Self {
            metadata: metadata::of_form(form, mistakes),
            priority: form
                .text(PRIORITY)
                .map_or(0, |text| priority(text, mistakes)),
            webhook_url: webhook_form::of_form(form, rules, mistakes),
        }
    }

    /// Reads the members of a JSON body; `rules` say where webhooks may be, and what is wrong with them is added to `mistakes`.
    pub fn of_json(
        body: &Map<String, Value>,
        rules: &AddressRules,
        mistakes: &mut Vec<FieldError>,
    ) -> Self {
        let given = match body.get(PRIORITY) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.trim().to_owned()),
            // What is no number does not read as one either.
            Some(other) => Some(other.to_string()),
        };
        Self {
            metadata: metadata::of_json(body, mistakes),
            priority: given.map_or(0, |text| priority(&text, mistakes)),
            webhook_url: webhook_form::of_body(body, rules, mistakes),
        }
    }
}

fn priority(text: &str, mistakes: &mut Vec<FieldError>) -> i32 {
    // JSON knows one kind of numbers: some programs write 1 as 1.0.
    let number: f64 = text.parse().unwrap_or(f64::NAN);
    if number.fract() != 0.0 {
        mistakes.push(no_whole_number(PRIORITY));
        return 0;
    }
    let (min, max) = PRIORITIES.into_inner();
    if !(f64::from(min)..=f64::from(max)).contains(&number) {
        mistakes.push(out_of_range(PRIORITY, (min, max)));
        return 0;
    }
    number as i32
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules::problem::rules;

    #[test]
    fn a_priority_is_a_whole_number_from_minus_10_to_10() {
        for (text, wanted, rule) in [
            ("-10", -10, None),
            ("10", 10, None),
            ("+3", 3, None),
            ("", 0, None),
            ("11", 0, Some("priority range")),
            ("-99999999999999999999", 0, Some("priority range")),
            ("1.5", 0, Some("priority number")),
            ("-2.0", -2, None),
            ("1e9", 0, Some("priority range")),
            ("inf", 0, Some("priority number")),
            ("NaN", 0, Some("priority number")),
            ("high", 0, Some("priority number")),
            ("-", 0, Some("priority number")),
        ] {
            let mut form = Form::default();
            form.fields.push((PRIORITY.to_owned(), text.to_owned()));
            let mut mistakes = Vec::new();
            let read = Common::of_form(&form, &AddressRules::default(), &mut mistakes);
            assert_eq!(read.priority, wanted, "{text}");
            assert_eq!(rules(&mistakes).first().map(String::as_str), rule, "{text}");
        }
    }

    #[test]
    fn a_json_body_says_the_same() {
        for (body, wanted, rule) in [
            (json!({"priority": 7}), 7, None),
            (json!({"priority": "-7"}), -7, None),
            (json!({"priority": null}), 0, None),
            (json!({}), 0, None),
            (json!({"priority": 7.0}), 7, None),
            (json!({"priority": 1e9}), 0, Some("priority range")),
            (json!({"priority": 11}), 0, Some("priority range")),
            (json!({"priority": 0.5}), 0, Some("priority number")),
            (json!({"priority": true}), 0, Some("priority number")),
            (json!({"priority": [1]}), 0, Some("priority number")),
        ] {
            let mut mistakes = Vec::new();
            let fields = body.as_object().expect("an object");
            let read = Common::of_json(fields, &AddressRules::default(), &mut mistakes);
            assert_eq!(read.priority, wanted, "{body}");
            assert_eq!(rules(&mistakes).first().map(String::as_str), rule, "{body}");
        }
    }
}
