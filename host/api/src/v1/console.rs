use hyper::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, ETAG, HeaderName, HeaderValue,
    REFERRER_POLICY, VARY,
};
use hyper::{HeaderMap, StatusCode};
use serde_json::json;

use super::served::insert;
use super::shapes::console as shapes;
use crate::Api;
use crate::rules::problem::Problem;
use crate::rules::route::{Class, Operation, Route};
use crate::rules::surface::Surface;
use vocalhost_console::Asset;
use vocalhost_http::accept::accepts_gzip;
use vocalhost_http::reply::{self, Reply};
use vocalhost_http::validators::matches_any;

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The names of its files change with their content.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// The files that the page loads.
pub const ASSETS: Route = Route {
    path: "/assets/{*target}",
    operations: &[
        Operation::get("getConsoleAsset", "A file of the console", shapes::asset)
            .counts_as(Class::Uncounted)
            .open(|_, ask| Box::pin(async move { asset(&ask.head.headers, ask.part("target")) })),
    ],
};

/// What the page has to know of this server.
pub const CONFIG: Route = Route {
    path: "/console/config.json",
    operations: &[Operation::get(
        "getConsoleConfig",
        "What the console has to know of this server",
        shapes::config,
    )
    .counts_as(Class::Uncounted)
    .open(|api, ask| Box::pin(async move { config(api, ask.call.surface).await }))],
};

/// The page. It is asked for anew each time, and sent when it has changed.
pub fn page(headers: &HeaderMap) -> Reply {
    let mut reply = sent(headers, vocalhost_console::page());
    let page_headers = reply.headers_mut();
    let policy = vocalhost_console::policy(None);
    for (name, value) in [
        (CACHE_CONTROL, "no-cache"),
        (CONTENT_SECURITY_POLICY, &policy),
        (REFERRER_POLICY, "no-referrer"),
        (
            PERMISSIONS_POLICY,
            "microphone=(self), camera=(), geolocation=(), payment=(), usb=()",
        ),
        (OPENER_POLICY, "same-origin"),
    ] {
        insert(page_headers, name, value);
    }
    reply
}

fn asset(headers: &HeaderMap, name: &str) -> Result<Reply, Problem> {
    let found = vocalhost_console::asset(&format!("assets/{name}"));
    let mut reply = sent(headers, found.ok_or(Problem::RowNotFound)?);
    insert(reply.headers_mut(), CACHE_CONTROL, FOR_EVER);
    Ok(reply)
}

/// A file, compressed for who takes that.
fn sent(headers: &HeaderMap, asset: &Asset) -> Reply {
    let gzip = asset.gzip.filter(|_| accepts_gzip(headers));
    // The two forms differ byte by byte, and so must their names (RFC 9110, 8.8.3).
    let form = if gzip.is_some() { "-gzip" } else { "" };
    let etag = format!("\"{}{form}\"", asset.sha256);
    let mut reply = if matches_any(headers, &etag) {
        reply::empty(StatusCode::NOT_MODIFIED)
    } else {
        let mut reply = reply::bytes(asset.media_type, gzip.unwrap_or(asset.content));
        if gzip.is_some() {
            insert(reply.headers_mut(), CONTENT_ENCODING, "gzip");
        }
        reply
    };
    let reply_headers = reply.headers_mut();
    insert(reply_headers, ETAG, &etag);
    reply_headers.append(VARY, HeaderValue::from_static("Accept-Encoding"));
    insert(reply_headers, RESOURCE_POLICY, "same-origin");
    reply
}

/// `GET /console/config.json`. The root is relative to the page, so that it holds behind whatever prefix a proxy gives it.
async fn config(api: &Api, surface: Surface) -> Result<Reply, Problem> {
    let root = &api.settings.api_roots[0];
    let known = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "apiRoot": root.trim_start_matches('/'),
        "publicUrl": api.public_url,
        "surface": surface.as_str(),
        "firstStart": api.store.is_untouched().await?,
    });
    let mut reply = reply::json(StatusCode::OK, &known);
    insert(reply.headers_mut(), CACHE_CONTROL, "no-store");
    Ok(reply)
}
