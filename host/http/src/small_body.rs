use std::path::Path;

use futures_util::TryStreamExt as _;
use hyper::HeaderMap;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use serde_json::{Map, Value};

use crate::body::{BodyTimes, PacedBody};
use crate::upload::{Upload, UploadWriter};
use crate::{FieldError, Refusal};

/// A request in JSON has a handful of fields, and metadata as in a form.
const MAX_JSON_BYTES: usize = 128 << 10;

/// What a body that is one file may be.
#[derive(Debug, Clone, Copy)]
pub struct FileRules<'a> {
    /// Its media type.
    pub media_type: &'static str,
    /// Its largest size.
    pub max_bytes: u64,
    /// Where it is kept until it is accepted.
    pub folder: &'a Path,
    /// How long it may take.
    pub times: BodyTimes,
}

/// Reads a body that is one file. A file that was begun is deleted on every way out but success.
pub async fn read_file(
    headers: &HeaderMap,
    body: &mut Incoming,
    rules: &FileRules<'_>,
) -> Result<Upload, Refusal> {
    check_type(headers, rules.media_type)?;
    let mut writer = UploadWriter::create(rules.folder)?;
    let mut pieces = PacedBody::new(body, u64::MAX, rules.times);
    while let Some(piece) = pieces.try_next().await? {
        let bytes = writer.write(&piece).await?;
        if bytes > rules.max_bytes {
            return Err(too_large(rules.max_bytes));
        }
    }
    Ok(writer.finish().await?)
}

/// Reads a body that is a JSON object.
pub async fn read_json(
    headers: &HeaderMap,
    body: &mut Incoming,
    times: BodyTimes,
) -> Result<Map<String, Value>, Refusal> {
    check_type(headers, "application/json")?;
    let mut text = Vec::new();
    let mut pieces = PacedBody::new(body, u64::MAX, times);
    while let Some(piece) = pieces.try_next().await? {
        if text.len() + piece.len() > MAX_JSON_BYTES {
            return Err(too_large(MAX_JSON_BYTES as u64));
        }
        text.extend_from_slice(&piece);
    }
    match serde_json::from_slice(&text) {
        Ok(Value::Object(fields)) => {
            let with_nul = fields.iter().filter(|(_, value)| has_nul(value));
            let mistakes: Vec<_> = with_nul.map(|(name, _)| nul_in(name)).collect();
            if mistakes.is_empty() {
                Ok(fields)
            } else {
                Err(Refusal::Invalid(mistakes))
            }
        }
        Ok(_) => Err(Refusal::field(
            "body",
            "object",
            "The body must be a JSON object.",
        )),
        Err(error) => {
            let message = format!("The body is not valid JSON: {error}.");
            Err(Refusal::field("body", "json", message))
        }
    }
}

/// Whether a text in it has the character NUL, which no database stores.
fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(has_nul),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| name.contains('\0') || has_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What is said of a field with such a text.
pub(crate) fn nul_in(name: &str) -> FieldError {
    let message = format!("`{name}` has the character NUL, which no text may have.");
    FieldError::new(name, "text", message)
}

/// Parameters of the media type, such as a charset, do not matter.
fn check_type(headers: &HeaderMap, wanted: &'static str) -> Result<(), Refusal> {
    let given = headers.get(CONTENT_TYPE);
    let given = given.and_then(|value| value.to_str().ok());
    let essence = given.and_then(|text| text.split(';').next());
    if essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case(wanted)) {
        return Ok(());
    }
    Err(Refusal::MediaType { wanted })
}

fn too_large(max_bytes: u64) -> Refusal {
    let message = format!("The body is larger than {max_bytes} bytes.");
    Refusal::too_large("body", max_bytes, message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nul_is_found_wherever_it_is() {
        for value in [
            json!("a\0"),
            json!(["a", "\0"]),
            json!({ "\0": 1 }),
            json!([{ "a": { "b": "\0" } }]),
        ] {
            assert!(has_nul(&value), "{value}");
        }
        assert!(!has_nul(&json!([null, 1, true, "0", { "a": "\u{1}" }])));
    }
}
