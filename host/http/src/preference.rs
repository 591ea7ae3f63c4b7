use std::time::Duration;

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};

/// What the client would like (RFC 7240).
const PREFER: HeaderName = HeaderName::from_static("prefer");

/// Which preference was applied.
pub const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// No answer waits longer; whoever wants to wait on asks again.
const LONGEST_S: u64 = 60;

/// How long a client would like to wait for a job's end. A preference that is not understood counts as none, as the
/// RFC has it; of several the first one counts.
#[must_use]
pub fn wait_asked(headers: &HeaderMap) -> Option<Duration> {
    let lists = headers.get_all(PREFER).iter();
    let mut wishes = lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','));
    let seconds = wishes.find_map(|wish| {
        // Parameters of a preference stand after a semicolon.
        let (name, value) = wish.split(';').next()?.split_once('=')?;
        let value = value.trim().trim_matches('"');
        let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        (name.trim().eq_ignore_ascii_case("wait") && digits).then(|| value.to_owned())
    })?;
    // More digits than fit are as good as the longest wait.
    let seconds = seconds.parse().unwrap_or(LONGEST_S).min(LONGEST_S);
    Some(Duration::from_secs(seconds))
}

/// Says that the answer waited for up to this long.
#[must_use]
pub fn applied(wait: Duration) -> HeaderValue {
    let text = format!("wait={}", wait.as_secs());
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("wait"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_understood_in_every_form_and_has_an_end() {
        for (header, seconds) in [
            ("wait=5", Some(5)),
            ("respond-async, wait=5", Some(5)),
            ("Wait = \"7\"", Some(7)),
            ("wait=5;strictly, wait=9", Some(5)),
            ("wait=0", Some(0)),
            ("wait=61", Some(60)),
            ("wait=99999999999999999999999", Some(60)),
            ("wait=-1", None),
            ("wait=soon", None),
            ("wait", None),
            ("", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(PREFER, HeaderValue::from_static(header));
            let wanted = seconds.map(Duration::from_secs);
            assert_eq!(wait_asked(&headers), wanted, "{header}");
        }
        assert_eq!(wait_asked(&HeaderMap::new()), None);
    }
}
