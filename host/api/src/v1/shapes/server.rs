use serde_json::{Value, json};

use crate::rules::describe::Description;
use crate::rules::describe::schema::{boolean, choice, list, object, says, string, url};
use crate::v1::docs::PAGES;

/// `GET` of a signed link.
pub fn file() -> Description {
    let whole =
        "The expiry, the signature and the rest of the path are taken from a record as they are.";
    let media_types = &[
        "audio/wav",
        "audio/mpeg",
        "audio/flac",
        "audio/ogg",
        "image/png",
        "image/jpeg",
        "image/svg+xml",
        "image/webp",
        "application/zip",
        "application/octet-stream",
    ];
    let mut description = Description::of("Files")
        .says(whole)
        .part("expiry", string())
        .part("signature", string())
        .part("target", string())
        .header("Range", string(), "Part of the file (RFC 9110, 14).")
        .header(
            "If-None-Match",
            string(),
            "Nothing is sent when it still is this one.",
        )
        .header(
            "If-Range",
            string(),
            "All of it is sent when it no longer is this one.",
        );
    let whole = "The file. One that is made when it is first asked for is sent while it is made, without its length.";
    for (status, text) in [(200, whole), (206, "The part that was asked for.")] {
        description = description.gives_bytes(status, text, media_types);
        let version = "Changes with the content.";
        description = if status == 206 {
            description.with_header("ETag", version)
        } else {
            description.may_have_header("ETag", version)
        };
        description = description
            .with_header("Content-Disposition", "A name to keep it under.")
            .with_header("Accept-Ranges", "`bytes`, or `none` for an archive.")
            .with_header("Cache-Control", "Always private.");
    }
    description
        .gives_nothing(304, "It still is the one that you have.")
        .refuses(403, "E_URL_EXPIRED")
        .refuses(403, "E_URL_INVALID")
        .refuses(404, "E_ROW_NOT_FOUND")
        .refuses(410, "E_RESULT_EXPIRED")
        .refuses(416, "E_RANGE_NOT_SATISFIABLE")
        .refuses(503, "E_SERVICE_UNAVAILABLE")
}

/// `GET /` and `GET` of a root of the API.
pub fn index() -> Description {
    let body = object(json!({
        "name": string(),
        "version": string(),
        "api": says(url(), "The root that all other paths of this document lie under."),
        "openapi": says(url(), "This document."),
        "documentation": says(url(), "How the API is used, in words."),
    }));
    Description::of("Server")
        .says("The same at the server's root and at the API's. Browsers get a page: the console, or the links at a root of the API.")
        .gives(200, "The addresses.", body)
        .or_html()
        .with_header("Vary", "The answer depends on `Accept`.")
        .gives_nothing(304, "The page still is the one that you have.")
}

/// `GET /docs`.
pub fn all_docs() -> Description {
    let page = object(json!({ "name": string(), "title": string(), "url": url() }));
    let body = object(json!({ "data": list(page) }));
    Description::of("Server").gives(
        200,
        "The pages, in the order in which they may be read.",
        body,
    )
}

/// `GET /docs/{page}`.
pub fn docs() -> Description {
    let pages: Vec<&str> = PAGES.iter().map(|(name, _)| *name).collect();
    Description::of("Server")
        .says("The documentation that came with this version of the server, in Markdown.")
        .part("page", choice(&pages))
        .gives_bytes(200, "The page.", &["text/plain"])
        .refuses(404, "E_ROW_NOT_FOUND")
}

/// `GET /metrics`.
pub fn metrics() -> Description {
    Description::of("Server").gives_bytes(
        200,
        "The figures.",
        &["text/plain", "application/openmetrics-text"],
    )
}

/// `GET /livez`.
pub fn live() -> Description {
    let body = object(json!({ "status": choice(&["ok"]) }));
    Description::of("Server").gives(200, "It does.", body)
}

/// `GET /readyz`.
pub fn ready() -> Description {
    Description::of("Server")
        .gives(200, "It does.", readiness("ok"))
        .gives(503, "It does not.", readiness("unavailable"))
}

fn readiness(word: &str) -> Value {
    object(json!({
        "status": choice(&[word]),
        "checks": object(json!({
            "database": boolean(),
            "workers": says(boolean(), "There are processes to run jobs, or the server leaves jobs to others."),
            "files": says(boolean(), "The store of recordings and results answers."),
            "storage": says(boolean(), "The disk has as much room as has to stay free."),
            "accepting": says(boolean(), "The server is not about to stop."),
        })),
    }))
}
