//! Values from plain numbers, booleans and words.

use crate::{Config, Setting, Value};

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Value {
    fn from(on: bool) -> Self {
        Self::Toggle(on)
    }
}

/// The `id` of an option of a choice.
impl From<&str> for Value {
    fn from(option: &str) -> Self {
        Self::Choice(option.to_owned())
    }
}

impl Setting {
    /// A value for the parameter `id`: a number, a boolean, or the id of an option.
    ///
    /// ```
    /// use vocalhost_effect::{Setting, Value};
    ///
    /// let shape = Setting::new("shape", "square");
    /// assert!(matches!(shape.value, Value::Choice(option) if option == "square"));
    /// ```
    #[must_use]
    pub fn new(id: &str, value: impl Into<Value>) -> Self {
        Self {
            id: id.to_owned(),
            value: value.into(),
        }
    }
}

impl Config {
    /// The same stream with one parameter set, as tests write it:
    /// `config(48_000, 2, &[]).set("shape", "square")`.
    #[must_use]
    pub fn set(mut self, id: &str, value: impl Into<Value>) -> Self {
        self.settings.push(Setting::new(id, value));
        self
    }
}
