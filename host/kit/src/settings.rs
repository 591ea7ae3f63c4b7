use std::collections::BTreeMap;

use super::KitError;
use vocalhost_effects::{Descriptor, Kind, Parameter, ParameterError, SettingValue};

/// Parameters that are not left at their default, by id.
pub type Settings = BTreeMap<String, SettingValue>;

/// The settings that a command line asks for: a preset's, changed by `NAME=VALUE` assignments.
///
/// Names go in any spelling that requests may use (`threshold_db`, `thresholdDb`). A number may carry the parameter's
/// unit (`-20dB`), a toggle is `true`, `false`, `on`, `off`, `1` or `0`, and a choice is an option's id.
pub fn parse_settings(
    descriptor: &Descriptor,
    preset: Option<&str>,
    assignments: &[String],
) -> Result<Settings, KitError> {
    let mut settings = match preset {
        Some(name) => preset_settings(descriptor, name)?,
        None => Settings::new(),
    };
    let mut assigned = Settings::new();
    for assignment in assignments {
        let Some((name, text)) = assignment.split_once('=') else {
            return Err(KitError::Assignment {
                given: assignment.clone(),
            });
        };
        let parameter = find_parameter(descriptor, name.trim())?;
        let value = parse_value(parameter, text.trim())?;
        if assigned.insert(parameter.id.clone(), value).is_some() {
            return Err(KitError::Twice {
                parameter: parameter.id.clone(),
            });
        }
    }
    settings.append(&mut assigned);
    Ok(settings)
}

/// The settings as a person would say them: `threshold_db -20 dB, ratio 4:1`, in the descriptor's order; empty when
/// everything is at its default.
#[must_use]
pub fn settings_in_words(descriptor: &Descriptor, settings: &Settings) -> String {
    let said = descriptor.parameters.iter().filter_map(|parameter| {
        let value = settings.get(&parameter.id)?;
        Some(format!(
            "{} {}",
            parameter.id,
            value_in_words(parameter, value)
        ))
    });
    said.collect::<Vec<_>>().join(", ")
}

fn preset_settings(descriptor: &Descriptor, name: &str) -> Result<Settings, KitError> {
    let presets = &descriptor.presets;
    let preset = presets.iter().find(|preset| preset.id == name).or_else(|| {
        presets
            .iter()
            .find(|preset| preset.id.eq_ignore_ascii_case(name))
    });
    preset
        .map(|preset| preset.settings.clone())
        .ok_or_else(|| KitError::UnknownPreset {
            effect: descriptor.id.clone(),
            name: name.to_owned(),
            known: listed(presets.iter().map(|preset| preset.id.as_str())),
        })
}

fn find_parameter<'a>(descriptor: &'a Descriptor, name: &str) -> Result<&'a Parameter, KitError> {
    descriptor
        .find_parameter(name)
        .ok_or_else(|| KitError::UnknownParameter {
            effect: descriptor.id.clone(),
            name: name.to_owned(),
            known: listed(descriptor.parameters.iter().map(|known| known.id.as_str())),
        })
}

fn parse_value(parameter: &Parameter, text: &str) -> Result<SettingValue, KitError> {
    let read = match &parameter.kind {
        Kind::Number { unit, .. } => without_unit(text, unit)
            .parse()
            .ok()
            .map(SettingValue::Number),
        Kind::Toggle { .. } => match text.to_ascii_lowercase().as_str() {
            "true" | "on" | "1" => Some(SettingValue::Toggle(true)),
            "false" | "off" | "0" => Some(SettingValue::Toggle(false)),
            _ => None,
        },
        Kind::Choice { options, .. } => options
            .iter()
            .find(|option| option.id.eq_ignore_ascii_case(text))
            .map(|option| SettingValue::Choice(option.id.clone())),
    };
    // A value that cannot be read gets a type that the check refuses: an option's id is never empty.
    let value = read.unwrap_or(SettingValue::Choice(String::new()));
    match parameter.check(&value) {
        Ok(()) => Ok(value),
        Err(reason) => Err(KitError::Value {
            parameter: parameter.id.clone(),
            given: text.to_owned(),
            reason: complaint(&reason),
            accepted: accepted(parameter),
        }),
    }
}

/// What is wrong, without the allowed values, which are given once.
fn complaint(error: &ParameterError) -> String {
    match error {
        ParameterError::Unknown => "belongs to no parameter".to_owned(),
        ParameterError::Type { expected } => format!("is not {expected}"),
        ParameterError::NotFinite => "is not finite".to_owned(),
        ParameterError::Range { .. } => "is out of range".to_owned(),
        ParameterError::Step { .. } => "lies between two steps".to_owned(),
        ParameterError::Option { .. } => "is not an option".to_owned(),
    }
}

/// The number in front of its unit, when the unit is there.
fn without_unit<'a>(text: &'a str, unit: &str) -> &'a str {
    let Some(start) = text.len().checked_sub(unit.len()) else {
        return text;
    };
    match text.split_at_checked(start) {
        Some((number, end)) if end.eq_ignore_ascii_case(unit) => number.trim_end(),
        _ => text,
    }
}

/// What a parameter takes: `-100 to 0 dB (-100 by default)`.
fn accepted(parameter: &Parameter) -> String {
    let values = match &parameter.kind {
        Kind::Number {
            min,
            max,
            step,
            unit,
            ..
        } => {
            let unit = spaced(unit);
            let steps = if *step > 0.0 {
                format!(" in steps of {step}{unit}")
            } else {
                String::new()
            };
            format!("{min} to {max}{unit}{steps}")
        }
        Kind::Toggle { .. } => "on or off".to_owned(),
        Kind::Choice { options, .. } => listed(options.iter().map(|option| option.id.as_str())),
    };
    let default = value_in_words(parameter, &parameter.default_value());
    format!("{values} ({default} by default)")
}

fn value_in_words(parameter: &Parameter, value: &SettingValue) -> String {
    match (value, &parameter.kind) {
        (SettingValue::Number(number), Kind::Number { unit, .. }) => {
            format!("{number}{}", spaced(unit))
        }
        (SettingValue::Number(number), _) => number.to_string(),
        (SettingValue::Toggle(on), _) => if *on { "on" } else { "off" }.to_owned(),
        (SettingValue::Choice(id), _) => id.clone(),
    }
}

/// A unit as it follows a number: `:1` directly, others after a space.
fn spaced(unit: &str) -> String {
    if unit.is_empty() || unit.starts_with([':', '%', '°']) {
        unit.to_owned()
    } else {
        format!(" {unit}")
    }
}

fn listed<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let ids: Vec<&str> = ids.collect();
    if ids.is_empty() {
        "none".to_owned()
    } else {
        ids.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocalhost_effects::{ChoiceOption, Preset, Scale};

    fn parameter(id: &str, kind: Kind) -> Parameter {
        Parameter {
            id: id.to_owned(),
            name: id.to_owned(),
            group: String::new(),
            summary: String::new(),
            kind,
            advanced: false,
        }
    }

    fn descriptor() -> Descriptor {
        let option = |id: &str| ChoiceOption {
            id: id.to_owned(),
            name: id.to_owned(),
        };
        let threshold = Kind::Number {
            min: -100.0,
            max: 0.0,
            default: -20.0,
            step: 0.0,
            unit: "dB".to_owned(),
            scale: Scale::Linear,
        };
        let curve = Kind::Choice {
            options: vec![option("soft"), option("hard")],
            default: "soft".to_owned(),
        };
        Descriptor {
            id: "org.example.squash".to_owned(),
            name: "Squash".to_owned(),
            version: "1.0.0".to_owned(),
            vendor: String::new(),
            summary: String::new(),
            tags: Vec::new(),
            layouts: Vec::new(),
            parameters: vec![
                parameter("threshold_db", threshold),
                parameter("listen", Kind::Toggle { default: false }),
                parameter("curve", curve),
            ],
            presets: vec![Preset {
                id: "speech".to_owned(),
                name: "Speech".to_owned(),
                settings: Settings::from([(
                    "threshold_db".to_owned(),
                    SettingValue::Number(-30.0),
                )]),
            }],
        }
    }

    fn parse(preset: Option<&str>, assignments: &[&str]) -> Result<Settings, KitError> {
        let assignments: Vec<String> = assignments.iter().map(|text| (*text).to_owned()).collect();
        parse_settings(&descriptor(), preset, &assignments)
    }

    fn complaint(preset: Option<&str>, assignments: &[&str]) -> String {
        let error = parse(preset, assignments).expect_err("it is wrong");
        assert!(error.is_wrong_usage(), "{error}");
        error.to_string()
    }

    #[test]
    fn names_go_in_any_spelling_and_numbers_with_their_unit() {
        for spelling in [
            "threshold_db=-12.5",
            "thresholdDb=-12.5dB",
            "ThresholdDB = -12.5 db",
            "threshold-db=-1.25e1",
        ] {
            let settings = parse(None, &[spelling]).expect(spelling);
            assert_eq!(settings["threshold_db"], SettingValue::Number(-12.5));
        }
    }

    #[test]
    fn toggles_and_choices_are_read_from_words() {
        let settings = parse(None, &["listen=ON", "curve=Hard"]).expect("legal");
        assert_eq!(settings["listen"], SettingValue::Toggle(true));
        assert_eq!(settings["curve"], SettingValue::Choice("hard".to_owned()));
        assert_eq!(
            settings_in_words(&descriptor(), &settings),
            "listen on, curve hard"
        );
    }

    #[test]
    fn an_assignment_wins_over_the_preset() {
        let settings = parse(Some("speech"), &["listen=1"]).expect("legal");
        assert_eq!(
            settings_in_words(&descriptor(), &settings),
            "threshold_db -30 dB, listen on"
        );
        let settings = parse(Some("Speech"), &["threshold_db=-5"]).expect("legal");
        assert_eq!(settings["threshold_db"], SettingValue::Number(-5.0));
    }

    #[test]
    fn a_wrong_value_is_told_parameter_range_unit_and_default() {
        assert_eq!(
            complaint(None, &["thresholdDb=6"]),
            "threshold_db: \"6\" is out of range; it takes -100 to 0 dB (-20 dB by default)"
        );
        assert_eq!(
            complaint(None, &["threshold_db=loud"]),
            "threshold_db: \"loud\" is not a number; it takes -100 to 0 dB (-20 dB by default)"
        );
        assert_eq!(
            complaint(None, &["listen=maybe"]),
            "listen: \"maybe\" is not true or false; it takes on or off (off by default)"
        );
        assert_eq!(
            complaint(None, &["curve=round"]),
            "curve: \"round\" is not an option; it takes soft, hard (soft by default)"
        );
        assert!(complaint(None, &["threshold_db=nan"]).contains("finite"));
    }

    #[test]
    fn what_does_not_exist_is_told_what_does() {
        assert_eq!(
            complaint(None, &["treshold=1"]),
            "org.example.squash has no parameter \"treshold\"; it has threshold_db, listen, curve"
        );
        assert_eq!(
            complaint(Some("song"), &[]),
            "org.example.squash has no preset \"song\"; it has speech"
        );
        assert_eq!(
            complaint(None, &["listen"]),
            "--set \"listen\": write NAME=VALUE"
        );
        assert_eq!(
            complaint(None, &["listen=on", "Listen=off"]),
            "listen is set twice"
        );
    }
}
