use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::api::problem::FieldError;

/// An effect as a request names it, before anybody looked whether it is installed.
#[derive(Debug, Clone, PartialEq)]
pub struct RawEffect {
    /// The name or id, as written.
    pub name: String,
    /// Its place in the array form; `None` in the forms that name each effect once.
    pub index: Option<usize>,
    /// Parameters, as written.
    pub params: Vec<(String, Value)>,
}

/// Reads every form that a chain (`pre` or `post`) may take among a form's text fields: one JSON text (object, array
/// or string), bracket fields, repeated bare names. What is not understood is added to `mistakes`.
pub fn collect(
    chain: &str,
    fields: &[(String, String)],
    mistakes: &mut Vec<FieldError>,
) -> Vec<RawEffect> {
    let mut collected = Collected {
        chain,
        named: Vec::new(),
        listed: BTreeMap::new(),
        mistakes,
    };
    for (name, text) in fields {
        match segments(chain, name) {
            Some(path) if path.is_empty() => collected.whole(text),
            Some(path) => collected.bracket(&path, text),
            None => {}
        }
    }
    collected.finish()
}

/// The bracketed parts behind `chain` in a field's name: `pre[noiseGate][ratio]` gives two, `pre` and `pre[]` none.
/// `None` when the field belongs to something else.
fn segments(chain: &str, name: &str) -> Option<Vec<String>> {
    let mut rest = name.trim().strip_prefix(chain)?;
    let mut path = Vec::new();
    while !rest.is_empty() {
        let (segment, after) = rest.strip_prefix('[')?.split_once(']')?;
        path.push(segment.trim().to_owned());
        rest = after;
    }
    if path.last().is_some_and(String::is_empty) {
        path.pop();
    }
    Some(path)
}

struct Collected<'a> {
    chain: &'a str,
    named: Vec<RawEffect>,
    listed: BTreeMap<usize, Map<String, Value>>,
    mistakes: &'a mut Vec<FieldError>,
}

impl Collected<'_> {
    fn mistake(&mut self, path: &str, rule: &'static str, message: &str) {
        let field = if path.is_empty() {
            self.chain.to_owned()
        } else {
            format!("{}.{path}", self.chain)
        };
        self.mistakes.push(FieldError::new(field, rule, message));
    }

    /// A field that is the whole chain, or one bare name of it.
    fn whole(&mut self, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if !text.starts_with(['{', '[', '"']) && text != "null" {
            self.name_effect(text);
            return;
        }
        match serde_json::from_str(text) {
            Ok(Value::Null) => {}
            Ok(Value::String(name)) => self.name_effect(&name),
            Ok(Value::Object(effects)) => {
                for (name, given) in effects {
                    self.named_effect(&name, given);
                }
            }
            Ok(Value::Array(effects)) => {
                for (index, given) in effects.into_iter().enumerate() {
                    self.listed_effect(index, given);
                }
            }
            Ok(Value::Bool(_) | Value::Number(_)) | Err(_) => self.mistake(
                "",
                "json",
                "The chain is neither valid JSON (an object or an array) nor the name of an effect.",
            ),
        }
    }

    fn name_effect(&mut self, name: &str) {
        self.named.push(RawEffect {
            name: name.to_owned(),
            index: None,
            params: Vec::new(),
        });
    }

    /// One entry of the object form.
    fn named_effect(&mut self, name: &str, given: Value) {
        if name == "pipeline" {
            self.mistake("pipeline", "exists", "There is no pipeline of this name.");
            return;
        }
        if let Some(params) = self.params(name, given) {
            self.named.push(RawEffect {
                name: name.to_owned(),
                index: None,
                params,
            });
        }
    }

    /// An effect's parameters: an object, or a yes for the defaults. `None` when the effect is left out.
    fn params(&mut self, path: &str, given: Value) -> Option<Vec<(String, Value)>> {
        match given {
            Value::Object(params) => Some(params.into_iter().collect()),
            Value::Bool(true) => Some(Vec::new()),
            Value::Bool(false) | Value::Null => None,
            Value::String(text) => match text.trim() {
                "" | "true" | "1" => Some(Vec::new()),
                "false" | "0" | "null" => None,
                text => match serde_json::from_str(text) {
                    Ok(Value::Object(params)) => Some(params.into_iter().collect()),
                    _ => self.no_params(path),
                },
            },
            Value::Number(_) | Value::Array(_) => self.no_params(path),
        }
    }

    fn no_params(&mut self, path: &str) -> Option<Vec<(String, Value)>> {
        self.mistake(path, "object", "The parameters of an effect are an object.");
        None
    }

    /// One entry of the array form.
    fn listed_effect(&mut self, index: usize, given: Value) {
        let item = match given {
            Value::String(name) => Map::from_iter([("effect".to_owned(), Value::String(name))]),
            Value::Object(item) => item,
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                let message =
                    "An entry is the name of an effect, or an object with `effect` and `params`.";
                self.mistake(&index.to_string(), "object", message);
                return;
            }
        };
        if self.listed.insert(index, item).is_some() {
            self.mistake(&index.to_string(), "distinct", "This entry is given twice.");
        }
    }

    /// A field such as `pre[noiseGate][ratio]` or `pre[0][params][room_size]`.
    fn bracket(&mut self, path: &[String], text: &str) {
        let value = Value::String(text.to_owned());
        let index = path[0].parse::<usize>().ok();
        match (index, path) {
            (Some(index), [_]) => {
                let json = text.trim();
                let given = if json.starts_with('{') {
                    serde_json::from_str(json).unwrap_or(Value::Null)
                } else {
                    value
                };
                self.listed_effect(index, given);
            }
            (Some(index), [_, key]) => {
                self.listed
                    .entry(index)
                    .or_default()
                    .insert(key.clone(), value);
            }
            (Some(index), [_, key, param]) if key == "params" => {
                let item = self.listed.entry(index).or_default();
                let params = item
                    .entry("params")
                    .or_insert_with(|| Value::Object(Map::new()));
                match params.as_object_mut() {
                    Some(params) => {
                        params.insert(param.clone(), value);
                    }
                    None => {
                        self.mistake(&path.join("."), "object", "`params` is given in two forms.");
                    }
                }
            }
            (None, [name]) => self.named_effect(name, value),
            (None, [name, param]) => self.named.push(RawEffect {
                name: name.clone(),
                index: None,
                params: vec![(param.clone(), value)],
            }),
            _ => self.mistake(&path.join("."), "exists", "There is no such field."),
        }
    }

    fn finish(mut self) -> Vec<RawEffect> {
        if !self.named.is_empty() && !self.listed.is_empty() {
            let message = "A chain is given either as an array or by names, not both.";
            self.mistake("", "form", message);
        }
        let mut effects = std::mem::take(&mut self.named);
        for (index, item) in std::mem::take(&mut self.listed) {
            effects.extend(self.finish_listed(index, item));
        }
        effects
    }

    fn finish_listed(&mut self, index: usize, item: Map<String, Value>) -> Option<RawEffect> {
        let mut name = None;
        let mut params = Some(Vec::new());
        for (key, value) in item {
            let path = format!("{index}.{key}");
            match (key.as_str(), value) {
                ("effect", Value::String(text)) => name = Some(text.trim().to_owned()),
                ("effect", _) => {
                    self.mistake(&path, "string", "`effect` is the name of an effect.");
                    return None;
                }
                ("params", Value::Null) => {}
                ("params", value) => params = self.params(&path, value),
                _ => self.mistake(&path, "exists", "An entry has only `effect` and `params`."),
            }
        }
        let Some(name) = name else {
            let message = "The name of the effect is missing.";
            self.mistake(&format!("{index}.effect"), "required", message);
            return None;
        };
        Some(RawEffect {
            name,
            index: Some(index),
            params: params?,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn collected(fields: &[(&str, &str)]) -> (Vec<RawEffect>, Vec<(String, &'static str)>) {
        let fields: Vec<_> = fields
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        let mut mistakes = Vec::new();
        let effects = collect("pre", &fields, &mut mistakes);
        let mistakes = mistakes
            .into_iter()
            .map(|mistake| (mistake.field, mistake.rule));
        (effects, mistakes.collect())
    }

    fn named(name: &str, params: &[(&str, Value)]) -> RawEffect {
        RawEffect {
            name: name.to_owned(),
            index: None,
            params: params
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
        }
    }

    /// Form fields, name and value.
    type Fields = &'static [(&'static str, &'static str)];

    #[test]
    fn every_form_that_names_effects() {
        let gate = || named("noiseGate", &[]);
        let gate_with = |value: Value| named("noiseGate", &[("ratio", value)]);
        let cases: [(Fields, Vec<RawEffect>); 12] = [
            (&[], vec![]),
            (&[("pre", " ")], vec![]),
            (&[("pre", "null")], vec![]),
            (&[("pre", "noiseGate")], vec![gate()]),
            (&[("pre", "\"noiseGate\"")], vec![gate()]),
            (
                &[("pre[]", "noiseGate"), ("pre[]", "x")],
                vec![gate(), named("x", &[])],
            ),
            (
                &[("pre", r#"{"noiseGate":{"ratio":2}}"#)],
                vec![gate_with(json!(2))],
            ),
            (
                &[("pre", r#"{"noiseGate":true,"reverb":null,"x":false}"#)],
                vec![gate()],
            ),
            (
                &[("pre[noiseGate][ratio]", "2")],
                vec![gate_with(json!("2"))],
            ),
            (&[("pre[noiseGate]", "")], vec![gate()]),
            (
                &[("pre[noiseGate]", r#"{"ratio":2}"#)],
                vec![gate_with(json!(2))],
            ),
            (&[("preset", "x"), ("pre.x", "y"), ("post", "z")], vec![]),
        ];
        for (fields, wanted) in cases {
            let (effects, mistakes) = collected(fields);
            assert_eq!(effects, wanted, "{fields:?}");
            assert_eq!(mistakes, [], "{fields:?}");
        }
    }

    #[test]
    fn every_form_that_lists_effects() {
        let wanted = vec![
            RawEffect {
                name: "reverb".to_owned(),
                index: Some(0),
                params: vec![("width".to_owned(), json!("1"))],
            },
            RawEffect {
                name: "noiseGate".to_owned(),
                index: Some(1),
                params: vec![],
            },
        ];
        let cases: [&[(&str, &str)]; 4] = [
            &[(
                "pre",
                r#"[{"effect":"reverb","params":{"width":"1"}},"noiseGate"]"#,
            )],
            &[(
                "pre",
                r#"[{"params":{"width":"1"},"effect":"reverb"},{"effect":"noiseGate"}]"#,
            )],
            &[
                ("pre[1][effect]", "noiseGate"),
                ("pre[0][params][width]", "1"),
                ("pre[0][effect]", "reverb"),
            ],
            &[
                ("pre[0]", r#"{"effect":"reverb","params":{"width":"1"}}"#),
                ("pre[1]", "noiseGate"),
            ],
        ];
        for fields in cases {
            let (effects, mistakes) = collected(fields);
            assert_eq!(effects, wanted, "{fields:?}");
            assert_eq!(mistakes, [], "{fields:?}");
        }
    }

    #[test]
    fn what_is_not_understood_is_named() {
        let cases: [(Fields, (&str, &str)); 11] = [
            (&[("pre", "{")], ("pre", "json")),
            (&[("pre", "[1")], ("pre", "json")),
            (&[("pre", "[1]")], ("pre.0", "object")),
            (
                &[("pre", r#"{"noiseGate":3}"#)],
                ("pre.noiseGate", "object"),
            ),
            (
                &[("pre", r#"[{"params":{}}]"#)],
                ("pre.0.effect", "required"),
            ),
            (&[("pre", r#"[{"effect":3}]"#)], ("pre.0.effect", "string")),
            (
                &[("pre", r#"[{"effect":"x","parameters":{}}]"#)],
                ("pre.0.parameters", "exists"),
            ),
            (
                &[("pre", r#"[{"effect":"x","params":[]}]"#)],
                ("pre.0.params", "object"),
            ),
            (
                &[("pre", r#"{"pipeline":"x"}"#)],
                ("pre.pipeline", "exists"),
            ),
            (&[("pre[a][b][c]", "1")], ("pre.a.b.c", "exists")),
            (
                &[("pre", "noiseGate"), ("pre[0]", "reverb")],
                ("pre", "form"),
            ),
        ];
        for (fields, (field, rule)) in cases {
            let (_, mistakes) = collected(fields);
            assert_eq!(mistakes, [(field.to_owned(), rule)], "{fields:?}");
        }
    }
}
