use hyper::HeaderMap;
use hyper::header::{ACCEPT, ACCEPT_ENCODING};

/// Whether a client prefers HTML to JSON, as browsers do (RFC 9110, 12.5.1). A client that says nothing, or likes both equally,
/// does not.
#[must_use]
pub fn prefers_html(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(ACCEPT).iter();
    let ranges: Vec<(&str, f32)> = lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','))
        .filter_map(range)
        .collect();
    quality(&ranges, ["text/html", "text/*", "*/*"])
        > quality(&ranges, ["application/json", "application/*", "*/*"])
}

/// Whether a client takes an answer that is compressed with gzip (RFC 9110, 12.5.3). One that says nothing may not know how.
#[must_use]
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let lists = headers.get_all(ACCEPT_ENCODING).iter();
    let codings: Vec<(&str, f32)> = lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','))
        .filter_map(range)
        .collect();
    quality(&codings, ["gzip", "x-gzip", "*"]) > 0.0
}

/// A media range and how much it is liked.
fn range(text: &str) -> Option<(&str, f32)> {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next().filter(|name| !name.is_empty())?;
    let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
    let weight = weight.map_or(Ok(1.0), str::parse).unwrap_or(0.0);
    Some((name, weight))
}

/// The quality that the most specific matching range gives; 0 when none matches.
fn quality(ranges: &[(&str, f32)], fitting: [&str; 3]) -> f32 {
    let said = fitting.iter().find_map(|fitting| {
        let mut fits = ranges
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case(fitting));
        fits.next().map(|(_, weight)| *weight)
    });
    said.unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn only_who_likes_html_better_gets_html() {
        let firefox = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        for (accept, html) in [
            (firefox, true),
            ("Text/HTML", true),
            ("text/*;q=0.5, application/json;q=0.4", true),
            ("*/*", false),
            ("application/json, text/plain, */*", false),
            ("text/html;q=0.5, application/json", false),
            ("text/html;q=0, */*", false),
            ("text/html;q=much", false),
            ("image/png", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
            assert_eq!(prefers_html(&headers), html, "{accept}");
        }
        assert!(!prefers_html(&HeaderMap::new()));
    }

    #[test]
    fn only_who_says_so_gets_gzip() {
        for (accept, gzip) in [
            ("gzip, deflate, br, zstd", true),
            ("br;q=1.0, GZIP;q=0.2", true),
            ("*", true),
            ("*;q=0.5, gzip;q=0", false),
            ("br", false),
            ("identity", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(accept));
            assert_eq!(accepts_gzip(&headers), gzip, "{accept}");
        }
        assert!(!accepts_gzip(&HeaderMap::new()));
    }
}
