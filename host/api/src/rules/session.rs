//! The console's cookie, which stands for a key, and what a request must show beside it.
//!
//! Browsers send a cookie along whichever page makes the request. `SameSite=Strict` keeps it from other sites' pages, but another port of
//! one host is the same site. So a request with the cookie must also say that it comes from a page of this very server, and one that
//! changes something must have a header that no form and no simple request of another page can have.

use hyper::header::{AUTHORIZATION, COOKIE, HOST, HeaderName, HeaderValue, ORIGIN};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method};

use super::problem::Problem;
use super::state::Api;

/// The cookie's name.
const COOKIE_NAME: &str = "vocalhost_session";

/// What the console's page sends with every request that may change something.
const CONSOLE: HeaderName = HeaderName::from_static("x-vocalhost-console");

/// Where a request comes from, as the browser says, which no page can change.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// No token is longer; anything beyond is refused without a look at the database.
const LONGEST_TOKEN: usize = 256;

/// The token in the cookie. A request with an `Authorization` header has none, whatever its cookies are.
#[must_use]
pub fn token(headers: &HeaderMap) -> Option<&str> {
    if headers.contains_key(AUTHORIZATION) {
        return None;
    }
    let lists = headers.get_all(COOKIE).iter();
    let cookies = lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(';'));
    // The cookie of the longest path is sent first (RFC 6265, 5.4).
    let mut tokens = cookies.filter_map(|cookie| {
        let (name, value) = cookie.split_once('=')?;
        (name.trim() == COOKIE_NAME).then_some(value.trim())
    });
    tokens
        .next()
        .filter(|token| !token.is_empty() && token.len() <= LONGEST_TOKEN)
}

/// The header that gives a browser the token for so many seconds, or takes it away: none is left then.
#[must_use]
pub fn set_cookie(public_url: &str, token: &str, seconds: i64) -> HeaderValue {
    let (scheme, rest) = public_url.split_once("://").unwrap_or_default();
    let path = rest.find('/').map_or("/", |at| &rest[at..]);
    let secure = if scheme.eq_ignore_ascii_case("https") {
        "; Secure"
    } else {
        ""
    };
    let seconds = seconds.max(0);
    let cookie = format!(
        "{COOKIE_NAME}={token}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}"
    );
    HeaderValue::from_str(&cookie).expect("a token and a path are plain ASCII")
}

/// Refuses a request with the cookie that does not come from the console's page; one that only reads is refused only when it comes from a
/// page of another origin. `writes` says that the request may change something, whatever its method.
pub fn guard(api: &Api, head: &Parts, writes: bool) -> Result<(), Problem> {
    let reads = !writes && matches!(head.method, Method::GET | Method::HEAD);
    let from = From::of(head, &api.public_url);
    let marked = head.headers.get(CONSOLE).is_some_and(|mark| mark == "1");
    let allowed = if reads {
        from != From::Elsewhere
    } else {
        marked && from == From::Console
    };
    if allowed {
        return Ok(());
    }
    Err(Problem::Forbidden {
        detail: "A request with the console's cookie must come from the console: from a page of this server, and, where it may change \
                 something, with the header `X-Vocalhost-Console: 1`. Programs send a key in `Authorization`."
            .to_owned(),
    })
}

/// Refuses to open a stream for a page that may not call the API, as pages of this origin and of those in the settings may. Browsers let
/// any page open one without a preflight request.
pub fn guard_origin(api: &Api, head: &Parts) -> Result<(), Problem> {
    let origin = head
        .headers
        .get(ORIGIN)
        .and_then(|origin| origin.to_str().ok());
    let named = api.settings.cors_origins.iter();
    let is_named = |origin: &str| named.clone().any(|one| one == "*" || one == origin);
    if From::of(head, &api.public_url) != From::Elsewhere || origin.is_some_and(is_named) {
        return Ok(());
    }
    Err(Problem::Forbidden {
        detail: "Pages of this origin may not call the API: its operator names those that may in `cors_origins`."
            .to_owned(),
    })
}

/// Refuses a request to sign in from a page of another origin, which could sign somebody in as somebody else.
pub fn guard_sign_in(api: &Api, head: &Parts) -> Result<(), Problem> {
    if From::of(head, &api.public_url) != From::Elsewhere {
        return Ok(());
    }
    Err(Problem::Forbidden {
        detail: "Only the console's own page, or a program, may sign in.".to_owned(),
    })
}

/// Which page a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum From {
    /// A page of this origin.
    Console,
    /// A page of another origin.
    Elsewhere,
    /// No page, or a browser that does not say.
    Unknown,
}

impl From {
    /// `Sec-Fetch-Site` says it best; browsers leave it out where the server's address is plain HTTP, and have `Origin` with everything
    /// that may change something.
    fn of(head: &Parts, public_url: &str) -> Self {
        let headers = &head.headers;
        if let Some(site) = headers.get(SEC_FETCH_SITE) {
            return match site.as_bytes() {
                b"same-origin" => Self::Console,
                // Somebody typed the address.
                b"none" => Self::Unknown,
                _ => Self::Elsewhere,
            };
        }
        let mut origins = headers.get_all(ORIGIN).iter();
        let (origin, None) = (origins.next(), origins.next()) else {
            return Self::Elsewhere;
        };
        let Some(origin) = origin else {
            return Self::Unknown;
        };
        let Some((scheme, authority)) = origin.to_str().ok().and_then(|one| one.split_once("://"))
        else {
            return Self::Elsewhere;
        };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        let host = host.or(head
            .uri
            .authority()
            .map(hyper::http::uri::Authority::as_str));
        let is_own = host.is_some_and(|host| host.eq_ignore_ascii_case(authority))
            || is_origin_of(public_url, (scheme, authority));
        if is_own {
            Self::Console
        } else {
            Self::Elsewhere
        }
    }
}

fn is_origin_of(url: &str, (scheme, authority): (&str, &str)) -> bool {
    let Some((own_scheme, rest)) = url.split_once("://") else {
        return false;
    };
    let own = rest.split('/').next().unwrap_or_default();
    own_scheme.eq_ignore_ascii_case(scheme) && own.eq_ignore_ascii_case(authority)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(headers: &[(&str, &str)]) -> Parts {
        let mut request = hyper::Request::builder();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).expect("headers are plain").into_parts();
        head
    }

    fn token_of(headers: &[(&str, &str)]) -> Option<String> {
        token(&head(headers).headers).map(str::to_owned)
    }

    #[test]
    fn the_token_is_found_among_other_cookies_and_never_beside_a_key() {
        for (cookies, found) in [
            ("vocalhost_session=a.b", Some("a.b")),
            ("theme=dark; vocalhost_session=a.b; x", Some("a.b")),
            (
                "vocalhost_session=first.one; vocalhost_session=a.b",
                Some("first.one"),
            ),
            ("not_vocalhost_session=a.b", None),
            ("vocalhost_session=", None),
            ("vocalhost_session", None),
            ("", None),
        ] {
            assert_eq!(
                token_of(&[("cookie", cookies)]).as_deref(),
                found,
                "{cookies}"
            );
        }
        let two = [("cookie", "a=1"), ("cookie", "vocalhost_session=a.b")];
        assert_eq!(token_of(&two).as_deref(), Some("a.b"));
        let long = format!("vocalhost_session={}", "x".repeat(LONGEST_TOKEN + 1));
        assert_eq!(token_of(&[("cookie", &long)]), None);
        for key in ["Bearer a.b", "nonsense", ""] {
            let both = [("cookie", "vocalhost_session=a.b"), ("authorization", key)];
            assert_eq!(token_of(&both), None, "{key}");
        }
    }

    #[test]
    fn the_cookie_is_kept_to_the_prefix_and_to_tls() {
        for (public_url, end) in [
            (
                "http://a.example",
                "; Path=/; Max-Age=60; HttpOnly; SameSite=Strict",
            ),
            (
                "https://a.example",
                "; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure",
            ),
            (
                "https://a.example/voice",
                "; Path=/voice; Max-Age=60; HttpOnly; SameSite=Strict; Secure",
            ),
        ] {
            let cookie = set_cookie(public_url, "a.b", 60);
            assert_eq!(
                cookie,
                format!("vocalhost_session=a.b{end}"),
                "{public_url}"
            );
        }
        let gone = set_cookie("http://a.example", "", -5);
        assert_eq!(
            gone,
            "vocalhost_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"
        );
    }

    #[test]
    fn the_browser_s_word_counts_most_and_then_the_origin() {
        let public = "https://voice.example/x";
        for (headers, from) in [
            (&[("sec-fetch-site", "same-origin")][..], From::Console),
            (&[("sec-fetch-site", "same-site")], From::Elsewhere),
            (&[("sec-fetch-site", "cross-site")], From::Elsewhere),
            (&[("sec-fetch-site", "none")], From::Unknown),
            (&[("sec-fetch-site", "Same-Origin")], From::Elsewhere),
            (
                &[
                    ("sec-fetch-site", "cross-site"),
                    ("origin", "https://voice.example"),
                ],
                From::Elsewhere,
            ),
            (&[("origin", "https://voice.example")], From::Console),
            (&[("origin", "https://VOICE.example")], From::Console),
            (&[("origin", "http://voice.example")], From::Elsewhere),
            (
                &[("origin", "https://voice.example.evil.example")],
                From::Elsewhere,
            ),
            (&[("origin", "https://evil.example")], From::Elsewhere),
            (&[("origin", "null")], From::Elsewhere),
            (&[("origin", "")], From::Elsewhere),
            (
                &[
                    ("origin", "http://10.0.0.1:8080"),
                    ("host", "10.0.0.1:8080"),
                ],
                From::Console,
            ),
            (
                &[
                    ("origin", "http://10.0.0.1:9090"),
                    ("host", "10.0.0.1:8080"),
                ],
                From::Elsewhere,
            ),
            (
                &[
                    ("origin", "https://voice.example"),
                    ("origin", "https://evil.example"),
                ],
                From::Elsewhere,
            ),
            (&[("host", "voice.example")], From::Unknown),
        ] {
            assert_eq!(From::of(&head(headers), public), from, "{headers:?}");
        }
    }
}
