//! What the resources of the admin surface share.

use serde_json::{Map, Value};

use crate::rules::call::Call;
use crate::rules::page::{PageRequest, PageRules};
use crate::rules::problem::{FieldError, Problem};

/// Lists that operators look at are long, and their records small.
pub const ADMIN_PAGES: PageRules = PageRules {
    default_per_page: 50,
    max_per_page: 1_000,
};

/// Longer names are a mistake, and control characters would break tables.
const MAX_NAME_CHARACTERS: usize = 128;

/// Which page was asked for.
pub fn asked(call: &Call) -> Result<PageRequest, Problem> {
    PageRequest::of(call, &ADMIN_PAGES)
}

/// Whether a user may have this name.
#[must_use]
pub fn is_user_name(name: &str) -> bool {
    let plain = !name.trim().is_empty() && !name.contains(char::is_control);
    plain && name.chars().count() <= MAX_NAME_CHARACTERS
}

/// What a name that is refused should have been.
#[must_use]
pub fn name_rule() -> String {
    format!("must be 1 to {MAX_NAME_CHARACTERS} characters without control characters")
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

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.given.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    pub fn text(&mut self, name: &str) -> Option<String> {
        let found = self.get(name)?.as_str();
        if found.is_none() {
            self.wrong(name, "string", "must be a string");
        }
        found.map(|text| text.trim().to_owned())
    }

    /// True or false.
    pub fn toggle(&mut self, name: &str) -> Option<bool> {
        let found = self.get(name)?.as_bool();
        if found.is_none() {
            self.wrong(name, "boolean", "must be true or false");
        }
        found
    }

    /// A whole number up to `max`.
    pub fn count(&mut self, name: &str, (min, max): (u64, u64)) -> Option<u64> {
        let found = self.get(name)?;
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
        let list = self.get(name)?.as_array();
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
            self.wrong(name, "required", "is missing");
        }
    }
}
