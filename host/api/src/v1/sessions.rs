use std::sync::Arc;
use std::time::Instant;

use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, HeaderValue, SET_COOKIE, USER_AGENT};
use serde_json::{Value, json};

use super::admin;
use super::json_fields::Fields;
use super::shapes::sessions as shapes;
use super::timestamp::timestamp;
use crate::Api;
use crate::rules::audit::actor;
use crate::rules::limits::Verdict;
use crate::rules::noted::noted;
use crate::rules::page::list_reply;
use crate::rules::problem::{Problem, refuse};
use crate::rules::route::{Ask, Class, Operation, Route};
use crate::rules::session;
use vocalhost_http::reply::{self, Reply};
use vocalhost_store::{Caller, NewSession, Scope, SessionRecord};
use vocalhost_system::clock;

/// The sentence for a key that is not good.
const WRONG_KEY: &str = "This key is wrong, expired or revoked.";

/// The sentence for a request that has no session, or one that is over.
const NO_SESSION: &str = "Nobody is signed in here: sign in with a key.";

/// What may be asked at the server's own root.
pub(crate) const SESSION: Route = Route {
    path: "/console/session",
    operations: &[
        Operation::get(
            "getConsoleSession",
            "Who is signed in to the console",
            shapes::get_session,
        )
        .counts_as(Class::Uncounted)
        .open(|api, ask| Box::pin(show(api, ask))),
        Operation::post(
            "openConsoleSession",
            "Sign in to the console: exchange a key for a cookie",
            shapes::open_session,
        )
        .counts_as(Class::Uncounted)
        .open(|api, ask| Box::pin(open(api, ask))),
        Operation::delete(
            "closeConsoleSession",
            "Sign out of the console",
            shapes::close_session,
        )
        .counts_as(Class::Uncounted)
        .open(|api, ask| Box::pin(close(api, ask))),
    ],
};

/// What may be asked under a root.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        path: "/me/sessions",
        operations: &[Operation::get(
            "listSessions",
            "Where you are signed in to the console",
            shapes::list_sessions,
        )
        .keyed(Scope::Read, |api, ask, caller| {
            Box::pin(list(api, ask, caller))
        })],
    },
    Route {
        path: "/me/sessions/{id}",
        operations: &[Operation::delete(
            "revokeSession",
            "End a session of the console",
            shapes::revoke_session,
        )
        .keyed(Scope::Write, |api, ask, caller| {
            Box::pin(revoke(api, ask, caller))
        })],
    },
];

/// `GET /console/session`.
async fn show(api: &Arc<Api>, ask: Ask<'_>) -> Result<Reply, Problem> {
    let (caller, expires_at_us) = signed_in(api, &ask, false).await?;
    Ok(shown(StatusCode::OK, &caller, expires_at_us))
}

/// `POST /console/session`. The key is compared and forgotten.
async fn open(api: &Arc<Api>, mut ask: Ask<'_>) -> Result<Reply, Problem> {
    session::guard_sign_in(api, ask.head)?;
    let given = ask.json(api).await?;
    let mut fields = Fields::new(&given, &["key"]);
    let key = fields.text("key");
    fields.require("key", key.is_some());
    refuse(fields.mistakes)?;
    let key = key.unwrap_or_default();
    let now_us = clock::now_us();
    let caller = api.store.authenticate(key.trim(), now_us).await?;
    let Some(mut caller) = caller else {
        return Err(failed(api, &ask, WRONG_KEY).await);
    };
    tracing::Span::current().record("user", caller.user_id);
    let life_us = api.settings.session_ttl_s as i64 * clock::US_PER_S;
    let user_agent = ask.head.headers.get(USER_AGENT);
    let new = NewSession {
        key_id: caller.key_id.clone(),
        expires_at_us: now_us + life_us,
        user_agent: user_agent.and_then(|text| Some(text.to_str().ok()?.to_owned())),
    };
    let actor = actor(&ask.call, &caller);
    let issued = api.store.open_session(&new, &actor, now_us).await?;
    let Some(issued) = issued else {
        // It was revoked at this very moment.
        return Err(failed(api, &ask, WRONG_KEY).await);
    };
    caller.session_id = Some(issued.id);
    let mut reply = shown(StatusCode::CREATED, &caller, issued.expires_at_us);
    let seconds = (issued.expires_at_us - now_us) / clock::US_PER_S;
    let cookie = session::set_cookie(&api.public_url, &issued.token, seconds);
    reply.headers_mut().insert(SET_COOKIE, cookie);
    Ok(noted(reply))
}

/// `DELETE /console/session`. Whoever is not signed in is signed out already.
async fn close(api: &Arc<Api>, ask: Ask<'_>) -> Result<Reply, Problem> {
    session::guard(api, ask.head, true)?;
    if let Ok((caller, _)) = signed_in(api, &ask, true).await
        && let Some(id) = &caller.session_id
    {
        let session = (id.as_str(), Some(caller.user_id));
        let actor = actor(&ask.call, &caller);
        let closed =
            api.store
                .close_session(session, "closeConsoleSession", &actor, clock::now_us());
        closed.await?;
    }
    let mut reply = reply::empty(StatusCode::NO_CONTENT);
    let gone = session::set_cookie(&api.public_url, "", 0);
    reply.headers_mut().insert(SET_COOKIE, gone);
    Ok(noted(reply))
}

/// Who is signed in, and until when.
async fn signed_in(api: &Api, ask: &Ask<'_>, writes: bool) -> Result<(Caller, i64), Problem> {
    let none = Problem::SignIn { detail: NO_SESSION };
    let token = session::token(&ask.head.headers).ok_or(none)?;
    session::guard(api, ask.head, writes)?;
    let found = api.store.authenticate_session(token, clock::now_us());
    match found.await? {
        Some(found) => Ok(found),
        None => Err(failed(api, ask, NO_SESSION).await),
    }
}

/// A failed authentication, which counts for its address.
async fn failed(api: &Api, ask: &Ask<'_>, detail: &'static str) -> Problem {
    let counted = api.limits.count_failure(ask.call.client, Instant::now());
    let counted = counted.await;
    match counted.as_ref().and_then(Verdict::refusal) {
        Some(retry_after_s) => Problem::TooManyRequests { retry_after_s },
        None => Problem::SignIn { detail },
    }
}

fn shown(status: StatusCode, caller: &Caller, expires_at_us: i64) -> Reply {
    let scopes: Vec<&str> = caller.scopes.iter().map(|scope| scope.as_str()).collect();
    let record = json!({
        "id": caller.session_id,
        "user": caller.user_name,
        "scopes": scopes,
        "keyId": caller.key_id,
        "expiresAt": timestamp(expires_at_us),
    });
    let mut reply = reply::json(status, &record);
    let kept = HeaderValue::from_static("no-store");
    reply.headers_mut().insert(CACHE_CONTROL, kept);
    reply
}

/// `GET /me/sessions`.
async fn list(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let asked = admin::asked(&ask.call)?;
    let user = Some(caller.user_id);
    let sessions = api.store.list_sessions(user, clock::now_us()).await?;
    let rows = asked.cut(&sessions).into_iter();
    let data: Vec<Value> = rows
        .map(|session| {
            let mut shown = record(session);
            shown["current"] = json!(caller.session_id.as_ref() == Some(&session.id));
            shown
        })
        .collect();
    Ok(list_reply(&ask.call, &asked, sessions.len() as u64, &data))
}

/// `DELETE /me/sessions/{id}`.
async fn revoke(api: &Api, ask: Ask<'_>, caller: &Caller) -> Result<Reply, Problem> {
    let actor = actor(&ask.call, caller);
    let session = (ask.part("id"), Some(caller.user_id));
    let now_us = clock::now_us();
    let revoked = api
        .store
        .close_session(session, "revokeSession", &actor, now_us);
    if !revoked.await? {
        return Err(Problem::RowNotFound);
    }
    Ok(noted(reply::empty(StatusCode::NO_CONTENT)))
}

/// The record of a session.
#[must_use]
pub fn record(session: &SessionRecord) -> Value {
    json!({
        "id": session.id,
        "keyId": session.key_id,
        "createdAt": timestamp(session.created_at_us),
        "expiresAt": timestamp(session.expires_at_us),
        "lastUsedAt": timestamp(session.last_used_at_us),
        "address": session.address,
        "userAgent": session.user_agent,
    })
}
