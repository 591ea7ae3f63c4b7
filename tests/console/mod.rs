//! The console: what the server sends of it, and flows through it in a real browser, which `flows/` has. `cargo xtask test` puts the
//! browser in place.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output};

use reqwest::Method;
use reqwest::blocking::Response;
use serde_json::Value;
use vocalhost_testing::process::program;
use vocalhost_testing::repository;
use vocalhost_testing::server::{Server, shared};

use crate::clients::{assert_success, installed, run};

/// What a browser says that it would like.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// Names the flows to run, by a part of their file's name; all of them without it.
const CHOICE: &str = "VOCALHOST_CONSOLE_FLOWS";

/// How long one file of flows may take, in milliseconds: only what hangs takes that long.
const LONGEST_FLOW: &str = "--test-timeout=1800000";

fn get(server: &Server, path: &str, headers: &[(&'static str, &str)]) -> Response {
    let url = format!("http://{}{path}", server.address);
    let request = server.anonymous(Method::GET, &url);
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(*name, *value)
    });
    request.send().expect("the server answers")
}

fn header(answer: &Response, name: &str) -> String {
    let values = answer.headers().get_all(name).iter();
    let values: Vec<&str> = values.filter_map(|value| value.to_str().ok()).collect();
    assert!(
        !values.is_empty(),
        "{name} is missing: {:?}",
        answer.headers()
    );
    values.join(", ")
}

/// Every file that the page names.
fn files(page: &str) -> Vec<String> {
    let names = page.match_indices("assets/").map(|(at, _)| {
        let rest = &page[at..];
        rest[..rest.find('"').expect("a value ends")].to_owned()
    });
    let names: Vec<String> = names.collect();
    assert!(!names.is_empty(), "{page}");
    names
}

/// Runs scripts of the browser's against a server of their own, with Node from set-up and more arguments for it. Gives what they printed.
fn run_in_browser(arguments: &[&str], scripts: &[PathBuf]) -> Output {
    // Flows start receivers of webhooks on this machine.
    let server = Server::start(&[
        "--webhook-allow-private",
        "127.0.0.0/8",
        "--training",
        "users",
        "--live-workers",
        "3",
        "--max-live-per-user",
        "0",
    ]);
    let packages = installed("VOCALHOST_NPM_CONSOLE", "console-npm");
    let node = std::fs::read_to_string(packages.join("node.txt")).expect("set-up has noted it");
    let mut command = Command::new(node.trim());
    command
        .arg("--test")
        .args(arguments)
        .args(scripts)
        .env("VOCALHOST_NPM_CONSOLE", packages)
        .env(
            "VOCALHOST_CONSOLE_URL",
            format!("http://{}", server.address),
        )
        .env("VOCALHOST_CONSOLE_KEY", &server.key)
        .env("VOCALHOST_CONSOLE_PROGRAM", program());
    let output = run(&mut command);
    assert_success(&output);
    output
}

#[test]
fn flows_through_the_console_in_a_browser() {
    let choice = std::env::var(CHOICE).unwrap_or_default();
    let folder = repository("tests/console/flows");
    let entries = std::fs::read_dir(&folder).expect("the folder is there");
    let mut flows: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().ends_with(".test.mjs"))
        .filter(|path| {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().contains(&choice)
        })
        .collect();
    flows.sort();
    assert!(!flows.is_empty(), "no flow is named {choice:?}");
    run_in_browser(&["--test-concurrency=2", LONGEST_FLOW], &flows);
}

/// `cargo xtask pictures` runs it: what it makes goes into the repository.
#[test]
#[ignore = "writes docs/pictures"]
fn pictures_of_the_console() {
    run_in_browser(&[], &[repository("tests/console/pictures.mjs")]);
}

/// `cargo xtask live` runs it: what it tells goes into docs/live.md.
#[test]
#[ignore = "takes minutes of an idle machine"]
fn minutes_of_a_live_conversion() {
    let script = repository("tests/console/live_minutes.mjs");
    let output = run_in_browser(&[], &[script]);
    let told = std::io::stdout().write_all(&output.stdout);
    told.expect("somebody reads it");
}

#[test]
fn browsers_get_the_page_under_a_policy_that_runs_nothing_inline() {
    let answer = get(&shared(), "/", &[("accept", BROWSER)]);
    assert_eq!(answer.status(), 200);
    assert_eq!(header(&answer, "content-type"), "text/html; charset=utf-8");
    let policy = header(&answer, "content-security-policy");
    assert!(policy.starts_with("default-src 'none'; "), "{policy}");
    for word in ["unsafe-inline", "'unsafe-eval'", "*", "http:", "https:"] {
        assert!(!policy.contains(word), "{word} in {policy}");
    }
    for directive in [
        "script-src 'self' 'wasm-unsafe-eval'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ] {
        assert!(policy.split("; ").any(|one| one == directive), "{policy}");
    }
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-cache"),
    ] {
        assert_eq!(header(&answer, name), value);
    }
    let permissions = header(&answer, "permissions-policy");
    assert!(permissions.contains("microphone=(self)"), "{permissions}");
    let vary = header(&answer, "vary");
    assert!(
        vary.contains("Accept") && vary.contains("Accept-Encoding"),
        "{vary}"
    );
}

#[test]
fn programs_get_the_addresses_where_browsers_get_the_page() {
    let answer = get(&shared(), "/", &[("accept", "*/*")]);
    let index: Value = answer.json().expect("JSON");
    assert_eq!(index["name"], "vocalhost");
}

#[test]
fn a_page_that_has_not_changed_is_not_sent_again() {
    let server = shared();
    for encoding in ["identity", "gzip"] {
        let asked = [("accept", BROWSER), ("accept-encoding", encoding)];
        let first = get(&server, "/", &asked);
        let etag = header(&first, "etag");
        let compressed = first.headers().contains_key("content-encoding");
        assert_eq!(compressed, etag.ends_with("-gzip\""), "{encoding}: {etag}");
        let again = [asked[0], asked[1], ("if-none-match", &etag)];
        assert_eq!(get(&server, "/", &again).status(), 304, "{encoding}");
    }
}

#[test]
fn the_files_of_the_page_are_kept_for_ever_and_say_what_they_are() {
    let server = shared();
    let page = get(&server, "/", &[("accept", BROWSER)]);
    let page = page.text().expect("text");
    for name in files(&page) {
        let answer = get(&server, &format!("/{name}"), &[]);
        assert_eq!(answer.status(), 200, "{name}");
        let kept = header(&answer, "cache-control");
        assert_eq!(kept, "public, max-age=31536000, immutable", "{name}");
        assert_eq!(header(&answer, "x-content-type-options"), "nosniff");
        let etag = header(&answer, "etag");
        let plain = answer.bytes().expect("the file arrives");
        let again = get(&server, &format!("/{name}"), &[("if-none-match", &etag)]);
        assert_eq!(again.status(), 304, "{name}");
        let small = get(&server, &format!("/{name}"), &[("accept-encoding", "gzip")]);
        let is_compressed = small.headers().contains_key("content-encoding");
        let length = small.bytes().expect("the file arrives").len();
        assert_eq!(length < plain.len(), is_compressed, "{name}");
    }
}

#[test]
fn there_are_no_other_files() {
    let server = shared();
    for path in [
        "/assets/nothing.js",
        "/assets/..%2findex.html",
        "/assets/%2e%2e/index.html",
        "/assets/a/b/c",
        "/assets",
        "/index.html",
        "/console/dist/index.html",
    ] {
        assert_eq!(get(&server, path, &[]).status(), 404, "{path}");
    }
}

#[test]
fn the_page_learns_where_the_api_is_and_whether_anybody_was_here() {
    let server = Server::start(&["--public-url", "https://voice.example/studio"]);
    let config = || -> Value {
        let answer = get(&server, "/console/config.json", &[]);
        answer.json().expect("JSON")
    };
    let first = config();
    assert_eq!(first["apiRoot"], "api/v1");
    assert_eq!(first["publicUrl"], "https://voice.example/studio");
    assert_eq!(first["surface"], "whole");
    assert_eq!(first["firstStart"], true);
    server.get("/me");
    assert_eq!(config()["firstStart"], false);
}
