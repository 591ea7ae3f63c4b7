//! The console's sessions.

use serde_json::{Value, json};

use crate::rules::describe::Description;
use crate::rules::describe::schema::{
    boolean, choice, list, named, nullable, object, says, string, timestamp,
};
use crate::v1::admin::ADMIN_PAGES;

const TAG: &str = "Console";

/// Whoever is signed in.
pub fn signed_in() -> Value {
    object(json!({
        "id": says(string(), "The session's public part."),
        "user": string(),
        "scopes": list(choice(&["read", "write", "admin"])),
        "keyId": says(string(), "The part before the dot of the key that it was opened with."),
        "expiresAt": says(timestamp(), "It ends earlier with its key."),
    }))
}

/// The record of a session.
pub fn record() -> Value {
    object(json!({
        "id": string(),
        "keyId": says(string(), "The part before the dot of the key that it was opened with."),
        "createdAt": timestamp(),
        "expiresAt": timestamp(),
        "lastUsedAt": says(timestamp(), "To the minute."),
        "address": says(nullable(string()), "Where it was opened from."),
        "userAgent": says(nullable(string()), "What the browser said of itself."),
        "current": says(boolean(), "Whether this very request came by it."),
    }))
}

/// What the cookie asks of every request.
const COOKIE: &str = "The cookie stands for the key in every request without an `Authorization` header that comes from a page of this \
    server; what may change something needs the header `X-Vocalhost-Console: 1`, too.";

/// `GET /console/session`.
pub fn get_session() -> Description {
    Description::of(TAG)
        .says(COOKIE)
        .gives(200, "You.", named("ConsoleSession"))
        .refuses(401, "E_UNAUTHORIZED_ACCESS")
        .refuses(403, "E_FORBIDDEN_EXCEPTION")
        .refuses(429, "E_TOO_MANY_REQUESTS")
}

/// `POST /console/session`.
pub fn open_session() -> Description {
    let mut body = object(json!({ "key": string() }));
    body["additionalProperties"] = json!(false);
    Description::of(TAG)
        .says("The key is kept nowhere. The session ends with it, and after the time that is set.")
        .json(body)
        .gives(201, "You.", named("ConsoleSession"))
        .with_header("Set-Cookie", "The session, for browsers alone.")
        .refuses(401, "E_UNAUTHORIZED_ACCESS")
        .refuses(403, "E_FORBIDDEN_EXCEPTION")
        .refuses(429, "E_TOO_MANY_REQUESTS")
}

/// `DELETE /console/session`.
pub fn close_session() -> Description {
    Description::of(TAG)
        .gives_nothing(204, "Nobody is signed in any more.")
        .with_header("Set-Cookie", "Takes the cookie away.")
        .refuses(403, "E_FORBIDDEN_EXCEPTION")
}

/// `GET /me/sessions`.
pub fn list_sessions() -> Description {
    Description::of(TAG)
        .pages(&ADMIN_PAGES)
        .gives_page_of(named("ListedConsoleSession"))
}

/// `DELETE /me/sessions/{id}`.
pub fn revoke_session() -> Description {
    Description::of(TAG)
        .part("id", string())
        .gives_nothing(204, "It has ended.")
}
