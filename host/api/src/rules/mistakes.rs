//! Mistakes that fields of many kinds can have, each in one wording.

use std::fmt::Display;

use serde_json::{Value, json};

use super::problem::FieldError;

/// A field that has to be there and is not.
pub fn missing(field: &str) -> FieldError {
    FieldError::new(field, "required", format!("`{field}` is missing."))
}

/// A field that is no text.
pub fn no_text(field: &str) -> FieldError {
    FieldError::new(field, "string", format!("`{field}` must be a string."))
}

/// A field that is neither true nor false.
pub fn no_toggle(field: &str) -> FieldError {
    let message = format!("`{field}` must be true or false.");
    FieldError::new(field, "boolean", message)
}

/// A field that is no number.
pub fn no_number(field: &str) -> FieldError {
    FieldError::new(field, "number", format!("`{field}` must be a number."))
}

/// A field that is no whole number.
pub fn no_whole_number(field: &str) -> FieldError {
    let message = format!("`{field}` must be a whole number.");
    FieldError::new(field, "number", message)
}

/// A number that is too small or too large.
pub fn out_of_range<T: Copy + Display + Into<Value>>(
    field: &str,
    (min, max): (T, T),
) -> FieldError {
    let message = format!("`{field}` must be between {min} and {max}.");
    let mistake = FieldError::new(field, "range", message);
    mistake.with("min", min).with("max", max)
}

/// A word that is not among those that a field may have.
pub fn not_among(field: &str, words: &[&str]) -> FieldError {
    let message = format!("`{field}` must be one of {}.", words.join(", "));
    FieldError::new(field, "enum", message).with("choices", json!(words))
}
