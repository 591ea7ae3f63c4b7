//! What every descriptor has to hold.

use std::collections::BTreeSet;

use crate::{Choice, Descriptor, Kind, Number, Parameter, Preset, Scale, Value};

/// Bytes of a name, word, unit or id.
const MAX_LABEL_BYTES: usize = 128;

/// Channels of a layout.
const MAX_CHANNELS: u32 = 8;

/// How far, in steps, a value may lie from a step: decimal fractions have no exact
/// binary form.
const STEP_TOLERANCE: f64 = 1.0e-6;

/// Ids are well-formed and unique, ranges are ranges, and presets hold legal values: the
/// rules by which a host accepts a descriptor.
///
/// # Panics
/// When a rule is broken; the message names it.
pub fn assert_descriptor_is_sound(descriptor: &Descriptor) {
    assert_id_is_dotted(&descriptor.id);
    assert_version_is_semantic(&descriptor.version);
    assert_is_label("the name", &descriptor.name);
    assert!(descriptor.vendor.len() <= MAX_LABEL_BYTES, "the vendor");
    for layout in &descriptor.layouts {
        for channels in [layout.inputs, layout.outputs] {
            assert!((1..=MAX_CHANNELS).contains(&channels), "{layout:?}");
        }
    }
    let parameters = &descriptor.parameters;
    assert_are_keys(parameters.iter().map(|parameter| &parameter.id));
    for parameter in parameters {
        assert_is_label(&parameter.id, &parameter.name);
        assert_kind_is_sound(parameter);
    }
    assert_are_keys(descriptor.presets.iter().map(|preset| &preset.id));
    for preset in &descriptor.presets {
        assert_preset_is_sound(preset, parameters);
    }
}

fn assert_id_is_dotted(id: &str) {
    let is_part = |part: &str| {
        let letters = |letter: u8| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'-');
        !part.is_empty() && !part.starts_with('-') && part.bytes().all(letters)
    };
    let dotted = id.contains('.') && id.split('.').all(is_part);
    assert!(
        dotted && id.len() <= MAX_LABEL_BYTES,
        "the id `{id}` is not dotted parts of a to z, 0 to 9 and -"
    );
}

fn assert_version_is_semantic(version: &str) {
    let core = version.split(['-', '+']).next().unwrap_or_default();
    let numbers: Vec<&str> = core.split('.').collect();
    let is_number = |part: &&str| {
        part.bytes().all(|letter| letter.is_ascii_digit())
            && (*part == "0" || !part.starts_with('0'))
            && !part.is_empty()
    };
    assert!(
        numbers.len() == 3 && numbers.iter().all(is_number),
        "the version `{version}` is not a semantic version"
    );
}

fn assert_is_label(what: &str, text: &str) {
    assert!(
        !text.is_empty() && text.len() <= MAX_LABEL_BYTES && !text.contains(char::is_control),
        "{what}: `{text}` is no label"
    );
}

/// Keys are made of the right letters, and differ in more than `-` and `_`.
fn assert_are_keys<'a>(keys: impl Iterator<Item = &'a String>) {
    let mut seen = BTreeSet::new();
    for key in keys {
        assert_is_label("an id", key);
        let letters = |letter: u8| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
        assert!(
            key.bytes().all(letters),
            "the id `{key}` is not made of a to z, 0 to 9, - and _"
        );
        assert!(
            seen.insert(key.replace(['-', '_'], "")),
            "two ids read like `{key}`"
        );
    }
}

fn assert_kind_is_sound(parameter: &Parameter) {
    let id = &parameter.id;
    let default = match &parameter.kind {
        Kind::Toggle(_) => return,
        Kind::Number(number) => {
            let finite = [number.min, number.max, number.step]
                .iter()
                .all(|bound| bound.is_finite());
            assert!(
                finite && number.min <= number.max && number.step >= 0.0,
                "{id}: its range is none"
            );
            assert!(
                number.min > 0.0 || number.scale != Scale::Logarithmic,
                "{id}: a logarithmic scale begins above 0"
            );
            Value::Number(number.default)
        }
        Kind::Choice(choice) => {
            assert_are_keys(choice.options.iter().map(|option| &option.id));
            for option in &choice.options {
                assert_is_label(id, &option.name);
            }
            Value::Choice(choice.default.clone())
        }
    };
    assert!(
        accepts(&parameter.kind, &default),
        "{id}: its default is not legal"
    );
}

fn assert_preset_is_sound(preset: &Preset, parameters: &[Parameter]) {
    assert_is_label(&preset.id, &preset.name);
    let mut seen = BTreeSet::new();
    for setting in &preset.settings {
        let (preset, id) = (&preset.id, &setting.id);
        assert!(seen.insert(id), "{preset}: sets {id} twice");
        let parameter = parameters.iter().find(|parameter| parameter.id == *id);
        let parameter = parameter.unwrap_or_else(|| panic!("{preset}: {id} is not a parameter"));
        let legal = accepts(&parameter.kind, &setting.value);
        assert!(legal, "{preset}: {id} is not set to a legal value");
    }
}

fn accepts(kind: &Kind, value: &Value) -> bool {
    match (kind, value) {
        (Kind::Toggle(_), Value::Toggle(_)) => true,
        (Kind::Number(Number { min, max, step, .. }), Value::Number(value)) => {
            let steps = (value - min) / step;
            let on_step = *step == 0.0 || (steps - steps.round()).abs() <= STEP_TOLERANCE;
            (*min..=*max).contains(value) && on_step
        }
        (Kind::Choice(Choice { options, .. }), Value::Choice(id)) => {
            options.iter().any(|option| option.id == *id)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(parameter: Parameter) -> Descriptor {
        Descriptor::new("com.example.test", "Test", "1.0.0").parameter(parameter)
    }

    fn shape() -> Parameter {
        Parameter::choice("shape", "Shape", &[("sine", "Sine"), ("square", "Square")])
    }

    #[test]
    fn a_descriptor_within_the_rules_passes() {
        let level = Parameter::number("level", "Level", Number::linear(0.0, 1.0, 0.3).step(0.1));
        let descriptor = with(shape().default_option("square"))
            .parameter(level)
            .parameter(Parameter::toggle("wide", "Wide", true))
            .preset("a", "A", &[("level", 0.7)])
            .preset(
                "b",
                "B",
                &[("shape", Value::from("sine")), ("wide", false.into())],
            );
        assert_descriptor_is_sound(&descriptor);
    }

    #[test]
    #[should_panic(expected = "two ids read like `cut_off`")]
    fn ids_that_differ_only_in_separators_are_found() {
        let range = || Number::linear(0.0, 1.0, 0.5);
        let first = Parameter::number("cutoff", "Cutoff", range());
        let second = Parameter::number("cut_off", "Cutoff", range());
        assert_descriptor_is_sound(&with(first).parameter(second));
    }

    #[test]
    #[should_panic(expected = "a: shape is not set to a legal value")]
    fn a_preset_with_an_option_that_does_not_exist_is_found() {
        assert_descriptor_is_sound(&with(shape()).preset("a", "A", &[("shape", "saw")]));
    }

    #[test]
    #[should_panic(expected = "level: its default is not legal")]
    fn a_default_between_steps_is_found() {
        let level = Number::linear(0.0, 1.0, 0.25).step(0.1);
        assert_descriptor_is_sound(&with(Parameter::number("level", "Level", level)));
    }
}
