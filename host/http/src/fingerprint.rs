use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::multipart::Form;

/// What a request asks for, as one number: SHA-256 over its fields, lower-case hex. Two requests with the same one ask
/// for the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// A request without a body.
    #[must_use]
    pub fn of_nothing() -> Self {
        Self::of_pieces([])
    }

    /// A form: its text fields, and the SHA-256 of its files. The order in which fields of different names came says
    /// nothing, and the boundary between parts, which clients draw anew for each request, is no part of it.
    #[must_use]
    pub fn of_form(form: &Form) -> Self {
        let texts = form.fields.iter();
        let texts = texts.map(|(name, text)| (name.as_str(), "text", text.as_str()));
        let files = form.files.iter();
        let files = files.map(|(name, file)| (*name, "file", file.sha256.as_str()));
        let mut pieces: Vec<_> = texts.chain(files).collect();
        pieces.sort_by_key(|(name, _, _)| *name);
        Self::of_pieces(
            pieces
                .into_iter()
                .flat_map(|(name, what, value)| [name, what, value]),
        )
    }

    /// A JSON object, whatever the order of its members.
    #[must_use]
    pub fn of_json(fields: &Map<String, Value>) -> Self {
        let sorted = sorted(&Value::Object(fields.clone())).to_string();
        Self::of_pieces([sorted.as_str()])
    }

    /// A file whose SHA-256 is known.
    #[must_use]
    pub fn of_file(sha256: &str) -> Self {
        Self::of_pieces([sha256])
    }

    /// The fingerprint of the same request to `path`.
    #[must_use]
    pub fn at(&self, path: &str) -> String {
        Self::of_pieces([path, self.0.as_str()]).0
    }

    fn of_pieces<'p>(pieces: impl IntoIterator<Item = &'p str>) -> Self {
        let mut hash = Sha256::new();
        for piece in pieces {
            // With its length, so that no two lists of pieces run together into the same bytes.
            hash.update((piece.len() as u64).to_le_bytes());
            hash.update(piece);
        }
        Self(base16ct::lower::encode_string(&hash.finalize()))
    }
}

fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            let fields = fields
                .into_iter()
                .map(|(name, value)| (name.clone(), sorted(value)));
            Value::Object(fields.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        plain => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form(fields: &[(&str, &str)]) -> Fingerprint {
        let mut form = Form::default();
        let fields = fields.iter();
        form.fields = fields
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect();
        Fingerprint::of_form(&form)
    }

    #[test]
    fn the_order_of_fields_says_nothing_and_everything_else_does() {
        let one = form(&[("a", "1"), ("b", "2")]);
        assert_eq!(form(&[("b", "2"), ("a", "1")]), one);
        for other in [
            form(&[("a", "1")]),
            form(&[("a", "2"), ("b", "1")]),
            form(&[("a", "12"), ("b", "")]),
            form(&[("a", "1"), ("b", "2"), ("b", "2")]),
        ] {
            assert_ne!(other, one);
        }
        // Of two fields of one name the last one counts, so their order matters.
        assert_ne!(
            form(&[("a", "1"), ("a", "2")]),
            form(&[("a", "2"), ("a", "1")])
        );
    }

    #[test]
    fn members_of_an_object_have_no_order_but_items_of_a_list_have() {
        let of = |value: Value| Fingerprint::of_json(value.as_object().expect("an object"));
        let one = of(json!({"a": {"x": 1, "y": [1, 2]}, "b": 2}));
        assert_eq!(of(json!({"b": 2, "a": {"y": [1, 2], "x": 1}})), one);
        assert_ne!(of(json!({"b": 2, "a": {"y": [2, 1], "x": 1}})), one);
        assert_ne!(one.at("id=1"), one.at("id=2"));
    }
}
