//! The words that schemas are written with: JSON Schema 2020-12, as OpenAPI 3.1 has it.

use serde_json::{Map, Value, json};

/// An object. Every field is there, but those whose name is given with a question mark at its end.
#[must_use]
pub fn object(fields: Value) -> Value {
    let Value::Object(given) = fields else {
        return json!({ "type": "object" });
    };
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, schema) in given {
        if let Some(optional) = name.strip_suffix('?') {
            properties.insert(optional.to_owned(), schema);
        } else {
            required.push(Value::from(name.as_str()));
            properties.insert(name, schema);
        }
    }
    let mut whole = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        whole["required"] = Value::from(required);
    }
    whole
}

/// One object schema with the fields of several, in their order.
#[must_use]
pub fn joined<const N: usize>(parts: [Value; N]) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for part in parts {
        if let Some(fields) = part["properties"].as_object() {
            properties.extend(fields.clone());
        }
        required.extend(part["required"].as_array().cloned().unwrap_or_default());
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

/// An object of any names, each with a value of one kind.
#[must_use]
pub fn map(values: Value) -> Value {
    let mut schema = json!({ "type": "object" });
    schema["additionalProperties"] = values;
    schema
}

/// The schema of this name.
#[must_use]
pub fn named(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// A text.
#[must_use]
pub fn string() -> Value {
    json!({ "type": "string" })
}

/// A number.
#[must_use]
pub fn number() -> Value {
    json!({ "type": "number" })
}

/// A number between two others, or one of them.
#[must_use]
pub fn number_in(min: f64, max: f64) -> Value {
    json!({ "type": "number", "minimum": min, "maximum": max })
}

/// A whole number.
#[must_use]
pub fn integer() -> Value {
    json!({ "type": "integer" })
}

/// A whole number between two others, or one of them.
#[must_use]
pub fn integer_in(min: i64, max: i64) -> Value {
    json!({ "type": "integer", "minimum": min, "maximum": max })
}

/// The number of a row; they count from 1.
#[must_use]
pub fn id() -> Value {
    json!({ "type": "integer", "format": "int64", "minimum": 1 })
}

/// True or false.
#[must_use]
pub fn boolean() -> Value {
    json!({ "type": "boolean" })
}

/// A list.
#[must_use]
pub fn list(of: Value) -> Value {
    let mut schema = json!({ "type": "array" });
    schema["items"] = of;
    schema
}

/// One of several texts.
#[must_use]
pub fn choice(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

/// The same, or null.
#[must_use]
pub fn nullable(mut schema: Value) -> Value {
    let Some(kind) = schema["type"].as_str().map(str::to_owned) else {
        return json!({ "anyOf": [schema, { "type": "null" }] });
    };
    schema["type"] = json!([kind, "null"]);
    if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        words.push(Value::Null);
    }
    schema
}

/// The same, with a sentence for people.
#[must_use]
pub fn says(mut schema: Value, text: &str) -> Value {
    schema["description"] = Value::from(text);
    schema
}

/// The same, with what holds when nothing is given.
#[must_use]
pub fn or(mut schema: Value, default: impl Into<Value>) -> Value {
    schema["default"] = default.into();
    schema
}

/// An absolute address.
#[must_use]
pub fn url() -> Value {
    json!({ "type": "string", "format": "uri" })
}

/// A moment, as records write it: UTC with six digits of a second.
#[must_use]
pub fn timestamp() -> Value {
    json!({
        "type": "string",
        "pattern": r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\.\d{6} \+00:00$",
        "examples": ["2026-01-31 12:00:00.000000 +00:00"],
    })
}

/// SHA-256 in lower-case hex.
#[must_use]
pub fn digest() -> Value {
    json!({ "type": "string", "pattern": "^[0-9a-f]{64}$" })
}

/// The bytes of a file.
#[must_use]
pub fn binary() -> Value {
    json!({ "type": "string", "format": "binary" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_required_unless_they_end_in_a_question_mark() {
        let schema = object(json!({ "id": id(), "title?": string() }));
        assert_eq!(schema["required"], json!(["id"]));
        assert_eq!(schema["properties"]["title"], string());
        assert_eq!(object(json!({ "a?": id() })).get("required"), None);
    }

    #[test]
    fn null_joins_the_type_or_stands_beside_a_name() {
        assert_eq!(nullable(string())["type"], json!(["string", "null"]));
        assert_eq!(nullable(choice(&["a"]))["enum"], json!(["a", null]));
        assert_eq!(nullable(named("X"))["anyOf"][1]["type"], "null");
    }

    #[test]
    fn joined_objects_keep_what_is_required() {
        let whole = joined([
            object(json!({ "a": id() })),
            object(json!({ "b?": id(), "c": id() })),
        ]);
        assert_eq!(whole["required"], json!(["a", "c"]));
        assert_eq!(
            whole["properties"].as_object().map(serde_json::Map::len),
            Some(3)
        );
    }
}
