//! Parses the text of a manifest, and says what is wrong with one that is refused.

use std::path::Path;

use super::check::check;
use super::{Manifest, ModelError};
use vocalhost_letters::words::plain;

/// The most characters of a key, and of a reason, in messages: both may quote the manifest.
const MAX_KEY_SHOWN: usize = 300;
const MAX_REASON_SHOWN: usize = 1_000;

/// The fields of [`Manifest`] that no manifest may leave out.
const REQUIRED: [&str; 12] = [
    "schema",
    "id",
    "name",
    "version",
    "kind",
    "family",
    "license",
    "attribution",
    "trained_on",
    "consent",
    "created",
    "audio",
];

impl Manifest {
    /// Parses the text of a manifest and checks all fields against each other. `path` is only for messages.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ModelError> {
        let wrong = |key: &str, reason: &str| ModelError::Manifest {
            path: path.to_owned(),
            key: plain(key, MAX_KEY_SHOWN),
            reason: plain(reason, MAX_REASON_SHOWN),
        };
        let manifest: Self = toml::from_str(text).map_err(|error| {
            let missing = missing(text);
            if !missing.is_empty() {
                let reason = match missing.len() {
                    1 => "missing field",
                    _ => "missing fields",
                };
                return wrong(&missing.join(", "), reason);
            }
            let place = place(text, error.span().map_or(0, |span| span.start));
            wrong(&place, error.message())
        })?;
        check(&manifest).map_err(|fault| wrong(&fault.key, &fault.reason))?;
        Ok(manifest)
    }
}

/// The required fields that this text lacks; none if it is no TOML.
fn missing(text: &str) -> Vec<&'static str> {
    let table: toml::Table = toml::from_str(text).unwrap_or_default();
    if table.is_empty() {
        return Vec::new();
    }
    let fields = REQUIRED.into_iter();
    fields.filter(|field| !table.contains_key(*field)).collect()
}

/// Describes where in the text a byte is: the line, and its key when it has one.
fn place(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or_default();
    let number = before.matches('\n').count() + 1;
    let line = text.lines().nth(number - 1).unwrap_or_default();
    match line.split_once('=') {
        Some((key, _)) => format!("line {number}, {}", key.trim()),
        None if line.is_empty() => format!("line {number}"),
        None => format!("line {number}, {}", line.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_a_manifest_lacks_is_named_at_once() {
        let whole = r#"
            schema = 1
            id = "a"
            name = "A"
            version = "1"
            kind = "separator"
            family = "ensemble"
            license = "MIT"
            attribution = "A"
            trained_on = "songs"
            consent = "not needed"
            created = "2026-01-31"
            audio = { sample_rate_hz = 44100, channels = 2 }
        "#;
        let fault = |text: &str| Manifest::parse(Path::new("a"), text).expect_err("is refused");
        // What else an ensemble needs is checked later.
        assert!(!fault(whole).to_string().contains("missing field"));
        for field in REQUIRED {
            let lines = whole.lines();
            let less: Vec<&str> = lines
                .filter(|line| !line.trim().starts_with(&format!("{field} =")))
                .collect();
            let text = fault(&less.join("\n")).to_string();
            assert!(text.contains(&format!("{field}: missing field")), "{text}");
        }
        let text = fault(
            &whole
                .replace("license", "licence")
                .replace("created", "made"),
        );
        let text = text.to_string();
        assert!(text.contains("license, created: missing fields"), "{text}");
        assert!(fault("schema = [").to_string().contains("line 1"));
    }
}
