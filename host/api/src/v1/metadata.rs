use serde_json::{Map, Value};

use super::json_fields::member;
use crate::rules::mistakes::no_text;
use crate::rules::problem::FieldError;
use vocalhost_http::multipart::Form;

/// The field of the client's own notes.
pub const FIELD: &str = "metadata";

const MAX_PAIRS: usize = 16;
const MAX_KEY_CHARS: usize = 64;
const MAX_VALUE_CHARS: usize = 512;

/// Reads the notes of a form: one JSON object, or fields such as `metadata[take]`. What is wrong is added to `mistakes`.
pub fn of_form(form: &Form, mistakes: &mut Vec<FieldError>) -> Option<Value> {
    let mut pairs = Map::new();
    if let Some(text) = form.text(FIELD).filter(|text| *text != "null") {
        let Ok(Value::Object(given)) = serde_json::from_str(text) else {
            let message = "`metadata` must be a JSON object.";
            mistakes.push(FieldError::new("metadata", "object", message));
            return None;
        };
        pairs = given;
    } else if !form
        .fields
        .iter()
        .any(|(name, _)| name.starts_with("metadata["))
    {
        return None;
    }
    for (name, text) in &form.fields {
        let key = name
            .strip_prefix("metadata[")
            .and_then(|rest| rest.strip_suffix(']'));
        if let Some(key) = key {
            pairs.insert(key.to_owned(), Value::from(text.as_str()));
        }
    }
    check(&pairs, mistakes);
    Some(Value::Object(pairs))
}

/// Reads the notes of a JSON body. What is wrong is added to `mistakes`.
pub fn of_json(body: &Map<String, Value>, mistakes: &mut Vec<FieldError>) -> Option<Value> {
    let given = member(body, FIELD)?;
    let Some(pairs) = given.as_object() else {
        let message = "`metadata` must be a JSON object.";
        mistakes.push(FieldError::new("metadata", "object", message));
        return None;
    };
    check(pairs, mistakes);
    Some(given.clone())
}

/// Adds what is wrong with the notes to `mistakes`.
fn check(pairs: &Map<String, Value>, mistakes: &mut Vec<FieldError>) {
    if pairs.len() > MAX_PAIRS {
        let message = format!("`metadata` may have at most {MAX_PAIRS} pairs.");
        let mistake = FieldError::new("metadata", "count", message);
        mistakes.push(mistake.with("max", MAX_PAIRS));
    }
    mistakes.extend(
        pairs
            .iter()
            .filter_map(|(key, value)| pair_mistake(key, value)),
    );
}

fn pair_mistake(key: &str, value: &Value) -> Option<FieldError> {
    let too_long = |field: &str, what: &str, max: usize| {
        let message = format!("{what} of `metadata` may have at most {max} characters.");
        Some(FieldError::new(field, "length", message).with("max", max))
    };
    if key.chars().count() > MAX_KEY_CHARS {
        return too_long("metadata", "A key", MAX_KEY_CHARS);
    }
    let field = format!("metadata.{key}");
    let Some(text) = value.as_str() else {
        return Some(no_text(&field));
    };
    if text.chars().count() > MAX_VALUE_CHARS {
        return too_long(&field, "A value", MAX_VALUE_CHARS);
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::rules::problem::rules;

    fn read(fields: &[(&str, &str)]) -> (Option<Value>, Vec<String>) {
        let mut form = Form::default();
        let fields = fields.iter();
        form.fields = fields
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        let mut mistakes = Vec::new();
        let notes = of_form(&form, &mut mistakes);
        (notes, rules(&mistakes))
    }

    #[test]
    fn notes_come_as_json_or_as_fields() {
        let wanted = Some(json!({"take": "2", "by": "me"}));
        for fields in [
            vec![("metadata", r#"{"take":"2","by":"me"}"#)],
            vec![("metadata[take]", "2"), ("metadata[by]", "me")],
        ] {
            assert_eq!(read(&fields), (wanted.clone(), vec![]));
        }
        assert_eq!(read(&[("other", "x")]), (None, vec![]));
        assert_eq!(read(&[("metadata", "null")]), (None, vec![]));
    }

    #[test]
    fn notes_are_a_few_short_strings() {
        let long_key = format!(r#"{{"{}":"x"}}"#, "k".repeat(65));
        let long_value = format!(r#"{{"k":"{}"}}"#, "v".repeat(513));
        let pairs: Vec<String> = (0..17).map(|n| format!(r#""k{n}":"v""#)).collect();
        let many = format!("{{{}}}", pairs.join(","));
        for (text, wanted) in [
            ("[]", "metadata object"),
            ("{", "metadata object"),
            (r#"{"take":1}"#, "metadata.take string"),
            (&long_key, "metadata length"),
            (&long_value, "metadata.k length"),
            (&many, "metadata count"),
        ] {
            assert_eq!(read(&[("metadata", text)]).1, [wanted]);
        }
    }
}
