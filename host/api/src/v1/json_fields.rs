//! Reads the members of a JSON body, one by one.

use serde_json::{Map, Value};

use crate::rules::mistakes::{missing, no_text, no_toggle};
use crate::rules::problem::FieldError;

/// A member; `null` is as good as none.
pub fn member<'v>(body: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    body.get(name).filter(|value| !value.is_null())
}

/// A text, when it is given; anything else is added to `mistakes`.
pub fn text<'v>(
    body: &'v Map<String, Value>,
    name: &str,
    mistakes: &mut Vec<FieldError>,
) -> Option<&'v str> {
    let found = member(body, name)?.as_str();
    if found.is_none() {
        mistakes.push(no_text(name));
    }
    found
}

/// True or false, when it is given; anything else is added to `mistakes`.
pub fn toggle(
    body: &Map<String, Value>,
    name: &str,
    mistakes: &mut Vec<FieldError>,
) -> Option<bool> {
    let found = member(body, name)?.as_bool();
    if found.is_none() {
        mistakes.push(no_toggle(name));
    }
    found
}

/// Reads the fields of a change: one that is not known is a mistake, because a misspelt one must not look as if it had
/// been taken.
pub struct Fields<'a> {
    given: &'a Map<String, Value>,
    /// What is wrong so far.
    pub mistakes: Vec<FieldError>,
}

impl<'a> Fields<'a> {
    /// The fields of a body that may have those in `known`.
    #[must_use]
    pub fn new(given: &'a Map<String, Value>, known: &[&str]) -> Self {
        let strange = given.keys().filter(|name| !known.contains(&name.as_str()));
        let mistakes = strange.map(|name| {
            let message = format!("There is no such field: there are {}.", known.join(", "));
            FieldError::new(name.as_str(), "exists", message)
        });
        Self {
            given,
            mistakes: mistakes.collect(),
        }
    }

    /// Whether the field is there, be it `null`.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    /// A text.
    pub fn text(&mut self, name: &str) -> Option<String> {
        let text = text(self.given, name, &mut self.mistakes)?;
        Some(text.trim().to_owned())
    }

    /// True or false.
    pub fn toggle(&mut self, name: &str) -> Option<bool> {
        toggle(self.given, name, &mut self.mistakes)
    }

    /// A whole number up to `max`.
    pub fn count(&mut self, name: &str, (min, max): (u64, u64)) -> Option<u64> {
        let found = member(self.given, name)?;
        let number = found.as_u64().filter(|number| (min..=max).contains(number));
        if number.is_none() {
            let message = format!("`{name}` must be a whole number from {min} to {max}.");
            let rule = if found.is_number() { "range" } else { "number" };
            let mistake = FieldError::new(name, rule, message);
            self.mistakes
                .push(mistake.with("min", min).with("max", max));
        }
        number
    }

    /// Texts.
    pub fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        let list = member(self.given, name)?.as_array();
        let texts = list.and_then(|items| {
            let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<_>>>()
        });
        if texts.is_none() {
            self.wrong(name, "array", "must be an array of strings");
        }
        texts
    }

    /// Notes that a field breaks a rule.
    pub fn wrong(&mut self, name: &str, rule: &'static str, sentence: &str) {
        let message = format!("`{name}` {sentence}.");
        self.mistakes.push(FieldError::new(name, rule, message));
    }

    /// Notes that a field that must be there is not, unless something is wrong with it already.
    pub fn require(&mut self, name: &str, found: bool) {
        if !found && !self.mistakes.iter().any(|mistake| mistake.field == name) {
            self.mistakes.push(missing(name));
        }
    }
}
