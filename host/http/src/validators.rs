//! Which version of a file a client has, and what it wants of it (RFC 9110, 13).

use hyper::HeaderMap;
use hyper::header::{HeaderName, IF_NONE_MATCH, IF_RANGE, RANGE};

use crate::range::{RangeAsked, parse_range};

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Whether `If-None-Match` names this file; the comparison is the weak one (RFC 9110, 13.1.2).
#[must_use]
pub fn matches_any(headers: &HeaderMap, etag: &str) -> bool {
    let lists = headers.get_all(IF_NONE_MATCH).iter();
    lists.filter_map(|list| list.to_str().ok()).any(|list| {
        list.split(',')
            .map(str::trim)
            .any(|given| given == "*" || given.strip_prefix("W/").unwrap_or(given) == etag)
    })
}

/// The range that counts: none when `If-Range` names another version of the file. There is no `Last-Modified`, so a
/// date never matches.
#[must_use]
pub fn range_asked(headers: &HeaderMap, etag: &str, size_bytes: u64) -> RangeAsked {
    if text(headers, &IF_RANGE).is_some_and(|given| given.trim() != etag) {
        return RangeAsked::Whole;
    }
    parse_range(text(headers, &RANGE), size_bytes)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        let pairs = pairs.iter().cloned();
        pairs
            .map(|(name, value)| (name, HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn a_known_version_is_recognised_in_every_form() {
        for (given, known) in [
            ("\"abc\"", true),
            ("W/\"abc\"", true),
            ("\"x\", \"abc\"", true),
            ("*", true),
            ("\"abd\"", false),
            ("abc", false),
        ] {
            assert_eq!(
                matches_any(&headers(&[(IF_NONE_MATCH, given)]), "\"abc\""),
                known,
                "{given}"
            );
        }
        assert!(!matches_any(&HeaderMap::new(), "\"abc\""));
    }

    #[test]
    fn a_range_of_another_version_is_the_whole_file() {
        for (version, whole) in [
            ("\"abc\"", false),
            ("\"old\"", true),
            ("W/\"abc\"", true),
            ("Fri, 20 Nov 2026 00:00:00 GMT", true),
        ] {
            let headers = headers(&[(RANGE, "bytes=0-1"), (IF_RANGE, version)]);
            assert_eq!(
                range_asked(&headers, "\"abc\"", 10) == RangeAsked::Whole,
                whole,
                "{version}"
            );
        }
    }
}
