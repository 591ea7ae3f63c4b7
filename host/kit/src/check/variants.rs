use std::collections::BTreeMap;

use vocalhost_effects::{Descriptor, Kind, Parameter, SettingValue};

/// Settings to try an effect with.
pub(super) struct Variant {
    /// How a report calls them.
    pub(super) said: String,
    pub(super) settings: BTreeMap<String, SettingValue>,
    /// Whether the effect itself offers them, as its defaults or a preset: then it may not refuse them.
    pub(super) offered: bool,
}

/// The defaults and every preset.
pub(super) fn offered(descriptor: &Descriptor) -> Vec<Variant> {
    let defaults = Variant {
        said: "default settings".to_owned(),
        settings: BTreeMap::new(),
        offered: true,
    };
    let presets = descriptor.presets.iter().map(|preset| Variant {
        said: format!("preset {}", preset.id),
        settings: preset.settings.clone(),
        offered: true,
    });
    std::iter::once(defaults).chain(presets).collect()
}

/// Every parameter at each of its edges, one at a time, then all numbers at their lowest and all at their highest.
pub(super) fn edges(descriptor: &Descriptor) -> Vec<Variant> {
    let mut variants = Vec::new();
    let (mut all_low, mut all_high) = (BTreeMap::new(), BTreeMap::new());
    for parameter in &descriptor.parameters {
        if let Some((low, high)) = bounds(parameter) {
            all_low.insert(parameter.id.clone(), SettingValue::Number(low));
            all_high.insert(parameter.id.clone(), SettingValue::Number(high));
        }
        let default = parameter.default_value();
        for value in values(parameter)
            .into_iter()
            .filter(|value| *value != default)
        {
            variants.push(Variant {
                said: format!("{} {}", parameter.id, spoken(&value)),
                settings: BTreeMap::from([(parameter.id.clone(), value)]),
                offered: false,
            });
        }
    }
    for (said, settings) in [
        ("every number at its lowest", all_low),
        ("every number at its highest", all_high),
    ] {
        if settings.len() > 1 {
            variants.push(Variant {
                said: said.to_owned(),
                settings,
                offered: false,
            });
        }
    }
    variants
}

/// The lowest and the highest legal value of a number.
pub(super) fn bounds(parameter: &Parameter) -> Option<(f64, f64)> {
    let Kind::Number { min, max, step, .. } = parameter.kind else {
        return None;
    };
    if step == 0.0 {
        return Some((min, max));
    }
    let steps = ((max - min) / step + 1e-6).floor();
    Some((min, max.min(min + steps * step)))
}

fn values(parameter: &Parameter) -> Vec<SettingValue> {
    match &parameter.kind {
        Kind::Number { .. } => bounds(parameter)
            .map(|(low, high)| vec![SettingValue::Number(low), SettingValue::Number(high)])
            .unwrap_or_default(),
        Kind::Toggle { .. } => [false, true].map(SettingValue::Toggle).into(),
        Kind::Choice { options, .. } => options
            .iter()
            .map(|option| SettingValue::Choice(option.id.clone()))
            .collect(),
    }
}

fn spoken(value: &SettingValue) -> String {
    match value {
        SettingValue::Number(number) => number.to_string(),
        SettingValue::Toggle(on) => on.to_string(),
        SettingValue::Choice(id) => id.clone(),
    }
}
