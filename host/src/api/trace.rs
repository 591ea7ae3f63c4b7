use hyper::HeaderMap;
use hyper::header::HeaderName;

/// The header of W3C Trace Context.
const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");

/// Lengths of the parts of version `00`: version, trace, parent, flags.
const PARTS: [usize; 4] = [2, 32, 16, 2];

/// The trace that a request belongs to, when its header says so in the form of version `00`; any other is ignored, as
/// the recommendation has it.
#[must_use]
pub fn parent(headers: &HeaderMap) -> Option<String> {
    let mut given = headers.get_all(TRACE_PARENT).iter();
    let (Some(header), None) = (given.next(), given.next()) else {
        return None;
    };
    let text = header.to_str().ok()?.trim();
    is_parent(text).then(|| text.to_owned())
}

fn is_parent(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let shaped = parts.len() == PARTS.len()
        && parts
            .iter()
            .zip(PARTS)
            .all(|(part, length)| part.len() == length && part.bytes().all(hex));
    let is_something = |part: &str| part.bytes().any(|byte| byte != b'0');
    shaped && parts[0] == "00" && is_something(parts[1]) && is_something(parts[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_recommendation_allows_is_carried_on() {
        let (trace, span) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
        assert!(is_parent(&format!("00-{trace}-{span}-01")));
        for wrong in [
            String::new(),
            format!("01-{trace}-{span}-01"),
            format!("00-{trace}-{span}"),
            format!("00-{trace}-{span}-01-more"),
            format!("00-{}-{span}-01", trace.to_uppercase()),
            format!("00-{}-{span}-01", "0".repeat(32)),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            format!("00-{trace}x-{span}-01"),
        ] {
            assert!(!is_parent(&wrong), "{wrong}");
        }
    }
}
