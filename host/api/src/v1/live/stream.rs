use std::sync::Arc;

use hyper::header::{
    AUTHORIZATION, CONNECTION, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use hyper::upgrade::OnUpgrade;
use hyper::{HeaderMap, StatusCode};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::{link, no_place};
use crate::Api;
use crate::rules::auth;
use crate::rules::problem::Problem;
use crate::rules::route::Ask;
use crate::rules::session;
use vocalhost_http::reply::{self, Reply};
use vocalhost_store::{LiveKey, Scope};
use vocalhost_system::clock;

/// What both sides speak.
const PROTOCOL: &str = "vocalhost.live.v1";

/// Before the ticket, among the subprotocols: the one thing that a page can say when it opens a stream, and that is in no log.
const TICKET: &str = "ticket.";

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
    // Never by the console's cookie, which a browser sends along whoever's page opens a stream.
    let key = if headers.contains_key(AUTHORIZATION) {
        let caller = auth::authenticate(api, ask.head, true).await?;
        auth::require(&caller, Scope::Write)?;
        LiveKey::User(caller.user_id)
    } else {
        session::guard_origin(api, ask.head)?;
        LiveKey::Ticket(ticket.ok_or(Problem::Unauthorized)?)
    };
    if api.is_draining() {
        return Err(Problem::Unavailable {
            detail: "The server is about to stop; try again in a moment.".to_owned(),
        });
    }
    let place = api.live.take().ok_or_else(no_place)?;
    let live = api.store.open_live(id, key, clock::now_us()).await?;
    let live = live.ok_or(Problem::Unauthorized)?;
    let opened = link::Opened {
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
