use crate::{FieldError, toggle};

/// The query of a request, decoded. Of a parameter that is given twice the last one counts; unknown ones are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    raw: String,
    pairs: Vec<(String, String)>,
}

impl Query {
    /// Decodes what stands behind the question mark.
    #[must_use]
    pub fn parse(raw: Option<&str>) -> Self {
        let raw = raw.unwrap_or_default();
        let pairs = raw
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| {
                let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                (decode(name), decode(value))
            })
            .collect();
        Self {
            raw: raw.to_owned(),
            pairs,
        }
    }

    /// The value of a parameter.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.pairs.iter().rev().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The same query for another page, still encoded.
    #[must_use]
    pub fn for_page(&self, page: u64) -> String {
        let others = self.raw.split('&').filter(|pair| {
            let name = pair.split_once('=').map_or(*pair, |(name, _)| name);
            !pair.is_empty() && decode(name) != "page"
        });
        let mut query: String = others.fold(String::new(), |query, pair| query + pair + "&");
        query.push_str("page=");
        query.push_str(&page.to_string());
        query
    }

    /// A filter that is on or off: `true`, `false`, `1`, `0` in any letter case. Anything else is a mistake.
    pub fn toggle(&self, name: &str, mistakes: &mut Vec<FieldError>) -> bool {
        toggle::of_field((name, self.get(name)), mistakes).unwrap_or(false)
    }
}

/// Percent-decodes `text`; a plus is a blank, as forms have it. What is not valid stays as it is, and bytes that are
/// no UTF-8 become the replacement character.
fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes
            .get(at + 1..at + 3)
            .filter(|hex| bytes[at] == b'%' && hex.iter().all(u8::is_ascii_hexdigit))
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        if let Some(byte) = hex {
            decoded.push(byte);
            at += 3;
        } else {
            decoded.push(if bytes[at] == b'+' { b' ' } else { bytes[at] });
            at += 1;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values_are_decoded_and_the_last_one_counts() {
        let query = Query::parse(Some("q=a+b%20c%C3%BC%2&tag=1&tag=2&&empty"));
        assert_eq!(query.get("q"), Some("a b cü%2"));
        assert_eq!(query.get("tag"), Some("2"));
        assert_eq!(query.get("empty"), Some(""));
        assert_eq!(query.get("none"), None);
    }

    #[test]
    fn another_page_keeps_the_other_parameters() {
        let query = Query::parse(Some("order=desc&p%61ge=4&q=a%20b"));
        assert_eq!(query.for_page(7), "order=desc&q=a%20b&page=7");
        assert_eq!(Query::parse(None).for_page(1), "page=1");
    }

    #[test]
    fn a_toggle_takes_true_false_1_and_0_in_any_letter_case() {
        let mut mistakes = Vec::new();
        let query = Query::parse(Some("a=TRUE&b=False&c=1&d=0"));
        let read: Vec<bool> = ["a", "b", "c", "d", "e"]
            .iter()
            .map(|name| query.toggle(name, &mut mistakes))
            .collect();
        assert_eq!(read, [true, false, true, false, false]);
        assert!(mistakes.is_empty());
        for wrong in ["a=yes", "a=", "a=2"] {
            Query::parse(Some(wrong)).toggle("a", &mut mistakes);
        }
        assert_eq!(mistakes.len(), 3);
    }
}
