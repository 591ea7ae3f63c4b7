use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::rules::problem::FieldError;
use vocalhost_http::toggle;

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

/// What a request says a chain is.
#[derive(Debug, Clone, PartialEq)]
pub enum RawChain {
    /// These effects.
    Effects(Vec<RawEffect>),
    /// Whatever was saved under this name.
    Pipeline(String),
}

/// The entry that names a pipeline where others name effects.
const PIPELINE: &str = "pipeline";

const NO_CHAIN: &str =
    "The chain is neither valid JSON (an object or an array) nor the name of an effect";

/// A chain with more entries is not gone through one by one: each might be a mistake, and the answer many times as long
/// as the request.
const MAX_ENTRIES: usize = 256;

/// Reads every form that a chain (`pre` or `post`) may take among a form's text fields: one JSON text (object, array
/// or string), bracket fields, repeated bare names and entries. What is not understood is added to `mistakes`.
pub fn collect(
    chain: &str,
    fields: &[(String, String)],
    mistakes: &mut Vec<FieldError>,
) -> RawChain {
    let entries = repeated(chain, fields);
    let mut collected = Collected::new(chain, mistakes);
    for (name, text) in fields {
        match segments(chain, name) {
            Some(path) if path.is_empty() && !entries.is_empty() => {}
            Some(path) if path.is_empty() => collected.whole(text),
            Some(path) => collected.bracket(&path, text),
            None => {}
        }
    }
    if entries.len() > MAX_ENTRIES {
        collected.too_many();
        return RawChain::Effects(Vec::new());
    }
    for (index, entry) in entries.into_iter().enumerate() {
        collected.listed_effect(index, entry);
    }
    collected.finish()
}

/// The entries of the array form where each has a field of its own, which is how generated clients send an array in a form. There is
/// at least one object with `effect` among them; bare names alone, and texts that are a whole chain, are read elsewhere.
fn repeated(chain: &str, fields: &[(String, String)]) -> Vec<Value> {
    let is_whole = |name: &str| segments(chain, name).is_some_and(|path| path.is_empty());
    let texts = fields.iter().filter(|(name, _)| is_whole(name));
    let texts = texts.map(|(_, text)| text.trim());
    let entries = texts.filter(|text| !text.is_empty()).map(|text| {
        if text.starts_with(['{', '[', '"']) || text == "null" {
            serde_json::from_str(text).unwrap_or_default()
        } else {
            Value::String(text.to_owned())
        }
    });
    let entries: Vec<Value> = entries.collect();
    let names_effect = |entry: &Value| {
        let name = entry["effect"].as_str();
        name.is_some_and(|name| toggle::read(name).is_none())
    };
    let fits = |entry: &Value| entry.is_string() || names_effect(entry);
    if entries.iter().any(names_effect) && entries.iter().all(fits) {
        return entries;
    }
    Vec::new()
}

/// Reads a chain in the array form. `chain` is what it is called in mistakes.
pub fn list(chain: &str, given: &Value, mistakes: &mut Vec<FieldError>) -> Vec<RawEffect> {
    let mut collected = Collected::new(chain, mistakes);
    let Some(effects) = given.as_array() else {
        collected.mistake("", "array", "The chain is not an array of effects.");
        return Vec::new();
    };
    if effects.len() > MAX_ENTRIES {
        collected.too_many();
        return Vec::new();
    }
    for (index, given) in effects.iter().enumerate() {
        collected.listed_effect(index, given.clone());
    }
    collected.effects()
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
    pipeline: Option<String>,
    mistakes: &'a mut Vec<FieldError>,
}

impl<'a> Collected<'a> {
    fn new(chain: &'a str, mistakes: &'a mut Vec<FieldError>) -> Self {
        Self {
            chain,
            named: Vec::new(),
            listed: BTreeMap::new(),
            pipeline: None,
            mistakes,
        }
    }

    fn mistake(&mut self, path: &str, rule: &'static str, message: &str) {
        let field = if path.is_empty() {
            self.chain.to_owned()
        } else {
            format!("{}.{path}", self.chain)
        };
        self.mistakes.push(FieldError::new(field, rule, message));
    }

    fn too_many(&mut self) {
        let message = format!("`{}` has more than {MAX_ENTRIES} effects.", self.chain);
        self.mistake("", "count", &message);
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
            Ok(Value::Object(effects)) if effects.len() > MAX_ENTRIES => self.too_many(),
            Ok(Value::Array(effects)) if effects.len() > MAX_ENTRIES => self.too_many(),
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
            Ok(Value::Bool(_) | Value::Number(_)) => {
                self.mistake("", "json", &format!("{NO_CHAIN}."));
            }
            Err(error) => {
                let reason = error.to_string();
                if reason.starts_with("number out of range") {
                    self.mistake("", "range", &format!("The chain has a {reason}."));
                } else {
                    self.mistake("", "json", &format!("{NO_CHAIN}: {reason}."));
                }
            }
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
        if name == PIPELINE {
            self.name_pipeline(given);
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

    /// The entry that stands for the whole chain; nothing and an empty text are as good as none.
    fn name_pipeline(&mut self, given: Value) {
        match given {
            Value::Null => {}
            Value::String(name) if name.trim().is_empty() => {}
            Value::String(_) if self.pipeline.is_some() => {
                self.mistake(PIPELINE, "distinct", "`pipeline` is given twice.");
            }
            Value::String(name) => self.pipeline = Some(name.trim().to_owned()),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                self.mistake(PIPELINE, "string", "`pipeline` is the name of a pipeline.");
            }
        }
    }

    /// An effect's parameters: an object, or a yes for the defaults. `None` when the effect is left out.
    fn params(&mut self, path: &str, given: Value) -> Option<Vec<(String, Value)>> {
        match given {
            Value::Object(params) => Some(params.into_iter().collect()),
            Value::Bool(true) => Some(Vec::new()),
            Value::Bool(false) | Value::Null => None,
            Value::String(text) => match (text.trim(), toggle::read(text.trim())) {
                ("", _) | (_, Some(true)) => Some(Vec::new()),
                ("null", _) | (_, Some(false)) => None,
                (text, None) => match serde_json::from_str(text) {
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

    fn finish(mut self) -> RawChain {
        let has_effects = !self.named.is_empty() || !self.listed.is_empty();
        if let Some(name) = self.pipeline.take() {
            if has_effects {
                let message =
                    "A pipeline stands for the whole chain: it takes no effects beside it.";
                self.mistake("", "form", message);
            }
            return RawChain::Pipeline(name);
        }
        if !self.named.is_empty() && !self.listed.is_empty() {
            let message = "A chain is given either as an array or by names, not both.";
            self.mistake("", "form", message);
        }
        RawChain::Effects(self.effects())
    }

    fn effects(mut self) -> Vec<RawEffect> {
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
#[path = "chain_form_tests.rs"]
mod tests;
