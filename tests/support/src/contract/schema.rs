use serde_json::{Map, Value};

/// What is wrong with `value` by `schema`, as lines with paths. Objects are closed: a field that the schema does not
/// name is wrong, unless it says what other fields are. A word of JSON Schema that is not known here is wrong, too, so that
/// none is passed over in silence.
pub fn mistakes(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut checker = Checker {
        document,
        found: Vec::new(),
    };
    checker.check(schema, value, "$");
    checker.found
}

/// Words that say something to people or generators rather than about values; patterns are left to the fuzzer, which has a
/// whole implementation of JSON Schema.
const SILENT: [&str; 7] = [
    "default",
    "description",
    "examples",
    "pattern",
    "maxLength",
    "maxProperties",
    "propertyNames",
];

struct Checker<'a> {
    document: &'a Value,
    found: Vec<String>,
}

impl Checker<'_> {
    fn check(&mut self, schema: &Value, value: &Value, path: &str) {
        let schema = self.plain(schema);
        for (word, said) in &schema {
            match word.as_str() {
                "type" => self.check_type(said, value, path),
                "enum" => {
                    let words = said.as_array().expect("a list");
                    self.expect(words.contains(value), path, || {
                        format!("{value} is none of {said}")
                    });
                }
                "minimum" | "maximum" => self.check_range(word, said, value, path),
                "format" => self.check_format(said, value, path),
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(said, item, &format!("{path}.{index}"));
                    }
                }
                "maxItems" => {
                    let length = value.as_array().map_or(0, Vec::len) as u64;
                    let most = said.as_u64().expect("a number");
                    self.expect(length <= most, path, || "there are too many".to_owned());
                }
                "anyOf" => {
                    let any = said.as_array().expect("a list").iter();
                    let mut tries = any.map(|one| mistakes(self.document, one, value));
                    let fits = tries.any(|found| found.is_empty());
                    self.expect(fits, path, || format!("{value} fits none of {said}"));
                }
                "properties" | "required" | "additionalProperties" => {}
                silent if SILENT.contains(&silent) => {}
                unknown => panic!("{path}: the suite does not know the word {unknown}"),
            }
        }
        if let Value::Object(fields) = value {
            self.check_fields(&schema, fields, path);
        }
    }

    fn expect(&mut self, holds: bool, path: &str, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.found.push(format!("{path}: {}", otherwise()));
        }
    }

    /// The schema without references, and with what all of its parts say in one.
    fn plain(&self, schema: &Value) -> Map<String, Value> {
        let mut fields = schema.as_object().expect("a schema is an object").clone();
        if let Some(name) = fields.remove("$ref") {
            let pointer = name.as_str().expect("a name").trim_start_matches('#');
            let target = self.document.pointer(pointer);
            fields.extend(self.plain(target.expect("the name is there")));
        }
        if let Some(parts) = fields.remove("allOf") {
            for part in parts.as_array().expect("a list") {
                for (word, said) in self.plain(part) {
                    match (fields.get_mut(&word), said) {
                        (Some(Value::Object(before)), Value::Object(more)) => {
                            for (name, schema) in more {
                                let both = before.remove(&name).map(
                                    |first| serde_json::json!({ "allOf": [first, schema.clone()] }),
                                );
                                before.insert(name, both.unwrap_or(schema));
                            }
                        }
                        (_, said) => {
                            fields.insert(word, said);
                        }
                    }
                }
            }
        }
        fields
    }

    fn check_type(&mut self, said: &Value, value: &Value, path: &str) {
        let is = |kind: &Value| match kind.as_str().expect("a type is a word") {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "number" => value.is_number(),
            "integer" => value.is_i64() || value.is_u64(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            other => panic!("{other} is no type"),
        };
        let fits = said
            .as_array()
            .map_or_else(|| is(said), |kinds| kinds.iter().any(is));
        self.expect(fits, path, || format!("{value} is no {said}"));
    }

    fn check_range(&mut self, word: &str, said: &Value, value: &Value, path: &str) {
        let limit = said.as_f64().expect("a number");
        if let Some(number) = value.as_f64() {
            let holds = if word == "minimum" {
                number >= limit
            } else {
                number <= limit
            };
            self.expect(holds, path, || {
                format!("{number} is beyond the {word} {limit}")
            });
        }
    }

    fn check_format(&mut self, said: &Value, value: &Value, path: &str) {
        if let (Some("uri"), Some(text)) = (said.as_str(), value.as_str()) {
            let holds = text.starts_with("http://") || text.starts_with("https://");
            self.expect(holds, path, || format!("{text} is no absolute address"));
        }
    }

    fn check_fields(
        &mut self,
        schema: &Map<String, Value>,
        fields: &Map<String, Value>,
        path: &str,
    ) {
        for name in schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let name = name.as_str().expect("a name");
            self.expect(fields.contains_key(name), path, || {
                format!("`{name}` is missing")
            });
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        if properties.is_none() && others.is_none() {
            // Whatever it is: the schema says no more than that it is an object, or leaves it to `anyOf`.
            return;
        }
        for (name, value) in fields {
            let path = format!("{path}.{name}");
            match (properties.and_then(|known| known.get(name)), others) {
                (Some(schema), _) => self.check(schema, value, &path),
                (None, Some(schema)) if schema.is_object() => self.check(schema, value, &path),
                (None, _) => self.found.push(format!("{path} is not in the document")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn wrong(schema: &Value, value: &Value) -> Vec<String> {
        let document = json!({ "schemas": { "Name": { "type": "string" } } });
        mistakes(&document, schema, value)
    }

    #[test]
    fn a_field_too_many_too_few_or_of_another_type_is_found() {
        let schema = json!({
            "type": "object",
            "required": ["a"],
            "properties": { "a": { "$ref": "#/schemas/Name" }, "b": { "type": ["integer", "null"] } },
        });
        assert_eq!(wrong(&schema, &json!({ "a": "x", "b": null })), [""; 0]);
        assert_eq!(wrong(&schema, &json!({})), ["$: `a` is missing"]);
        assert_eq!(
            wrong(&schema, &json!({ "a": 1 })),
            ["$.a: 1 is no \"string\""]
        );
        assert_eq!(
            wrong(&schema, &json!({ "a": "x", "c": 1 })),
            ["$.c is not in the document"]
        );
        assert_eq!(wrong(&schema, &json!({ "a": "x", "b": 1.5 })).len(), 1);
    }

    #[test]
    fn parts_say_together_what_an_object_is() {
        let schema = json!({ "allOf": [
            { "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } },
            { "properties": { "a": { "enum": ["x"] } } },
        ] });
        assert_eq!(wrong(&schema, &json!({ "a": "x" })), [""; 0]);
        assert_eq!(wrong(&schema, &json!({ "a": "y" })).len(), 1);
        assert_eq!(wrong(&schema, &json!({ "a": "x", "b": 1 })).len(), 1);
    }
}
