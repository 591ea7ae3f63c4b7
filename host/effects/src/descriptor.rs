use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::bindings::interface;
use super::validate;
use super::{ChoiceOption, Kind, Parameter, Scale, SettingValue};

/// What an effect is: the host's mirror of the interface's `descriptor`, checked against all its rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Descriptor {
    /// Stable and globally unique: `vocalhost.noise-gate`.
    pub id: String,
    /// Shown to people.
    pub name: String,
    /// Semantic version of the effect.
    pub version: String,
    /// Who made it.
    pub vendor: String,
    /// One sentence: what it does to the sound.
    pub summary: String,
    /// Search words.
    pub tags: Vec<String>,
    /// Channel layouts it runs with, best first; empty for any number of channels.
    pub layouts: Vec<Layout>,
    /// Every parameter, in the order in which a person should meet them.
    pub parameters: Vec<Parameter>,
    /// Useful starting points.
    pub presets: Vec<Preset>,
}

/// Channels in and out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Channels in.
    pub inputs: u32,
    /// Channels out.
    pub outputs: u32,
}

/// A useful starting point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Preset {
    /// Key, unique in the effect.
    pub id: String,
    /// Shown to people.
    pub name: String,
    /// The parameters that differ from their default.
    pub settings: BTreeMap<String, SettingValue>,
}

impl Descriptor {
    /// The parameter with this id.
    #[must_use]
    pub fn parameter(&self, id: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.id == id)
    }

    /// The parameter with this name in any accepted spelling: `threshold_db`, `thresholdDb`, `ThresholdDb`. An exact id
    /// wins.
    #[must_use]
    pub fn find_parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameter(name).or_else(|| {
            let spelled = plain_spelling(name);
            self.parameters
                .iter()
                .find(|parameter| plain_spelling(&parameter.id) == spelled)
        })
    }

    /// Converts an effect's own answer; the error is the first rule of the interface that it breaks.
    pub(super) fn from_guest(answer: interface::Descriptor) -> Result<Self, String> {
        let mut presets = Vec::with_capacity(answer.presets.len());
        for preset in answer.presets {
            presets.push(Preset {
                settings: settings_from_guest(&preset.id, preset.settings)?,
                id: preset.id,
                name: preset.name,
            });
        }
        let descriptor = Self {
            id: answer.id,
            name: answer.name,
            version: answer.version,
            vendor: answer.vendor,
            summary: answer.summary,
            tags: answer.tags,
            layouts: answer.layouts.into_iter().map(Layout::from).collect(),
            parameters: answer.parameters.into_iter().map(Parameter::from).collect(),
            presets,
        };
        validate::descriptor(&descriptor)?;
        Ok(descriptor)
    }
}

/// A name without the differences between spellings: letter case, `_` and `-`.
pub(super) fn plain_spelling(name: &str) -> String {
    name.chars()
        .filter(|letter| !matches!(letter, '_' | '-'))
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
}

fn settings_from_guest(
    preset: &str,
    settings: Vec<interface::Setting>,
) -> Result<BTreeMap<String, SettingValue>, String> {
    let mut map = BTreeMap::new();
    for setting in settings {
        let value = SettingValue::from(setting.value);
        if map.insert(setting.id, value).is_some() {
            return Err(format!("preset {preset:?} sets a parameter twice"));
        }
    }
    Ok(map)
}

impl From<interface::Layout> for Layout {
    fn from(layout: interface::Layout) -> Self {
        Self {
            inputs: layout.inputs,
            outputs: layout.outputs,
        }
    }
}

impl From<Layout> for interface::Layout {
    fn from(layout: Layout) -> Self {
        Self {
            inputs: layout.inputs,
            outputs: layout.outputs,
        }
    }
}

impl From<interface::Parameter> for Parameter {
    fn from(parameter: interface::Parameter) -> Self {
        Self {
            id: parameter.id,
            name: parameter.name,
            group: parameter.group,
            summary: parameter.summary,
            kind: parameter.kind.into(),
            advanced: parameter.advanced,
        }
    }
}

impl From<interface::Kind> for Kind {
    fn from(kind: interface::Kind) -> Self {
        match kind {
            interface::Kind::Number(number) => Self::Number {
                min: number.min,
                max: number.max,
                default: number.default,
                step: number.step,
                unit: number.unit,
                scale: match number.scale {
                    interface::Scale::Linear => Scale::Linear,
                    interface::Scale::Logarithmic => Scale::Logarithmic,
                },
            },
            interface::Kind::Toggle(default) => Self::Toggle { default },
            interface::Kind::Choice(choice) => Self::Choice {
                options: choice
                    .options
                    .into_iter()
                    .map(|option| ChoiceOption {
                        id: option.id,
                        name: option.name,
                    })
                    .collect(),
                default: choice.default,
            },
        }
    }
}

impl From<interface::Value> for SettingValue {
    fn from(value: interface::Value) -> Self {
        match value {
            interface::Value::Number(number) => Self::Number(number),
            interface::Value::Toggle(on) => Self::Toggle(on),
            interface::Value::Choice(id) => Self::Choice(id),
        }
    }
}

impl From<&SettingValue> for interface::Value {
    fn from(value: &SettingValue) -> Self {
        match value {
            SettingValue::Number(number) => Self::Number(*number),
            SettingValue::Toggle(on) => Self::Toggle(*on),
            SettingValue::Choice(id) => Self::Choice(id.clone()),
        }
    }
}
