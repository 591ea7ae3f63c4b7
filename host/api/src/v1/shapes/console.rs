//! The console's files.

use serde_json::json;

use crate::rules::describe::Description;
use crate::rules::describe::schema::{boolean, choice, object, says, string, url};
use crate::rules::surface::Surface;

const TAG: &str = "Console";

/// `GET /assets/{target}`.
pub fn asset() -> Description {
    let media_types = &[
        "text/javascript",
        "text/css",
        "text/plain",
        "application/json",
        "application/wasm",
        "image/svg+xml",
        "image/png",
        "image/webp",
        "font/woff2",
    ];
    Description::of(TAG)
        .part("target", string())
        .header(
            "If-None-Match",
            string(),
            "Nothing is sent when it still is this one.",
        )
        .gives_bytes(200, "The file.", media_types)
        .with_header("ETag", "Changes with the content.")
        .with_header("Cache-Control", "It never changes under this name.")
        .gives_nothing(304, "It still is the one that you have.")
        .refuses(404, "E_ROW_NOT_FOUND")
}

/// `GET /console/config.json`.
pub fn config() -> Description {
    let surfaces = Surface::ALL.map(Surface::as_str);
    let body = object(json!({
        "version": string(),
        "apiRoot": says(string(), "The API's root, relative to the page."),
        "publicUrl": says(url(), "What links in answers begin with."),
        "surface": says(choice(&surfaces), "Which part of the API this listener serves."),
        "firstStart": says(boolean(), "Whether no key was ever used: the first one was printed when the server started."),
    }));
    Description::of(TAG).gives(200, "What it has to know.", body)
}
