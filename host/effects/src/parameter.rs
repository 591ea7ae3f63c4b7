use serde::{Deserialize, Serialize};

/// One thing of an effect that can be set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Key used in requests: `threshold_db`.
    pub id: String,
    /// Label for people.
    pub name: String,
    /// Panel heading it belongs under, or empty.
    pub group: String,
    /// Help text, or empty.
    pub summary: String,
    /// The values it accepts.
    #[serde(flatten)]
    pub kind: Kind,
    /// Left out of a first, simple panel.
    pub advanced: bool,
}

/// The kind of value a parameter takes, with its default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Kind {
    /// A number in a closed range, in its own unit.
    Number {
        /// Smallest legal value.
        min: f64,
        /// Largest legal value.
        max: f64,
        /// The value when nothing else is said.
        default: f64,
        /// Distance between legal values counted from `min`; 0 is continuous.
        step: f64,
        /// Printed after the value; empty for a plain number.
        unit: String,
        /// How a slider maps its travel to the range.
        scale: Scale,
    },
    /// On or off.
    Toggle {
        /// The value when nothing else is said.
        default: bool,
    },
    /// One of several named alternatives.
    Choice {
        /// The alternatives.
        options: Vec<ChoiceOption>,
        /// `id` of the option that holds when nothing else is said.
        default: String,
    },
}

/// How a slider maps its travel to a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Equal distances for equal travel.
    Linear,
    /// Equal ratios for equal travel.
    Logarithmic,
}

/// One alternative of a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChoiceOption {
    /// Key used in requests.
    pub id: String,
    /// Label for people.
    pub name: String,
}

/// A value for a parameter; in JSON a boolean, a number or a string.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SettingValue {
    /// For a toggle.
    Toggle(bool),
    /// For a number.
    Number(f64),
    /// The `id` of an option.
    Choice(String),
}

/// Why a value does not fit a parameter. The sentence continues "`threshold_db`: …".
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ParameterError {
    /// The effect has no such parameter.
    #[error("the effect has no such parameter")]
    Unknown,
    /// A value of another type.
    #[error("must be {expected}")]
    Type {
        /// The type with its article: `a number`.
        expected: &'static str,
    },
    /// NaN or an infinity.
    #[error("must be a finite number")]
    NotFinite,
    /// Outside the range.
    #[error("must be between {min} and {max}")]
    Range {
        /// Smallest legal value.
        min: f64,
        /// Largest legal value.
        max: f64,
    },
    /// Between two steps.
    #[error("must be {min} plus a multiple of {step}")]
    Step {
        /// Where steps are counted from.
        min: f64,
        /// Distance between legal values.
        step: f64,
    },
    /// No such option.
    #[error("must be one of {options}")]
    Option {
        /// The ids of all options, separated by commas.
        options: String,
    },
}

/// How far, in steps, a value may lie from a step: decimal fractions such as 0.1 have no exact binary form.
const STEP_TOLERANCE: f64 = 1e-6;

impl Parameter {
    /// Whether `value` is legal; the error says what would be.
    pub fn check(&self, value: &SettingValue) -> Result<(), ParameterError> {
        match (&self.kind, value) {
            (Kind::Toggle { .. }, SettingValue::Toggle(_)) => Ok(()),
            (Kind::Number { min, max, step, .. }, SettingValue::Number(number)) => {
                check_number(*number, *min, *max, *step)
            }
            (Kind::Choice { options, .. }, SettingValue::Choice(id)) => check_option(id, options),
            (kind, _) => Err(ParameterError::Type {
                expected: match kind {
                    Kind::Number { .. } => "a number",
                    Kind::Toggle { .. } => "true or false",
                    Kind::Choice { .. } => "a string",
                },
            }),
        }
    }

    /// The value that holds when nothing else is said.
    #[must_use]
    pub fn default_value(&self) -> SettingValue {
        match &self.kind {
            Kind::Number { default, .. } => SettingValue::Number(*default),
            Kind::Toggle { default } => SettingValue::Toggle(*default),
            Kind::Choice { default, .. } => SettingValue::Choice(default.clone()),
        }
    }
}

fn check_number(number: f64, min: f64, max: f64, step: f64) -> Result<(), ParameterError> {
    if !number.is_finite() {
        return Err(ParameterError::NotFinite);
    }
    if number < min || number > max {
        return Err(ParameterError::Range { min, max });
    }
    let steps = (number - min) / step;
    if step > 0.0 && (steps - steps.round()).abs() > STEP_TOLERANCE {
        return Err(ParameterError::Step { min, step });
    }
    Ok(())
}

fn check_option(id: &str, options: &[ChoiceOption]) -> Result<(), ParameterError> {
    if options.iter().any(|option| option.id == id) {
        return Ok(());
    }
    let ids: Vec<&str> = options.iter().map(|option| option.id.as_str()).collect();
    Err(ParameterError::Option {
        options: ids.join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(kind: Kind) -> Parameter {
        Parameter {
            id: "amount".to_owned(),
            name: "Amount".to_owned(),
            group: String::new(),
            summary: String::new(),
            kind,
            advanced: false,
        }
    }

    fn number(min: f64, max: f64, step: f64) -> Parameter {
        parameter(Kind::Number {
            min,
            max,
            default: min,
            step,
            unit: String::new(),
            scale: Scale::Linear,
        })
    }

    #[test]
    fn a_number_lies_in_its_range_and_on_a_step() {
        let parameter = number(-1.0, 1.0, 0.1);
        assert_eq!(parameter.check(&SettingValue::Number(0.3)), Ok(()));
        assert_eq!(parameter.check(&SettingValue::Number(1.0)), Ok(()));
        assert_eq!(
            parameter.check(&SettingValue::Number(0.35)),
            Err(ParameterError::Step {
                min: -1.0,
                step: 0.1
            })
        );
        let error = parameter
            .check(&SettingValue::Number(1.1))
            .expect_err("out of range");
        assert_eq!(error.to_string(), "must be between -1 and 1");
        assert_eq!(
            parameter.check(&SettingValue::Number(f64::NAN)),
            Err(ParameterError::NotFinite)
        );
    }

    #[test]
    fn a_value_of_another_type_is_told_the_right_one() {
        let error = number(0.0, 1.0, 0.0).check(&SettingValue::Toggle(true));
        assert_eq!(
            error,
            Err(ParameterError::Type {
                expected: "a number"
            })
        );
    }

    #[test]
    fn an_unknown_option_is_told_all_options() {
        let option = |id: &str| ChoiceOption {
            id: id.to_owned(),
            name: id.to_owned(),
        };
        let parameter = parameter(Kind::Choice {
            options: vec![option("soft"), option("hard")],
            default: "soft".to_owned(),
        });
        assert_eq!(
            parameter.check(&SettingValue::Choice("hard".to_owned())),
            Ok(())
        );
        let error = parameter
            .check(&SettingValue::Choice("loud".to_owned()))
            .expect_err("no such option");
        assert_eq!(error.to_string(), "must be one of soft, hard");
    }

    #[test]
    fn setting_values_keep_their_type_through_json() {
        for (text, value) in [
            ("true", SettingValue::Toggle(true)),
            ("3", SettingValue::Number(3.0)),
            ("\"soft\"", SettingValue::Choice("soft".to_owned())),
        ] {
            let parsed: SettingValue = serde_json::from_str(text).expect("parses");
            assert_eq!(parsed, value);
        }
    }
}
