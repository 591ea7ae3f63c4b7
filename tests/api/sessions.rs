use reqwest::Method;
use reqwest::blocking::Response;
use serde_json::{Value, json};
use vocalhost_testing::poll::until;
use vocalhost_testing::server::{Server, shared};

use super::harness::problem;

/// What the console's page sends with what may change something.
const OF_THE_PAGE: [(&str, &str); 2] = [
    ("x-vocalhost-console", "1"),
    ("sec-fetch-site", "same-origin"),
];

fn session_url(server: &Server) -> String {
    format!("http://{}/console/session", server.address)
}

/// Signs in with a key; gives the answer and the cookie as a client sends it back.
fn signed_in(server: &Server, key: &str) -> (Value, String) {
    let request = server.anonymous(Method::POST, &session_url(server));
    let answer = request.json(&json!({ "key": key })).send();
    let answer = answer.expect("the server answers");
    assert_eq!(answer.status(), 201);
    let cookie = answer.headers()["set-cookie"].to_str().expect("is text");
    for attribute in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    let pair = cookie.split(';').next().expect("there is one").to_owned();
    assert!(!pair.contains(key), "the key is not in the cookie");
    (answer.json().expect("is JSON"), pair)
}

fn ask(
    server: &Server,
    (method, url): (Method, &str),
    cookie: &str,
    headers: &[(&'static str, &str)],
) -> Response {
    let request = server.anonymous(method, url).header("cookie", cookie);
    let request = headers.iter().fold(request, |request, (name, value)| {
        request.header(*name, *value)
    });
    request.send().expect("the server answers")
}

#[test]
fn the_cookie_stands_for_the_key_until_signing_out() {
    let server = shared();
    let (session, cookie) = signed_in(&server, &server.key_of("sessions-ann", &[]));
    assert_eq!(session["user"], "sessions-ann");
    let me = server.url("/me");
    let answer = ask(&server, (Method::GET, &me), &cookie, &[]);
    assert_eq!(answer.status(), 200);
    let own = session_url(&server);
    let shown: Value = ask(&server, (Method::GET, &own), &cookie, &[])
        .json()
        .expect("is JSON");
    assert_eq!(shown["id"], session["id"]);
    let out = ask(&server, (Method::DELETE, &own), &cookie, &OF_THE_PAGE);
    assert_eq!(out.status(), 204);
    assert_eq!(
        problem(ask(&server, (Method::GET, &me), &cookie, &[])).0,
        401
    );
    assert_eq!(
        problem(ask(&server, (Method::GET, &own), &cookie, &[])).0,
        401
    );
}

#[test]
fn what_does_not_come_from_the_page_changes_nothing() {
    let server = shared();
    let (session, cookie) = signed_in(&server, &server.key_of("sessions-ben", &[]));
    let path = format!("/me/sessions/{}", session["id"].as_str().expect("an id"));
    let url = server.url(&path);
    let [mark, same] = OF_THE_PAGE;
    for headers in [
        &[][..],
        &[mark],
        &[same],
        &[mark, ("sec-fetch-site", "same-site")],
        &[mark, ("sec-fetch-site", "cross-site")],
        &[mark, ("origin", "http://127.0.0.1:1")],
        &[mark, ("origin", "null")],
    ] {
        let answer = ask(&server, (Method::DELETE, &url), &cookie, headers);
        assert_eq!(problem(answer).0, 403, "{headers:?}");
    }
    let elsewhere = [("sec-fetch-site", "cross-site")];
    let me = server.url("/me");
    let answer = ask(&server, (Method::GET, &me), &cookie, &elsewhere);
    assert_eq!(problem(answer).0, 403, "another page reads nothing");
    let answer = ask(&server, (Method::DELETE, &url), &cookie, &OF_THE_PAGE);
    assert_eq!(answer.status(), 204);
}

#[test]
fn a_key_in_the_request_counts_and_not_the_cookie() {
    let server = shared();
    let (_, cookie) = signed_in(&server, &server.key_of("sessions-cat", &[]));
    let wrong = [("authorization", "Bearer nobody.knows")];
    let me = server.url("/me");
    let answer = ask(&server, (Method::GET, &me), &cookie, &wrong);
    assert_eq!(problem(answer).0, 401);
}

#[test]
fn sessions_are_listed_for_their_user_and_nobody_else_ends_them() {
    let server = shared();
    let key = server.key_of("sessions-dan", &[]);
    let (first, cookie) = signed_in(&server, &key);
    let (second, _) = signed_in(&server, &key);
    let url = server.url("/me/sessions");
    let listed: Value = ask(&server, (Method::GET, &url), &cookie, &[])
        .json()
        .expect("is JSON");
    let found = |id: &Value| {
        let rows = listed["data"].as_array().expect("a list");
        rows.iter().find(|row| row["id"] == *id).expect("is there")["current"].clone()
    };
    assert_eq!(
        (found(&first["id"]), found(&second["id"])),
        (json!(true), json!(false))
    );
    let id = second["id"].as_str().expect("an id");
    let path = format!("/me/sessions/{id}");
    let strangers = server.request(Method::DELETE, &path).send();
    assert_eq!(problem(strangers.expect("the server answers")).0, 404);
    let url = server.url(&path);
    let answer = ask(&server, (Method::DELETE, &url), &cookie, &OF_THE_PAGE);
    assert_eq!(answer.status(), 204);
}

#[test]
fn a_session_ends_by_itself() {
    // With the usual time it holds; one of a second may be over before the first request.
    let usual = shared();
    let (_, cookie) = signed_in(&usual, &usual.key_of("sessions-eve", &[]));
    let me = usual.url("/me");
    assert_eq!(ask(&usual, (Method::GET, &me), &cookie, &[]).status(), 200);

    let server = Server::start(&["--session-ttl-s", "1"]);
    let (_, cookie) = signed_in(&server, &server.key);
    let me = server.url("/me");
    let answer = until("the session to end", || {
        let answer = ask(&server, (Method::GET, &me), &cookie, &[]);
        (answer.status() != 200).then_some(answer)
    });
    assert_eq!(problem(answer).0, 401);
}
