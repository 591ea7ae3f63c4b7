//! The settings of a stream, completed with the defaults.

use crate::{Descriptor, Kind, Setting, Value};

/// A value for every parameter of the descriptor.
#[derive(Clone, Debug)]
pub struct Settings {
    values: Vec<Setting>,
}

impl Settings {
    /// The defaults of `descriptor`, replaced where `given` says otherwise.
    ///
    /// A setting that the descriptor does not know, or whose type differs, is an
    /// error: a host has checked them, so this can only be a program's mistake.
    pub fn complete(descriptor: &Descriptor, given: &[Setting]) -> Result<Self, String> {
        let mut values: Vec<Setting> = descriptor
            .parameters
            .iter()
            .map(|parameter| Setting {
                id: parameter.id.clone(),
                value: default_value(&parameter.kind),
            })
            .collect();
        for setting in given {
            let slot = values
                .iter_mut()
                .find(|value| value.id == setting.id)
                .ok_or_else(|| format!("there is no parameter `{}`", setting.id))?;
            if std::mem::discriminant(&slot.value) != std::mem::discriminant(&setting.value) {
                return Err(format!(
                    "the parameter `{}` takes another type of value",
                    setting.id
                ));
            }
            slot.value = setting.value.clone();
        }
        Ok(Self { values })
    }

    /// The value of a number parameter, in its own unit.
    ///
    /// # Panics
    /// When the descriptor has no number of that id: a mistake in the effect.
    #[must_use]
    pub fn number(&self, id: &str) -> f64 {
        match self.value(id) {
            Value::Number(number) => *number,
            _ => panic!("the parameter `{id}` is not a number"),
        }
    }

    /// The value of an on/off parameter.
    ///
    /// # Panics
    /// When the descriptor has no toggle of that id: a mistake in the effect.
    #[must_use]
    pub fn toggle(&self, id: &str) -> bool {
        match self.value(id) {
            Value::Toggle(on) => *on,
            _ => panic!("the parameter `{id}` is not a toggle"),
        }
    }

    /// The id of the chosen option.
    ///
    /// # Panics
    /// When the descriptor has no choice of that id: a mistake in the effect.
    #[must_use]
    pub fn choice(&self, id: &str) -> &str {
        match self.value(id) {
            Value::Choice(option) => option,
            _ => panic!("the parameter `{id}` is not a choice"),
        }
    }

    fn value(&self, id: &str) -> &Value {
        match self.values.iter().find(|setting| setting.id == id) {
            Some(setting) => &setting.value,
            None => panic!("the descriptor has no parameter `{id}`"),
        }
    }
}

fn default_value(kind: &Kind) -> Value {
    match kind {
        Kind::Number(number) => Value::Number(number.default),
        Kind::Toggle(on) => Value::Toggle(*on),
        Kind::Choice(choice) => Value::Choice(choice.default.clone()),
    }
}
