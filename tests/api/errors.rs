use reqwest::Method;

use super::harness::{header, problem, shared};

#[test]
fn without_a_working_key_nothing_of_the_api_answers() {
    let server = shared();
    let url = server.url("/voice-conversions");
    let revoked = server.key_of("leaver", &[]);
    let id = revoked.split('.').next().expect("a key has two parts");
    let output = super::harness::vocalhost(server.data(), &["keys", "revoke", id]);
    assert!(output.status.success(), "{output:?}");
    let wrong_secret = format!(
        "{}.{}",
        server.key.split('.').next().unwrap_or_default(),
        "x".repeat(43)
    );
    for authorization in [
        None,
        Some("Bearer".to_owned()),
        Some("Bearer nonsense".to_owned()),
        Some(format!("Basic {}", server.key)),
        Some(format!("Bearer {wrong_secret}")),
        Some(format!("Bearer {revoked}")),
    ] {
        let mut request = server.anonymous(Method::GET, &url);
        if let Some(authorization) = &authorization {
            request = request.header("authorization", authorization);
        }
        let answer = request.send().expect("the server answers");
        assert_eq!(header(answer.headers(), "www-authenticate"), "Bearer");
        let (status, code, _) = problem(answer);
        assert_eq!(
            (status, code.as_str()),
            (401, "E_UNAUTHORIZED_ACCESS"),
            "{authorization:?}"
        );
    }
}

#[test]
fn a_key_without_the_scope_is_refused() {
    let server = shared();
    let reader = server.key_of("reader", &["--scope", "read"]);
    let url = server.url("/voice-conversions");
    let read = server
        .anonymous(Method::GET, &url)
        .bearer_auth(&reader)
        .send();
    assert_eq!(read.expect("the server answers").status(), 200);
    let written = server
        .anonymous(Method::POST, &url)
        .bearer_auth(&reader)
        .send();
    let (status, code, _) = problem(written.expect("the server answers"));
    assert_eq!((status, code.as_str()), (403, "E_FORBIDDEN_EXCEPTION"));
}

#[test]
fn an_unknown_path_is_not_found_and_a_wrong_method_is_told_the_right_ones() {
    let server = shared();
    for path in ["/nothing", "/voice-conversions/1/nothing", "/files/1/2"] {
        let answer = server.anonymous(Method::GET, &server.url(path)).send();
        let (status, code, _) = problem(answer.expect("the server answers"));
        assert_eq!(
            (status, code.as_str()),
            (404, "E_ROUTE_NOT_FOUND"),
            "{path}"
        );
    }
    for (method, path, allow) in [
        (
            Method::PUT,
            "/voice-conversions",
            "GET, HEAD, OPTIONS, POST",
        ),
        (Method::POST, "/me", "GET, HEAD, OPTIONS"),
        (Method::DELETE, "/effects", "GET, HEAD, OPTIONS"),
    ] {
        let answer = server
            .request(method, path)
            .send()
            .expect("the server answers");
        assert_eq!(header(answer.headers(), "allow"), allow);
        let (status, code, _) = problem(answer);
        assert_eq!(
            (status, code.as_str()),
            (405, "E_METHOD_NOT_ALLOWED"),
            "{path}"
        );
    }
}

#[test]
fn an_id_that_nothing_has_is_not_found() {
    let server = shared();
    for path in [
        "/voice-conversions/999999",
        "/voice-conversions/x",
        "/voice-conversions/-1",
        "/voice-models/999999",
        "/voice-models/1.0",
        "/voice-conversions/99999999999999999999",
    ] {
        let answer = server
            .request(Method::GET, path)
            .send()
            .expect("the server answers");
        let (status, code, _) = problem(answer);
        assert_eq!((status, code.as_str()), (404, "E_ROW_NOT_FOUND"), "{path}");
    }
}

#[test]
fn head_answers_like_get_without_a_body_and_a_slash_at_the_end_changes_nothing() {
    let server = shared();
    for path in [
        "/voice-models",
        "/voice-models/",
        "/effects",
        "/voice-conversions/999999",
    ] {
        let get = server
            .request(Method::GET, path)
            .send()
            .expect("the server answers");
        let head = server
            .request(Method::HEAD, path)
            .send()
            .expect("the server answers");
        assert_eq!(get.status(), head.status(), "{path}");
        for name in ["content-type", "x-request-id"] {
            header(head.headers(), name);
        }
        let length = header(head.headers(), "content-length");
        let body = get.bytes().expect("the body arrives");
        assert_eq!(length, body.len().to_string(), "{path}");
        assert!(head.bytes().expect("nothing arrives").is_empty());
    }
}

#[test]
fn options_needs_no_key_and_says_what_is_allowed() {
    let server = shared();
    let url = server.url("/voice-conversions");
    let answer = server
        .anonymous(Method::OPTIONS, &url)
        .send()
        .expect("the server answers");
    assert_eq!(answer.status(), 204);
    assert_eq!(
        header(answer.headers(), "allow"),
        "GET, HEAD, OPTIONS, POST"
    );
}

#[test]
fn a_clients_own_request_id_is_kept_unless_it_is_strange() {
    let server = shared();
    let url = server.url("/effects");
    let long = "x".repeat(65);
    for (given, kept) in [
        ("my-id.1_2", true),
        ("", false),
        ("a b", false),
        (&long, false),
    ] {
        let request = server
            .anonymous(Method::GET, &url)
            .header("x-request-id", given);
        let answer = request.send().expect("the server answers");
        let id = header(answer.headers(), "x-request-id");
        assert_eq!(id == given, kept, "{given:?}");
        assert!(!id.is_empty());
    }
}

#[test]
fn a_problem_looks_like_this() {
    let server = shared();
    let answer = server
        .request(Method::GET, "/voice-conversions?page=0&order=up")
        .header("x-request-id", "the-id")
        .send()
        .expect("the server answers");
    let body: serde_json::Value = answer.json().expect("a problem is JSON");
    insta::assert_json_snapshot!(body, @r###"
    {
      "type": "about:blank",
      "title": "Validation failure",
      "status": 422,
      "detail": "The request has 2 mistakes; see `errors`.",
      "instance": "/api/v1/voice-conversions",
      "error": "Validation failure",
      "code": "E_VALIDATION_FAILURE",
      "message": "The request has 2 mistakes; see `errors`.",
      "requestId": "the-id",
      "errors": [
        {
          "field": "order",
          "rule": "enum",
          "message": "`order` must be `asc` or `desc`.",
          "args": {
            "choices": [
              "asc",
              "desc"
            ]
          }
        },
        {
          "field": "page",
          "rule": "range",
          "message": "`page` must be at least 1.",
          "args": {
            "min": 1
          }
        }
      ]
    }
    "###);
}
