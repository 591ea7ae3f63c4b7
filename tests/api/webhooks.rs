//! The resource: what may be said of webhooks, and to whom.

use reqwest::Method;
use reqwest::blocking::Response;
use serde_json::{Value, json};

use super::harness::{Server, header, problem, shared, vocalhost};

fn send(server: &Server, key: &str, method: Method, path: &str) -> Response {
    let request = server.anonymous(method, &server.url(path)).bearer_auth(key);
    request.send().expect("the server answers")
}

fn send_json(server: &Server, key: &str, (method, path): (Method, &str), body: &Value) -> Response {
    let request = server.anonymous(method, &server.url(path)).bearer_auth(key);
    request.json(body).send().expect("the server answers")
}

fn made(server: &Server, key: &str, body: &Value) -> Value {
    let answer = send_json(server, key, (Method::POST, "/webhooks"), body);
    let status = answer.status();
    let location = answer.headers().get("location").cloned();
    let record: Value = answer.json().expect("the answer is JSON");
    assert_eq!(status, 201, "{record:#}");
    let location = location.expect("it says where it is");
    let wanted = format!("/webhooks/{}", record["id"]);
    assert!(location.to_str().expect("text").ends_with(&wanted));
    record
}

fn got(server: &Server, key: &str, path: &str) -> Value {
    let answer = send(server, key, Method::GET, path);
    assert_eq!(answer.status(), 200, "{path}");
    answer.json().expect("the answer is JSON")
}

#[test]
fn a_webhook_is_made_read_changed_and_forgotten() {
    let server = shared();
    let key = server.key_of("hook-maker", &[]);
    let url = "https://hooks.example/a?b=c";
    let events = json!(["job.success", "job.error"]);
    let body = json!({"url": url, "events": events, "description": "mine"});
    let mut record = made(&server, &key, &body);
    let secret = record["secret"].as_str().expect("a secret").to_owned();
    assert!(
        secret.starts_with("whsec_") && secret.len() > 40,
        "{secret}"
    );
    record.as_object_mut().expect("an object").remove("secret");
    assert_eq!(record["url"], url);
    assert_eq!(record["events"], events);
    assert_eq!(record["description"], "mine");
    assert_eq!(record["enabled"], true);
    assert_eq!(record["forJobs"], false);
    assert_eq!(record["lastSuccessAt"], Value::Null);
    let path = format!("/webhooks/{}", record["id"]);
    assert_eq!(got(&server, &key, &path), record);
    assert_eq!(got(&server, &key, "/webhooks")["data"], json!([record]));

    let change = json!({"events": [], "enabled": false});
    let answer = send_json(&server, &key, (Method::PATCH, &path), &change);
    assert_eq!(answer.status(), 200);
    let changed: Value = answer.json().expect("the answer is JSON");
    assert_eq!(changed["events"], json!([]));
    assert_eq!(changed["enabled"], false);
    assert_eq!(
        (&changed["url"], &changed["description"]),
        (&record["url"], &record["description"])
    );
    assert_eq!(got(&server, &key, &path), changed);
    let (status, code, _) = problem(send(&server, &key, Method::POST, &format!("{path}/test")));
    assert_eq!((status, code.as_str()), (409, "E_WEBHOOK_DISABLED"));

    let answer = send(&server, &key, Method::POST, &format!("{path}/rotate"));
    assert_eq!(answer.status(), 200);
    let rotated: Value = answer.json().expect("the answer is JSON");
    assert_ne!(rotated["secret"], Value::from(secret));

    assert_eq!(send(&server, &key, Method::DELETE, &path).status(), 204);
    let (status, code, _) = problem(send(&server, &key, Method::GET, &path));
    assert_eq!((status, code.as_str()), (404, "E_ROW_NOT_FOUND"));
}

#[test]
fn every_mistake_of_a_webhook_is_named() {
    let server = shared();
    let key = server.key_of("hook-mistaker", &[]);
    let path = format!(
        "/webhooks/{}",
        made(&server, &key, &json!({"url": "http://a.example"}))["id"]
    );
    let for_jobs = json!({"forJobs": true});
    let own = format!("/webhooks/{}", made(&server, &key, &for_jobs)["id"]);
    let post = || (Method::POST, "/webhooks");
    for (to, body, wanted) in [
        (post(), json!({}), vec!["url required"]),
        (
            post(),
            json!({"url": "ftp://a.example", "events": ["job.born"]}),
            vec!["url url", "events.0 enum"],
        ),
        (
            post(),
            json!({"url": "http://127.0.0.1:80/"}),
            vec!["url url"],
        ),
        (
            post(),
            json!({"url": "http://[::ffff:169.254.169.254]/"}),
            vec!["url url"],
        ),
        (
            post(),
            json!({"url": 3, "forJobs": "yes"}),
            vec!["url string", "forJobs boolean"],
        ),
        (
            post(),
            json!({"url": "http://a.example", "forJobs": true}),
            vec!["url absent"],
        ),
        (post(), for_jobs, vec!["url unique"]),
        (
            (Method::PATCH, path.as_str()),
            json!({"enabled": 1}),
            vec!["enabled boolean"],
        ),
        (
            (Method::PATCH, own.as_str()),
            json!({"url": "http://a.example"}),
            vec!["url absent"],
        ),
    ] {
        let (status, code, mistakes) = problem(send_json(&server, &key, to, &body));
        assert_eq!(
            (status, code.as_str()),
            (422, "E_VALIDATION_FAILURE"),
            "{body}"
        );
        assert_eq!(mistakes, wanted, "{body}");
    }
    let (status, code, _) = problem(send(&server, &key, Method::POST, &format!("{own}/test")));
    assert_eq!((status, code.as_str()), (409, "E_WEBHOOK_WITHOUT_URL"));
    for _ in 2..16 {
        made(&server, &key, &json!({"url": "http://a.example"}));
    }
    let answer = send_json(&server, &key, post(), &json!({"url": "http://a.example"}));
    assert_eq!(header(answer.headers(), "retry-after"), "30");
    let (status, code, _) = problem(answer);
    assert_eq!((status, code.as_str()), (429, "E_QUOTA_EXCEEDED"));
}

#[test]
fn somebody_elses_webhook_is_closed_and_reading_keys_change_nothing() {
    let server = shared();
    let owner = server.key_of("hook-owner", &[]);
    let reader = server.key_of("hook-owner", &["--scope", "read"]);
    let other = server.key_of("hook-other", &[]);
    let id = made(&server, &owner, &json!({"url": "http://a.example"}))["id"].clone();
    let path = format!("/webhooks/{id}");
    let routes = [
        (Method::GET, path.clone()),
        (Method::PATCH, path.clone()),
        (Method::DELETE, path.clone()),
        (Method::POST, format!("{path}/rotate")),
        (Method::POST, format!("{path}/test")),
        (Method::GET, format!("{path}/deliveries")),
        (Method::GET, format!("{path}/deliveries/1")),
        (Method::POST, format!("{path}/deliveries/1/replay")),
    ];
    for (method, path) in routes {
        let (status, code, _) = problem(send(&server, &other, method.clone(), &path));
        assert_eq!(
            (status, code.as_str()),
            (403, "E_FORBIDDEN_EXCEPTION"),
            "{method} {path}"
        );
        if method != Method::GET {
            let (status, _, _) = problem(send(&server, &reader, method, &path));
            assert_eq!(status, 403, "{path}");
        }
    }
    assert_eq!(got(&server, &other, "/webhooks")["data"], json!([]));
    assert_eq!(
        got(&server, &reader, &format!("{path}/deliveries"))["data"],
        json!([])
    );
    let (status, _, _) = problem(send(
        &server,
        &owner,
        Method::GET,
        &format!("{path}/deliveries/1"),
    ));
    assert_eq!(status, 404);
}

#[test]
fn the_command_line_makes_webhooks_and_delivers_again() {
    let server = shared();
    let key = server.key_of("hook-operator", &[]);
    let run = |arguments: &[&str]| vocalhost(server.data(), &[&["webhooks"], arguments].concat());
    let as_json = |arguments: &[&str]| -> Value {
        let output = run(&[arguments, &["--json"]].concat());
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).expect("it is JSON")
    };
    let of = ["--user", "hook-operator"];
    let url = "https://hooks.example/cli";
    let made = as_json(&[&["create", url, "--event", "job.error"], &of[..]].concat());
    assert!(
        made["secret"]
            .as_str()
            .is_some_and(|secret| secret.starts_with("whsec_"))
    );
    assert_eq!(
        (&made["url"], &made["events"]),
        (&json!(url), &json!(["job.error"]))
    );
    let listed = as_json(&[&["list"], &of[..]].concat());
    assert_eq!(listed, got(&server, &key, "/webhooks")["data"]);
    let for_jobs = run(&[&["create", "--for-jobs"], &of[..]].concat());
    let secret = String::from_utf8(for_jobs.stdout).expect("text");
    assert!(
        secret.starts_with("whsec_") && secret.ends_with('\n'),
        "{secret}"
    );

    let id = made["id"].to_string();
    let path = format!("/webhooks/{id}");
    let tried = send(&server, &key, Method::POST, &format!("{path}/test"));
    let tried: Value = tried.json().expect("the answer is JSON");
    let delivery = tried["id"].to_string();
    assert_eq!(as_json(&["deliveries", &id])[0]["id"], tried["id"]);
    let replayed = as_json(&["replay", &id, &delivery]);
    assert_eq!(replayed["id"], tried["id"]);

    for (wrong, says) in [
        (
            vec!["create", "http://10.0.0.1/", "--user", "hook-operator"],
            "url",
        ),
        (
            vec![
                "create",
                url,
                "--event",
                "job.born",
                "--user",
                "hook-operator",
            ],
            "event must be",
        ),
        (vec!["create", url, "--user", "nobody-at-all"], "no user"),
        (vec!["replay", &id, "999999"], "no delivery"),
        (vec!["deliveries", "999999"], "no webhook"),
    ] {
        let output = run(&wrong);
        // What is wrong with the arguments themselves is wrong usage.
        let is_usage = !says.starts_with("no ");
        let status = if is_usage { 2 } else { 1 };
        assert_eq!(output.status.code(), Some(status), "{wrong:?}");
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(why.contains(says), "{wrong:?}: {why}");
    }
    assert_eq!(
        run(&["create", "--user", "hook-operator"]).status.code(),
        Some(2)
    );
    assert_eq!(as_json(&["delete", &id])["deleted"], true);
    assert_eq!(run(&["delete", &id]).status.code(), Some(1));
    let change = json!({"enabled": false});
    let disabled = made_disabled(&server, &key, &change);
    let output = run(&["replay", &disabled, "1"]);
    let why = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(why.contains("disabled"), "{why}");
}

/// A webhook that sends nothing.
fn made_disabled(server: &Server, key: &str, change: &Value) -> String {
    let record = made(server, key, &json!({"url": "https://hooks.example/off"}));
    let path = format!("/webhooks/{}", record["id"]);
    let answer = send_json(server, key, (Method::PATCH, &path), change);
    assert_eq!(answer.status(), 200);
    record["id"].to_string()
}
