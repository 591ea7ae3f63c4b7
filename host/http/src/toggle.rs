use crate::FieldError;

/// Reads text that is on or off: `true`, `false`, `1`, `0` in any letter case. `None` is anything else.
#[must_use]
pub fn read(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// The same of a field of a query or form, which may be missing; anything else is added to `mistakes`.
pub(crate) fn of_field(
    (name, text): (&str, Option<&str>),
    mistakes: &mut Vec<FieldError>,
) -> Option<bool> {
    let on = read(text?);
    if on.is_none() {
        let message = format!("`{name}` must be true or false.");
        mistakes.push(FieldError::new(name, "boolean", message));
    }
    on
}
