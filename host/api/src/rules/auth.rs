use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;
use hyper::http::request::Parts;

use super::problem::Problem;
use super::session;
use super::state::Api;
use vocalhost_store::{Caller, Scope};
use vocalhost_system::clock;

/// No key is longer; anything beyond is refused without a look at the database.
const LONGEST_KEY: usize = 256;

/// Who is calling, by a key or by the console's cookie; [`Problem::Unauthorized`] when the request has no good one. `writes` says that
/// the request may change something.
pub async fn authenticate(api: &Api, head: &Parts, writes: bool) -> Result<Caller, Problem> {
    let now_us = clock::now_us();
    let caller = if let Some(token) = session::token(&head.headers) {
        session::guard(api, head, writes)?;
        let found = api.store.authenticate_session(token, now_us).await?;
        found.map(|(caller, _)| caller)
    } else {
        let key = bearer(&head.headers).ok_or(Problem::Unauthorized)?;
        api.store.authenticate(key, now_us).await?
    };
    let caller = caller.ok_or(Problem::Unauthorized)?;
    tracing::Span::current().record("user", caller.user_id);
    Ok(caller)
}

/// Whether the caller's key has `scope`.
pub fn require(caller: &Caller, scope: Scope) -> Result<(), Problem> {
    if !caller.may(scope) {
        return Err(Problem::Forbidden {
            detail: format!("This key lacks the scope `{}`.", scope.as_str()),
        });
    }
    Ok(())
}

/// The key of the one `Authorization: Bearer <key>` header. The scheme's letter case does not matter (RFC 9110,
/// 11.1).
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (Some(header), None) = (given.next(), given.next()) else {
        return None;
    };
    let (scheme, key) = header.to_str().ok()?.trim().split_once(' ')?;
    let key = key.trim();
    let plain = !key.is_empty()
        && key.len() <= LONGEST_KEY
        && key.bytes().all(|byte| byte.is_ascii_graphic());
    (scheme.eq_ignore_ascii_case("bearer") && plain).then_some(key)
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    fn key_of(values: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        bearer(&headers).map(str::to_owned)
    }

    #[test]
    fn the_scheme_is_bearer_in_any_letter_case() {
        for header in ["Bearer a.b", "bearer a.b", "BEARER   a.b "] {
            assert_eq!(key_of(&[header]).as_deref(), Some("a.b"), "{header}");
        }
    }

    #[test]
    fn anything_else_has_no_key() {
        let long = format!("Bearer {}", "x".repeat(LONGEST_KEY + 1));
        for header in [
            "",
            "Bearer",
            "Bearer ",
            "Basic a.b",
            "a.b",
            "Bearer a b",
            &long,
        ] {
            assert_eq!(key_of(&[header]), None, "{header}");
        }
        assert_eq!(key_of(&[]), None);
        assert_eq!(key_of(&["Bearer a.b", "Bearer a.b"]), None);
    }
}
