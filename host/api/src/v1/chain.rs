use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::chain_form::{self, RawChain, RawEffect};
use crate::rules::problem::FieldError;
use vocalhost_catalogues::shelf::ListedEffect;
use vocalhost_effects::{Descriptor, Kind, Parameter, ParameterError, SettingValue};
use vocalhost_http::toggle;
use vocalhost_job::{Chain, ChainItem};

/// No sensible chain is longer, and every effect costs memory and time.
const MAX_EFFECTS: usize = 32;
/// How many characters of an unknown effect's name are repeated in a mistake.
pub(crate) const MAX_SHOWN_NAME: usize = 64;

/// Where a chain runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the input.
    Pre,
    /// On the output.
    Post,
}

impl Place {
    /// The form field.
    #[must_use]
    pub const fn field(self) -> &'static str {
        match self {
            Self::Pre => "pre",
            Self::Post => "post",
        }
    }

    /// The effects that the forms without an order admit, in the order in which they run.
    fn order(self) -> &'static [&'static str] {
        match self {
            Self::Pre => &["noiseGate", "highPassFilter", "lowPassFilter", "compressor"],
            Self::Post => &["compressor", "chorus", "delay", "reverb"],
        }
    }
}

/// An installed effect, as far as requests are concerned.
#[derive(Debug, Clone, Copy)]
pub struct KnownEffect<'a> {
    /// What it is.
    pub descriptor: &'a Descriptor,
    /// SHA-256 of its component, lower-case hex.
    pub digest: &'a str,
    /// The name of the contract.
    pub alias: Option<&'static str>,
}

impl<'a> From<&'a ListedEffect> for KnownEffect<'a> {
    fn from(effect: &'a ListedEffect) -> Self {
        Self {
            descriptor: &effect.descriptor,
            digest: &effect.record.effect.digest,
            alias: effect.alias,
        }
    }
}

/// Finds an installed effect by any of its names.
pub type Find<'a> = dyn Fn(&str) -> Option<KnownEffect<'a>> + 'a;

/// What the chains of a request may name.
#[derive(Clone, Copy)]
pub(crate) struct Library<'a> {
    /// The installed effects.
    pub find: &'a Find<'a>,
    /// The chains of the pipelines that the request names and its caller may use, as they were saved.
    pub pipelines: &'a BTreeMap<String, Value>,
}

/// Where an entry of a chain stands, for the paths of mistakes and for the order of the effects.
#[derive(Clone, Copy)]
struct Spot<'a> {
    /// What the chain is called: `pre`, `chain`, `post.pipeline.warm`.
    path: &'a str,
    /// The effects that forms without an order admit here.
    order: &'static [&'static str],
}

/// Reads a chain in every accepted form and spelling. Whatever is wrong is added to `mistakes`, and the chain is then
/// of no use.
pub(crate) fn parse(
    place: Place,
    fields: &[(String, String)],
    library: &Library<'_>,
    mistakes: &mut Vec<FieldError>,
) -> Chain {
    let path = place.field();
    match chain_form::collect(path, fields, mistakes) {
        RawChain::Effects(effects) => {
            let order = place.order();
            resolve(Spot { path, order }, effects, library.find, mistakes)
        }
        RawChain::Pipeline(name) => named(path, &name, library, mistakes),
    }
}

/// The pipelines that the chains of a request name.
#[must_use]
pub(crate) fn pipeline_names(fields: &[(String, String)]) -> BTreeSet<String> {
    let places = [Place::Pre, Place::Post].into_iter();
    // Mistakes are reported when the chains are parsed.
    let chains = places.map(|place| chain_form::collect(place.field(), fields, &mut Vec::new()));
    let names = chains.filter_map(|chain| match chain {
        RawChain::Pipeline(name) => Some(name),
        RawChain::Effects(_) => None,
    });
    names.collect()
}

/// Reads the chain of a pipeline, which has the array form alone: a pipeline serves before and after the voice, so
/// that no order can be taken for granted. `path` is what it is called in mistakes.
pub(crate) fn parse_saved(
    path: &str,
    chain: &Value,
    find: &Find<'_>,
    mistakes: &mut Vec<FieldError>,
) -> Chain {
    let effects = chain_form::list(path, chain, mistakes);
    resolve(Spot { path, order: &[] }, effects, find, mistakes)
}

/// The chain that a pipeline stands for, with the effects that are installed now.
fn named(chain: &str, name: &str, library: &Library<'_>, mistakes: &mut Vec<FieldError>) -> Chain {
    let Some(saved) = library.pipelines.get(name) else {
        let message = "There is no pipeline of this name that you can use.";
        mistakes.push(FieldError::new(
            format!("{chain}.pipeline"),
            "exists",
            message,
        ));
        return Chain::new();
    };
    let mut found = Vec::new();
    let path = format!("{chain}.pipeline.{name}");
    let chain = parse_saved(&path, saved, library.find, &mut found);
    mistakes.extend(found.into_iter().map(|mistake| {
        let message = format!("The pipeline `{name}` no longer fits: {}", mistake.message);
        FieldError { message, ..mistake }
    }));
    chain
}

/// Finds the effects and checks their parameters.
fn resolve(
    spot: Spot<'_>,
    effects: Vec<RawEffect>,
    find: &Find<'_>,
    mistakes: &mut Vec<FieldError>,
) -> Chain {
    let mut links: Vec<Link<'_>> = Vec::new();
    for effect in effects {
        let Some(known) = known(spot, &effect, find, mistakes) else {
            continue;
        };
        let at = match effect.index {
            Some(_) => None,
            None => links.iter().position(|link| link.is_named(known)),
        };
        let at = at.unwrap_or_else(|| {
            links.push(Link::new(spot, &effect, known));
            links.len() - 1
        });
        links[at].set_all(&effect.params, mistakes);
    }
    if links.len() > MAX_EFFECTS {
        let message = format!("`{}` has more than {MAX_EFFECTS} effects.", spot.path);
        mistakes.push(FieldError::new(spot.path, "count", message).with("max", MAX_EFFECTS));
    }
    // Stable: the array form keeps its own order.
    links.sort_by_key(|link| link.rank);
    links.into_iter().map(Link::finish).collect()
}

/// The effect that a request means, if it is installed and admitted here.
fn known<'a>(
    spot: Spot<'_>,
    effect: &RawEffect,
    find: &Find<'a>,
    mistakes: &mut Vec<FieldError>,
) -> Option<KnownEffect<'a>> {
    let chain = spot.path;
    let name: String = effect.name.chars().take(MAX_SHOWN_NAME).collect();
    let field = match effect.index {
        Some(index) => format!("{chain}.{index}.effect"),
        None => format!("{chain}.{name}"),
    };
    let Some(known) = find(&effect.name) else {
        let message =
            format!("There is no installed effect {name:?}; the list of effects has their ids.");
        mistakes.push(FieldError::new(field, "exists", message));
        return None;
    };
    let admitted = known.alias.is_some_and(|alias| spot.order.contains(&alias));
    if effect.index.is_none() && !admitted {
        let message = format!(
            "Named like this, `{chain}` takes {}; the array form takes every installed effect.",
            spot.order.join(", ")
        );
        let mistake = FieldError::new(field, "enum", message);
        mistakes.push(mistake.with("choices", json!(spot.order)));
        return None;
    }
    Some(known)
}

/// One effect of the chain while its parameters are gathered.
struct Link<'a> {
    known: KnownEffect<'a>,
    /// The path of its parameters.
    path: String,
    /// Its place in the order of the forms without one; 0 for all effects of the array form.
    rank: usize,
    listed: bool,
    settings: BTreeMap<String, vocalhost_job::SettingValue>,
}

impl<'a> Link<'a> {
    fn new(spot: Spot<'_>, effect: &RawEffect, known: KnownEffect<'a>) -> Self {
        let chain = spot.path;
        let alias = known.alias.unwrap_or(&known.descriptor.id);
        let (path, rank) = if let Some(index) = effect.index {
            (format!("{chain}.{index}.params"), 0)
        } else {
            let rank = spot.order.iter().position(|name| *name == alias);
            (format!("{chain}.{alias}"), rank.unwrap_or_default())
        };
        Self {
            known,
            path,
            rank,
            listed: effect.index.is_some(),
            settings: BTreeMap::new(),
        }
    }

    fn is_named(&self, known: KnownEffect<'_>) -> bool {
        !self.listed && self.known.descriptor.id == known.descriptor.id
    }

    fn set_all(&mut self, params: &[(String, Value)], mistakes: &mut Vec<FieldError>) {
        for (name, value) in params {
            if let Err(mistake) = self.set(name, value) {
                mistakes.push(*mistake);
            }
        }
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<(), Box<FieldError>> {
        let Some(parameter) = self.known.descriptor.find_parameter(name) else {
            let field = format!("{}.{name}", self.path);
            let descriptor = &self.known.descriptor;
            let ids: Vec<&str> = descriptor
                .parameters
                .iter()
                .map(|parameter| parameter.id.as_str())
                .collect();
            let ids = match ids[..] {
                [] => "none".to_owned(),
                _ => ids.join(", "),
            };
            let name = &descriptor.name;
            let message = format!("`{name}` has no such parameter; it has {ids}.");
            return Err(Box::new(FieldError::new(field, "exists", message)));
        };
        let field = format!("{}.{}", self.path, parameter.id);
        let value = convert(parameter, value);
        if let Err(error) = parameter.check(&value) {
            return Err(Box::new(explain(&field, &parameter.id, &error)));
        }
        let value = match value {
            SettingValue::Toggle(on) => vocalhost_job::SettingValue::Toggle(on),
            SettingValue::Number(number) => vocalhost_job::SettingValue::Number(number),
            SettingValue::Choice(id) => vocalhost_job::SettingValue::Choice(id),
        };
        if self.settings.insert(parameter.id.clone(), value).is_some() {
            let message = format!("`{}` is given twice.", parameter.id);
            return Err(Box::new(FieldError::new(field, "distinct", message)));
        }
        Ok(())
    }

    fn finish(self) -> ChainItem {
        ChainItem {
            id: self.known.descriptor.id.clone(),
            version: self.known.descriptor.version.clone(),
            digest: self.known.digest.to_owned(),
            settings: self.settings,
        }
    }
}

/// A value in the parameter's own type where it can be read as one: forms carry numbers and booleans as text. What
/// cannot stays of a type that the parameter's check refuses.
fn convert(parameter: &Parameter, value: &Value) -> SettingValue {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        Value::Bool(on) if !matches!(parameter.kind, Kind::Toggle { .. }) => {
            return SettingValue::Toggle(*on);
        }
        Value::Bool(on) => on.to_string(),
        // Fits no kind: an option's id is never empty.
        Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
    };
    let read = match parameter.kind {
        Kind::Number { .. } => text.parse().ok().map(SettingValue::Number),
        Kind::Toggle { .. } => toggle::read(&text).map(SettingValue::Toggle),
        Kind::Choice { .. } => None,
    };
    read.unwrap_or(SettingValue::Choice(text))
}

fn explain(field: &str, id: &str, error: &ParameterError) -> FieldError {
    let message = format!("`{id}` {error}.");
    match error {
        ParameterError::Unknown => FieldError::new(field, "exists", message),
        ParameterError::Type { expected } => {
            let rule = match *expected {
                "a number" => "number",
                "a string" => "string",
                _ => "boolean",
            };
            FieldError::new(field, rule, message)
        }
        ParameterError::NotFinite => FieldError::new(field, "number", message),
        ParameterError::Range { min, max } => FieldError::new(field, "range", message)
            .with("min", *min)
            .with("max", *max),
        ParameterError::Step { min, step } => FieldError::new(field, "step", message)
            .with("min", *min)
            .with("step", *step),
        ParameterError::Option { options } => {
            let choices: Vec<&str> = options.split(", ").collect();
            FieldError::new(field, "enum", message).with("choices", json!(choices))
        }
    }
}

#[cfg(test)]
#[path = "chain_tests.rs"]
mod tests;
