use serde::Serialize;
use serde_json::{Map, Value};

/// A mistake in one field of a request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FieldError {
    /// The path of the field, such as `pre.noiseGate.threshold_db`.
    pub field: String,
    /// The rule that it breaks, such as `required`, `number`, `range`, `exists`.
    pub rule: &'static str,
    /// One sentence for people.
    pub message: String,
    /// The rule's parameters, such as `min` and `max`.
    pub args: Map<String, Value>,
}

impl FieldError {
    /// A mistake without parameters.
    pub fn new(field: impl Into<String>, rule: &'static str, message: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            rule,
            message: message.into(),
            args: Map::new(),
        }
    }

    /// Adds a parameter of the rule.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.args.insert(name.to_owned(), value.into());
        self
    }
}
