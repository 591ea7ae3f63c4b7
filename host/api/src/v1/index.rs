use hyper::header::{CONTENT_SECURITY_POLICY, HeaderValue, VARY};
use hyper::{HeaderMap, StatusCode};
use serde_json::json;

use super::shapes::server as shapes;
use crate::Api;
use crate::rules::call::Call;
use crate::rules::route::{Class, Operation, Route};
use vocalhost_http::accept::prefers_html;
use vocalhost_http::reply::{self, Reply};

/// What may be asked at the server's own root.
pub const AT_ROOT: Route = Route {
    path: "/",
    operations: OPERATIONS,
};

/// The same at each root of the API.
pub const ROUTES: &[Route] = &[Route {
    path: "",
    operations: OPERATIONS,
}];

const OPERATIONS: &[Operation] = &[Operation::get(
    "getIndex",
    "Where the API, its description and its documentation are",
    shapes::index,
)
.counts_as(Class::Uncounted)
.open(|api, ask| Box::pin(async move { Ok(show(api, &ask.call, &ask.head.headers)) }))];

/// `GET /` and `GET` of a root of the API: JSON, or for browsers the console, and a small page at a root of the API.
fn show(api: &Api, call: &Call, headers: &HeaderMap) -> Reply {
    let is_front = call.root == api.public_url;
    let root = if is_front {
        format!("{}{}", api.public_url, api.settings.api_roots[0])
    } else {
        call.root.clone()
    };
    let mut reply = if prefers_html(headers) {
        if is_front {
            front(&root, headers)
        } else {
            page(&root)
        }
    } else {
        let index = json!({
            "name": "vocalhost",
            "version": env!("CARGO_PKG_VERSION"),
            "api": root,
            "openapi": format!("{root}/openapi.json"),
            "documentation": format!("{root}/docs/api.md"),
        });
        reply::json(StatusCode::OK, &index)
    };
    let vary = HeaderValue::from_static("Accept");
    reply.headers_mut().append(VARY, vary);
    reply
}

/// What browsers get at the server's own root.
#[cfg(feature = "console")]
fn front(_: &str, headers: &HeaderMap) -> Reply {
    super::console::page(headers)
}

/// What browsers get at the server's own root.
#[cfg(not(feature = "console"))]
fn front(root: &str, _: &HeaderMap) -> Reply {
    page(root)
}

/// What the page says of a console.
#[cfg(feature = "console")]
const CONSOLE: &str = "";

/// What the page says of a console.
#[cfg(not(feature = "console"))]
const CONSOLE: &str =
    "<p>This build has no console: it was made without the feature <code>console</code>.</p>\n";

/// A page with nothing but text and links, which the policy holds it to.
fn page(root: &str) -> Reply {
    let version = env!("CARGO_PKG_VERSION");
    let root = escaped(root);
    let html = format!(
        r#"<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>vocalhost</title></head>
<body>
<h1>vocalhost {version}</h1>
<p>Voice processing as jobs. The API is at <code>{root}</code>; requests need a key.</p>
{CONSOLE}<ul>
<li><a href="{root}/docs/api.md">How it is used</a></li>
<li><a href="{root}/openapi.json">Its description, OpenAPI 3.1</a></li>
</ul>
</body>
</html>
"#
    );
    let mut reply = reply::bytes("text/html; charset=utf-8", html.into_bytes());
    let policy = HeaderValue::from_static("default-src 'none'");
    reply.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    reply
}

/// Escapes text for HTML, within quotes as well.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
}
