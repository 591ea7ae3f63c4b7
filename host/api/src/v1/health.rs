use std::sync::atomic::Ordering;

use hyper::StatusCode;
use serde_json::json;

use crate::Api;
use vocalhost_http::reply::{self, Reply};
use vocalhost_system::token;

/// `GET /livez`: the process answers.
#[must_use]
pub fn live() -> Reply {
    reply::json(StatusCode::OK, &json!({ "status": "ok" }))
}

/// `GET /readyz`: the server takes work. Otherwise 503, with what is missing.
pub async fn ready(api: &Api) -> Reply {
    let files = async {
        match token::draw() {
            Ok(name) => api.files.answers(&name).await,
            Err(_) => false,
        }
    };
    // Any read will do; there is no voice 0. At the same time, for whoever asks does not wait long.
    let (database, files) = tokio::join!(api.store.model(0), files);
    if let Err(error) = &database {
        tracing::warn!(cause = %error, "the database cannot be reached");
    }
    let checks = json!({
        "database": database.is_ok(),
        "workers": api.workers_up.load(Ordering::Relaxed),
        "files": files,
        "storage": api.reserve.is_kept(),
        "accepting": !api.is_draining(),
    });
    let all = checks
        .as_object()
        .is_some_and(|checks| checks.values().all(|up| *up == json!(true)));
    let (status, word) = if all {
        (StatusCode::OK, "ok")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "unavailable")
    };
    reply::json(status, &json!({ "status": word, "checks": checks }))
}
