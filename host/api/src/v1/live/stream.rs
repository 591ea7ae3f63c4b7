use std::sync::Arc;

use hyper::header::{
    AUTHORIZATION, CONNECTION, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use hyper::upgrade::OnUpgrade;
use hyper::{HeaderMap, StatusCode};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::opened;
use super::own::not_yours;
use crate::Api;
use crate::rules::auth;
use crate::rules::problem::Problem;
use crate::rules::route::Ask;
use crate::rules::session;
use vocalhost_http::reply::{self, Reply};
use vocalhost_job::LiveState;
use vocalhost_store::{LiveKey, Scope};
use vocalhost_system::clock;

/// What both sides speak.
const PROTOCOL: &str = "vocalhost.live.v1";

/// Stands before the ticket among the subprotocols, the one thing that a page can send when it opens a stream and that is in no log.
const TICKET: &str = "ticket.";

/// A ticket that opens nothing, or none.
const NO_TICKET: Problem = Problem::SignIn {
    detail: "The ticket does not open this stream: it does so once, within 30 seconds after the conversion was made. Programs may send a key instead.",
};

/// `GET /live-conversions/:id/stream`: becomes the stream of a conversion that waits for it.
pub(super) async fn open(api: &Arc<Api>, ask: Ask<'_>) -> Result<Reply, Problem> {
    let headers = &ask.head.headers;
    let accept = accepted(headers)?;
    let upgrade = ask.head.extensions.get::<OnUpgrade>().cloned();
    let upgrade = upgrade.ok_or_else(not_a_stream)?;
    let id = ask.id()?;
    let offered = offered(headers);
    if !offered.iter().any(|name| name == PROTOCOL) {
        let message = format!("Among the subprotocols there must be `{PROTOCOL}`.");
        return Err(Problem::field(
            "Sec-WebSocket-Protocol",
            "required",
            message,
        ));
    }
    let ticket = offered.iter().find_map(|name| name.strip_prefix(TICKET));
    // Never by the console's cookie, which a browser sends along whichever page opens a stream.
    let key = if headers.contains_key(AUTHORIZATION) {
        let caller = auth::authenticate(api, ask.head, true).await?;
        auth::require(&caller, Scope::Write)?;
        LiveKey::User(caller.user_id)
    } else {
        session::guard_origin(api, ask.head)?;
        LiveKey::Ticket(ticket.ok_or(NO_TICKET)?)
    };
    if api.is_draining() {
        return Err(Problem::Unavailable {
            detail: "The server is about to stop; try again in a moment.".to_owned(),
        });
    }
    if let LiveKey::User(user_id) = key {
        may_open(api, id, user_id).await?;
    }
    let now_us = clock::now_us();
    let Some(place) = api.live.take() else {
        // First: a caller who may not open it is told so, not that all places are taken.
        let may = api.store.may_open_live(id, key, now_us).await?;
        return Err(if may { no_place() } else { NO_TICKET });
    };
    let live = api.store.open_live(id, key, now_us).await?;
    let live = live.ok_or(NO_TICKET)?;
    let opened = opened::Opened {
        api: api.clone(),
        live,
        place,
        root: ask.call.root.clone(),
        request_id: ask.call.request_id.clone(),
    };
    tokio::spawn(opened.serve(upgrade));
    let mut reply = reply::empty(StatusCode::SWITCHING_PROTOCOLS);
    let answer = reply.headers_mut();
    answer.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    answer.insert(UPGRADE, HeaderValue::from_static("websocket"));
    answer.insert(SEC_WEBSOCKET_ACCEPT, accept);
    let protocol = HeaderValue::from_static(PROTOCOL);
    answer.insert(SEC_WEBSOCKET_PROTOCOL, protocol);
    Ok(reply)
}

/// All places are taken.
pub(super) fn no_place() -> Problem {
    Problem::Unavailable {
        detail: "All places for live conversions are taken; try again later.".to_owned(),
    }
}

/// Whether the stream waits for somebody with this key. A caller with a ticket is told no more than that it is not the right one.
async fn may_open(api: &Api, id: i64, user_id: i64) -> Result<(), Problem> {
    let live = api.store.live(id).await?;
    let live = live.ok_or(Problem::RowNotFound)?;
    if live.user_id != user_id {
        return Err(not_yours());
    }
    if live.state != LiveState::Waiting {
        return Err(Problem::Conflict {
            code: "E_LIVE_NOT_WAITING",
            detail: "The stream of this live conversion was opened already, or not in time: make another one."
                .to_owned(),
        });
    }
    Ok(())
}

/// The answer to the client's key, when it opens a WebSocket as RFC 6455, 4.2.1 has it.
fn accepted(headers: &HeaderMap) -> Result<HeaderValue, Problem> {
    let has = |name, wanted: &str| {
        let values = headers.get_all(name).iter();
        let words = values
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','));
        words
            .map(str::trim)
            .any(|word| word.eq_ignore_ascii_case(wanted))
    };
    let opens =
        has(CONNECTION, "upgrade") && has(UPGRADE, "websocket") && has(SEC_WEBSOCKET_VERSION, "13");
    let key = headers.get(SEC_WEBSOCKET_KEY).filter(|_| opens);
    let accept = key.map(|key| derive_accept_key(key.as_bytes()));
    let accept = accept.and_then(|accept| HeaderValue::from_str(&accept).ok());
    accept.ok_or_else(not_a_stream)
}

fn not_a_stream() -> Problem {
    let message = "A live conversion is opened as a WebSocket, version 13, over HTTP/1.1.";
    Problem::field("Upgrade", "required", message)
}

/// The subprotocols that a client offers.
fn offered(headers: &HeaderMap) -> Vec<String> {
    let lists = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter();
    let names = lists
        .filter_map(|list| list.to_str().ok())
        .flat_map(|list| list.split(','));
    names.map(|name| name.trim().to_owned()).collect()
}
