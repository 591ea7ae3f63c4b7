//! The rules of the interface for a descriptor, with bounds on everything that a guest could make long: the answer is
//! kept, sent to clients and read by people.

use std::collections::BTreeSet;

use super::descriptor::plain_spelling;
use super::{ChoiceOption, Descriptor, Kind, Parameter, Scale};
use vocalhost_letters::is_hidden;

/// Bytes of the effect's id, the interface's own bound.
const MAX_ID_BYTES: usize = 128;
/// Bytes of a key, name, unit, tag or version: a label, not a text.
const MAX_LABEL_BYTES: usize = 128;
/// Bytes of a summary: a sentence or three.
const MAX_SUMMARY_BYTES: usize = 2048;
/// Search words.
const MAX_TAGS: usize = 32;
/// Channel layouts.
const MAX_LAYOUTS: usize = 32;
/// Channels of a layout; recordings have at most eight.
pub(super) const MAX_CHANNELS: u32 = 8;
/// Parameters: more than any panel shows.
const MAX_PARAMETERS: usize = 256;
/// Options of a choice.
const MAX_OPTIONS: usize = 256;
/// Presets.
const MAX_PRESETS: usize = 128;

/// Checks every rule; the error is the first one broken, as a sentence.
pub(super) fn descriptor(descriptor: &Descriptor) -> Result<(), String> {
    effect_id(&descriptor.id)?;
    version(&descriptor.version)?;
    label("its name", &descriptor.name)?;
    if descriptor.name.is_empty() {
        return Err("its name is empty".to_owned());
    }
    label("its vendor", &descriptor.vendor)?;
    summary("its summary", &descriptor.summary)?;

    at_most("tags", descriptor.tags.len(), MAX_TAGS)?;
    for tag in &descriptor.tags {
        label("a tag", tag)?;
    }
    at_most("layouts", descriptor.layouts.len(), MAX_LAYOUTS)?;
    for layout in &descriptor.layouts {
        let channels = 1..=MAX_CHANNELS;
        if !channels.contains(&layout.inputs) || !channels.contains(&layout.outputs) {
            return Err(format!(
                "a layout has 1 to {MAX_CHANNELS} channels in and out"
            ));
        }
    }
    at_most("parameters", descriptor.parameters.len(), MAX_PARAMETERS)?;
    // Requests may spell `cutoff_hz` as `cutoffHz`, so ids must differ in more than their separators.
    let spellings = descriptor
        .parameters
        .iter()
        .map(|parameter| plain_spelling(&parameter.id));
    unique("parameter", spellings)?;
    descriptor.parameters.iter().try_for_each(parameter)?;
    presets(descriptor)
}

fn presets(descriptor: &Descriptor) -> Result<(), String> {
    at_most("presets", descriptor.presets.len(), MAX_PRESETS)?;
    unique("preset", descriptor.presets.iter().map(|preset| &preset.id))?;
    for preset in &descriptor.presets {
        key("a preset's id", &preset.id)?;
        label("a preset's name", &preset.name)?;
        for (id, value) in &preset.settings {
            let Some(parameter) = descriptor.parameter(id) else {
                return Err(format!(
                    "preset {:?} sets {id:?}, which is not a parameter",
                    preset.id
                ));
            };
            parameter
                .check(value)
                .map_err(|error| format!("preset {:?}: {id} {error}", preset.id))?;
        }
    }
    Ok(())
}

fn parameter(parameter: &Parameter) -> Result<(), String> {
    key("a parameter's id", &parameter.id)?;
    label("a parameter's name", &parameter.name)?;
    label("a parameter's group", &parameter.group)?;
    summary("a parameter's summary", &parameter.summary)?;
    match &parameter.kind {
        Kind::Toggle { .. } => {}
        Kind::Choice { options, .. } => choice(&parameter.id, options)?,
        Kind::Number {
            min,
            max,
            step,
            unit,
            scale,
            ..
        } => {
            label("a unit", unit)?;
            let finite = [min, max, step].iter().all(|number| number.is_finite());
            if !finite || min > max || *step < 0.0 {
                return Err(format!("the range of {} is not one", parameter.id));
            }
            if *scale == Scale::Logarithmic && *min <= 0.0 {
                return Err(format!(
                    "{} has a logarithmic scale from 0 or less",
                    parameter.id
                ));
            }
        }
    }
    parameter
        .check(&parameter.default_value())
        .map_err(|error| format!("the default of {} {error}", parameter.id))
}

fn choice(id: &str, options: &[ChoiceOption]) -> Result<(), String> {
    at_most("options", options.len(), MAX_OPTIONS)?;
    if options.is_empty() {
        return Err(format!("{id} has no options"));
    }
    unique("option", options.iter().map(|option| &option.id))?;
    for option in options {
        key("an option's id", &option.id)?;
        label("an option's name", &option.name)?;
    }
    Ok(())
}

/// Whether the interface allows `id` as an effect's id.
#[must_use]
pub fn is_effect_id(id: &str) -> bool {
    effect_id(id).is_ok()
}

fn effect_id(id: &str) -> Result<(), String> {
    let segment = |segment: &str| !segment.is_empty() && !segment.starts_with('-');
    let letters = |letter: u8| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.');
    let dotted = id.contains('.') && id.split('.').all(segment);
    if id.len() > MAX_ID_BYTES || !dotted || !id.bytes().all(letters) {
        return Err(
            "its id is not a dotted name of a to z, 0 to 9 and -, of at most 128 bytes".to_owned(),
        );
    }
    Ok(())
}

/// `MAJOR.MINOR.PATCH` with an optional pre-release and build, as semver.org defines it.
fn version(version: &str) -> Result<(), String> {
    let wrong = || Err("its version is not a semantic version".to_owned());
    if version.len() > MAX_LABEL_BYTES {
        return wrong();
    }
    let (core, rest) = match version.find(['-', '+']) {
        Some(end) => version.split_at(end),
        None => (version, ""),
    };
    let number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|letter| letter.is_ascii_digit())
            && (part.len() == 1 || !part.starts_with('0'))
    };
    let letters =
        |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'+' | b'.');
    let is_core = core.split('.').count() == 3 && core.split('.').all(number);
    if !is_core || !rest.bytes().all(letters) || rest.len() == 1 {
        return wrong();
    }
    Ok(())
}

fn key(what: &str, key: &str) -> Result<(), String> {
    let letters = |letter: u8| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    if key.is_empty() || key.len() > MAX_LABEL_BYTES || !key.bytes().all(letters) {
        return Err(format!(
            "{what} is not made of a to z, 0 to 9, - and _, at most {MAX_LABEL_BYTES} of them"
        ));
    }
    Ok(())
}

fn label(what: &str, text: &str) -> Result<(), String> {
    text_of(what, text, MAX_LABEL_BYTES)
}

fn summary(what: &str, text: &str) -> Result<(), String> {
    text_of(what, text, MAX_SUMMARY_BYTES)
}

fn text_of(what: &str, text: &str, limit: usize) -> Result<(), String> {
    if text.len() > limit {
        return Err(format!("{what} is longer than {limit} bytes"));
    }
    if text.contains(is_hidden) {
        return Err(format!(
            "{what} holds control characters, or some that turn the direction of text"
        ));
    }
    Ok(())
}

fn at_most(what: &str, count: usize, limit: usize) -> Result<(), String> {
    if count > limit {
        return Err(format!("it has {count} {what}, at most {limit}"));
    }
    Ok(())
}

fn unique<T: Ord>(what: &str, ids: impl Iterator<Item = T>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for id in ids {
        if !seen.insert(id) {
            return Err(format!("two of its {what}s have the same id"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, SettingValue};

    fn valid() -> Descriptor {
        serde_json::from_value(serde_json::json!({
            "id": "org.example.echo-2",
            "name": "Echo",
            "version": "1.2.0-beta.1+7",
            "vendor": "Example",
            "summary": "Says it twice.",
            "tags": ["delay"],
            "layouts": [{"inputs": 2, "outputs": 2}],
            "parameters": [{
                "id": "time_ms", "name": "Time", "group": "", "summary": "", "advanced": false,
                "type": "number", "min": 1.0, "max": 10.0, "default": 5.0, "step": 0.0, "unit": "ms",
                "scale": "logarithmic"
            }],
            "presets": [{"id": "short", "name": "Short", "settings": {"time_ms": 2.0}}]
        }))
        .expect("the mirror reads its own form")
    }

    #[test]
    fn a_descriptor_within_the_rules_passes() {
        assert_eq!(descriptor(&valid()), Ok(()));
    }

    #[test]
    fn every_broken_rule_is_named() {
        type Damage = fn(&mut Descriptor);
        let cases: [(&str, Damage); 13] = [
            ("its id", |d| d.id = "Echo".to_owned()),
            ("its id", |d| d.id = "a..b".to_owned()),
            ("its version", |d| d.version = "1.2".to_owned()),
            ("its version", |d| d.version = "1.02.0".to_owned()),
            ("its name is longer", |d| d.name = "x".repeat(1_000)),
            ("its summary holds control", |d| {
                d.summary = "a\u{7}b".to_owned();
            }),
            ("tags", |d| d.tags = vec!["gate".to_owned(); 1_000]),
            ("a layout has", |d| {
                d.layouts.push(Layout {
                    inputs: 0,
                    outputs: 1,
                });
            }),
            ("same id", |d| {
                let copy = d.parameters[0].clone();
                d.parameters.push(copy);
            }),
            ("a parameter's id", |d| {
                d.parameters[0].id = "Time".to_owned();
            }),
            ("logarithmic", |d| {
                if let Kind::Number { min, .. } = &mut d.parameters[0].kind {
                    *min = 0.0;
                }
            }),
            ("the default of time_ms", |d| {
                if let Kind::Number { default, .. } = &mut d.parameters[0].kind {
                    *default = f64::NAN;
                }
            }),
            ("preset \"short\"", |d| {
                d.presets[0]
                    .settings
                    .insert("time_ms".to_owned(), SettingValue::Number(99.0));
            }),
        ];
        for (expected, damage) in cases {
            let mut damaged = valid();
            damage(&mut damaged);
            let reason = descriptor(&damaged).expect_err(expected);
            assert!(reason.contains(expected), "{reason:?} names {expected:?}");
        }
    }
}
