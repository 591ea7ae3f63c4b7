use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::Value;

use super::harness::{Server, header, shared};

#[test]
fn the_description_is_there_without_a_key_under_every_root() {
    let server = Server::start(&["--api-roots", "/api/v1,/other/v1"]);
    let url = format!("http://{}/other/v1/openapi.json", server.address);
    let answer = server.anonymous(Method::GET, &url).send();
    let answer = answer.expect("the server answers");
    assert_eq!(answer.status(), 200);
    assert_eq!(header(answer.headers(), "content-type"), "application/json");
    let document: Value = answer.json().expect("JSON");
    assert_eq!(document["openapi"], "3.1.0");
    let servers = document["servers"].as_array().expect("a list").iter();
    let servers: BTreeSet<String> = servers
        .map(|one| one["url"].as_str().expect("a text").to_owned())
        .collect();
    let root = |path: &str| format!("http://{}{path}", server.address);
    assert_eq!(
        servers,
        BTreeSet::from([root("/api/v1"), root("/other/v1")])
    );
}

#[test]
fn every_method_that_a_path_allows_is_described() {
    let server = shared();
    let document = server.get("/openapi.json");
    let paths = document["paths"].as_object().expect("an object");
    assert!(paths.len() > 15, "{}", paths.len());
    for (path, item) in paths {
        let at_root = item.get("servers").is_some();
        let path = path.replace(['{', '}'], "");
        let url = if at_root {
            format!("http://{}{path}", server.address)
        } else {
            server.url(&path)
        };
        let answer = server.anonymous(Method::OPTIONS, &url).send();
        let allow = header(answer.expect("the server answers").headers(), "allow");
        let allowed: BTreeSet<String> = allow
            .split(", ")
            .filter(|method| !matches!(*method, "HEAD" | "OPTIONS"))
            .map(str::to_ascii_lowercase)
            .collect();
        let fields = item.as_object().expect("an object").keys();
        let described: BTreeSet<String> =
            fields.filter(|name| *name != "servers").cloned().collect();
        assert_eq!(described, allowed, "{path}");
    }
}

#[test]
fn what_is_refused_everywhere_is_described() {
    let document = shared().get("/openapi.json");
    let text = document.to_string();
    for code in [
        "E_UNAUTHORIZED_ACCESS",
        "E_FORBIDDEN_EXCEPTION",
        "E_ROW_NOT_FOUND",
        "E_VALIDATION_FAILURE",
        "E_UNSUPPORTED_MEDIA_TYPE",
        "E_QUOTA_EXCEEDED",
        "E_TOO_MANY_REQUESTS",
        "E_SERVICE_UNAVAILABLE",
        "E_INTERNAL",
        "E_URL_EXPIRED",
        "E_URL_INVALID",
    ] {
        assert!(text.contains(&format!("\"{code}\"")), "{code}");
    }
    for event in ["job.success", "job.error", "job.cancelled"] {
        assert!(document["webhooks"][event]["post"].is_object(), "{event}");
    }
}
