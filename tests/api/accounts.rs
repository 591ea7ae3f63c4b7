//! Users, keys, quotas, and the operators' part of the API.

use reqwest::Method;
use reqwest::blocking::Client;
use serde_json::{Value, json};
use vocalhost_testing::poll::PATIENCE;

use super::harness::{Server, header, problem, shared, tone, vocalhost};

pub(super) fn call(
    server: &Server,
    method: Method,
    path: &str,
    body: Option<Value>,
) -> (u16, Value) {
    let mut request = server.request(method, path);
    if let Some(body) = body {
        request = request.json(&body);
    }
    let answer = request.send().expect("the server answers");
    let status = answer.status().as_u16();
    let text = answer.text().expect("the answer arrives");
    (status, serde_json::from_str(&text).unwrap_or(Value::Null))
}

pub(super) fn as_json(server: &Server, arguments: &[&str]) -> Value {
    let output = vocalhost(server.data(), &[arguments, &["--json"]].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("it is JSON")
}

#[test]
fn a_key_learns_whose_it_is_and_what_it_may_do() {
    let server = shared();
    let more = [
        "--scope",
        "read",
        "--label",
        "phone",
        "--expires-in-days",
        "2",
    ];
    let key = server.key_of("selma", &more);
    let me = |key: &str| {
        let request = server.anonymous(Method::GET, &server.url("/me"));
        request.bearer_auth(key).send().expect("the server answers")
    };
    let record: Value = me(&key).json().expect("it is JSON");
    assert_eq!(record["user"]["name"], "selma");
    assert_eq!(
        record["key"]["id"],
        key.split('.').next().expect("two parts")
    );
    assert_eq!(record["key"]["label"], "phone");
    assert_eq!(record["key"]["scopes"], json!(["read"]));
    assert!(record["key"]["expiresAt"].is_string());
    assert_eq!(
        record["rateLimits"],
        json!({ "create": null, "read": null })
    );
    assert!(!record.to_string().contains(&key));
    let writer = server.key_of("selma", &["--scope", "write"]);
    assert_eq!(problem(me(&writer)).0, 403);
}

#[test]
fn usage_counts_files_minutes_and_jobs() {
    let server = Server::start(&[
        "--audio-minutes-quota",
        "5",
        "--storage-quota-bytes",
        "1000000",
    ]);
    let before = server.get("/usage");
    assert_eq!(
        before["storage"],
        json!({ "bytes": 0, "quotaBytes": 1_000_000 })
    );
    let sound = tone();
    let bytes = sound.len() as u64;
    let id = server.accepted(sound);
    assert_eq!(server.ended(id)["status"], "success");
    let after = server.get("/usage");
    assert!(after["storage"]["bytes"].as_u64() > Some(bytes));
    assert!((after["audio"]["minutes"].as_f64().expect("a number") - 0.5 / 60.0).abs() < 1e-3);
    assert_eq!(after["audio"]["quotaMinutes"], 5);
    assert_eq!(after["jobs"]["byKind"]["voice-conversions"]["success"], 1);
    assert_eq!(after["jobs"]["byKind"]["stem-splits"]["success"], 0);
    assert_eq!(after["jobs"]["maxRunning"], 2);

    // An operator gives the user less than is used already.
    let users = server.get("/admin/users");
    let user = users["data"][0]["id"].clone();
    let path = format!("/admin/users/{user}");
    let limits = json!({ "storageQuotaBytes": 10, "maxQueued": 7 });
    let (status, changed) = call(&server, Method::PATCH, &path, Some(limits));
    assert_eq!(status, 200, "{changed:#}");
    assert_eq!(changed["limits"]["storageQuotaBytes"], 10);
    assert_eq!(server.get("/usage")["jobs"]["maxQueued"], 7);
    let refused = post_tone(&server);
    assert_eq!(header(refused.headers(), "retry-after"), "3600");
    let (status, code, _) = problem(refused);
    assert_eq!((status, code.as_str()), (429, "E_QUOTA_EXCEEDED"));
    // Nothing of the refused recording is left.
    assert_eq!(
        server.get("/usage")["storage"],
        json!({ "bytes": after["storage"]["bytes"], "quotaBytes": 10 })
    );
    assert_eq!(server.uploads(), 0);
    let (status, _) = call(
        &server,
        Method::PATCH,
        &path,
        Some(json!({ "storageQuotaBytes": null })),
    );
    assert_eq!(status, 200);
    assert_eq!(post_tone(&server).status(), 201);
    assert_eq!(server.get(&path)["usage"]["audio"]["jobs"], 2);
}

#[test]
fn a_blend_gives_in_no_audio_and_needs_no_minutes() {
    let server = Server::start(&["--audio-minutes-quota", "1"]);
    let minute = vocalhost_testing::sound::wav(1, 8_000, &vec![0.0; 60 * 8_000]);
    server.accepted(minute);
    let (status, code, _) = problem(post_tone(&server));
    assert_eq!((status, code.as_str()), (429, "E_QUOTA_EXCEEDED"));
    let voices = server.get("/voice-models?perPage=2");
    let body = json!({
        "modelId1": voices["data"][0]["id"],
        "modelId2": voices["data"][1]["id"],
        "alpha": 0.5,
    });
    let (status, job) = call(&server, Method::POST, "/voice-blender", Some(body));
    assert_eq!(status, 200, "{job:#}");
}

fn post_tone(server: &Server) -> reqwest::blocking::Response {
    let form = reqwest::blocking::multipart::Form::new()
        .text("voiceModelId", server.voice())
        .part("soundFile", super::harness::tone_part());
    server.post(form)
}

#[test]
fn operators_manage_users_and_keys_over_http() {
    let server = shared();
    let (status, user) = call(
        &server,
        Method::POST,
        "/admin/users",
        Some(json!({ "name": "otto" })),
    );
    assert_eq!(status, 201, "{user:#}");
    let (status, twice) = call(
        &server,
        Method::POST,
        "/admin/users",
        Some(json!({ "name": "otto" })),
    );
    assert_eq!(
        (status, twice["errors"][0]["rule"].as_str()),
        (422, Some("unique"))
    );
    let wanted = json!({ "user": "otto", "label": "desk", "scopes": ["read"], "expiresInDays": 3 });
    let (status, made) = call(&server, Method::POST, "/admin/keys", Some(wanted));
    assert_eq!(status, 201, "{made:#}");
    let key = made["key"].as_str().expect("it is shown once").to_owned();
    let path = format!("/admin/keys/{}", made["id"].as_str().expect("an id"));
    assert!(server.get(&path)["key"].is_null());
    let works = |key: &str| {
        let request = server
            .anonymous(Method::GET, &server.url("/me"))
            .bearer_auth(key);
        request
            .send()
            .expect("the server answers")
            .status()
            .as_u16()
    };
    assert_eq!(works(&key), 200);
    let (status, rotated) = call(&server, Method::POST, &format!("{path}/rotate"), None);
    assert_eq!(status, 201, "{rotated:#}");
    let new = rotated["key"].as_str().expect("it is shown once");
    assert_eq!((works(&key), works(new)), (401, 200));
    let user_path = format!("/admin/users/{}", user["id"]);
    for (enabled, status) in [(false, 401), (true, 200)] {
        let change = json!({ "enabled": enabled });
        assert_eq!(
            call(&server, Method::PATCH, &user_path, Some(change)).0,
            200
        );
        assert_eq!(works(new), status);
    }
    let new_path = format!("/admin/keys/{}", rotated["id"].as_str().expect("an id"));
    assert_eq!(call(&server, Method::DELETE, &new_path, None).0, 204);
    assert_eq!(call(&server, Method::DELETE, &new_path, None).0, 404);
    assert_eq!(works(new), 401);
    let of_otto = server.get("/admin/keys?user=otto");
    assert_eq!(of_otto["meta"]["total"], 2);
    let log = server.get("/admin/audit?order=desc&perPage=1000");
    let lines: Vec<&Value> = log["data"].as_array().expect("a list").iter().collect();
    for action in [
        "createUser",
        "createKey",
        "rotateKey",
        "disableUser",
        "enableUser",
        "revokeKey",
    ] {
        let line = lines.iter().find(|line| {
            line["action"] == action && line["outcome"] == "ok" && line["keyId"].is_string()
        });
        let line = line.unwrap_or_else(|| panic!("{action} is missing: {log:#}"));
        assert_eq!(line["user"], "admin");
        assert_eq!(line["address"], "127.0.0.1");
        assert!(line["requestId"].is_string());
    }
    assert!(!log.to_string().contains(&key) && !log.to_string().contains(new));
}

#[test]
fn what_operators_get_wrong_is_named() {
    let server = shared();
    for (method, path, body, wrong) in [
        (Method::POST, "/admin/users", json!({}), "name required"),
        (
            Method::POST,
            "/admin/users",
            json!({ "name": "a\nb" }),
            "name pattern",
        ),
        (
            Method::POST,
            "/admin/users",
            json!({ "name": "x", "nam": 1 }),
            "nam exists",
        ),
        (
            Method::PATCH,
            "/admin/users/1",
            json!({ "maxQueued": 0 }),
            "maxQueued range",
        ),
        (
            Method::PATCH,
            "/admin/users/1",
            json!({ "enabled": "no" }),
            "enabled boolean",
        ),
        (Method::PATCH, "/admin/users/1", json!({}), "body required"),
        (
            Method::POST,
            "/admin/keys",
            json!({ "user": "x", "scopes": ["all"] }),
            "scopes enum",
        ),
        (
            Method::POST,
            "/admin/keys",
            json!({ "user": "x", "scopes": "read" }),
            "scopes array",
        ),
        (
            Method::POST,
            "/admin/keys",
            json!({ "user": "x", "expiresInDays": -1 }),
            "expiresInDays range",
        ),
        (
            Method::PATCH,
            "/admin/models/1",
            json!({ "title": "" }),
            "title length",
        ),
        (Method::PATCH, "/admin/models/1", json!({}), "body required"),
    ] {
        let answer = server
            .request(method, path)
            .json(&body)
            .send()
            .expect("the server answers");
        let (status, _, mistakes) = problem(answer);
        assert_eq!(
            (status, mistakes),
            (422, vec![wrong.to_owned()]),
            "{path} {body}"
        );
    }
    for path in [
        "/admin/users/999",
        "/admin/users/x",
        "/admin/keys/nobody00",
        "/admin/models/999",
        "/admin/jobs/999999",
    ] {
        assert_eq!(call(&server, Method::GET, path, None).0, 404, "{path}");
    }
    let (status, owned) = call(
        &server,
        Method::PATCH,
        "/admin/models/1",
        Some(json!({ "public": false })),
    );
    assert_eq!(
        (status, owned["code"].as_str()),
        (409, Some("E_MODEL_NEVER_OWNED"))
    );
}

#[test]
fn operators_see_and_stop_everybodys_jobs() {
    let server = Server::start(&[]);
    let ann = server.key_of("ann", &[]);
    let request = server.anonymous(Method::POST, &server.url("/stem-splits"));
    let form =
        reqwest::blocking::multipart::Form::new().part("inputFile", super::harness::tone_part());
    let made: Value = request
        .bearer_auth(&ann)
        .multipart(form)
        .send()
        .expect("it answers")
        .json()
        .expect("JSON");
    let id = &made["id"];
    let (status, job) = call(
        &server,
        Method::POST,
        &format!("/admin/jobs/{id}/cancel"),
        None,
    );
    assert_eq!(
        (status, job["user"].as_str(), job["kind"].as_str()),
        (200, Some("ann"), Some("stem-splits"))
    );
    let ended = super::harness::until("the job to end", || {
        let job = server.get(&format!("/admin/jobs/{id}"));
        (job["status"] != "running").then_some(job)
    });
    assert_eq!(ended["status"], "cancelled");
    for verb in ["cancel", "requeue"] {
        let (status, refused) = call(
            &server,
            Method::POST,
            &format!("/admin/jobs/{id}/{verb}"),
            None,
        );
        assert_eq!(
            (status, refused["code"].as_str()),
            (409, Some("E_JOB_NOT_RUNNING"))
        );
    }
    let list = server.get("/admin/jobs?user=ann&kind=stem-splits&status=cancelled");
    assert_eq!(list["meta"]["total"], 1);
    assert_eq!(server.get("/admin/jobs?user=nobody")["meta"]["total"], 0);
    let shown = as_json(&server, &["jobs", "list", "--user", "ann"]);
    assert_eq!(shown[0]["id"], *id);
    assert_eq!(
        call(&server, Method::DELETE, &format!("/admin/jobs/{id}"), None).0,
        204
    );
    assert_eq!(
        call(&server, Method::GET, &format!("/admin/jobs/{id}"), None).0,
        404
    );
    let inputs = server.data().join("files/inputs");
    assert_eq!(std::fs::read_dir(inputs).map_or(0, Iterator::count), 0);
    // What a key did is there, and what it was refused.
    let log = server.get("/admin/audit?user=ann");
    assert_eq!(log["data"][0]["action"], "createStemSplit");
    assert!(
        log["data"][0]["target"]
            .as_str()
            .expect("a text")
            .ends_with(&format!("/stem-splits/{id}"))
    );
    let refused = server.get("/admin/audit?action=requeueJob");
    assert_eq!(refused["data"][0]["outcome"], "409");
}

#[test]
fn the_command_line_has_the_same_verbs() {
    let server = shared();
    let made = as_json(&server, &["users", "create", "cleo"]);
    assert_eq!(made["enabled"], true);
    let limited = as_json(
        &server,
        &[
            "users",
            "limit",
            "cleo",
            "--max-running",
            "1",
            "--storage-quota-bytes",
            "0",
        ],
    );
    assert_eq!(
        limited["limits"],
        json!({ "maxRunning": 1, "maxQueued": null, "storageQuotaBytes": 0, "audioMinutesQuota": null })
    );
    let back = as_json(
        &server,
        &["users", "limit", "cleo", "--max-running", "default"],
    );
    assert!(back["limits"]["maxRunning"].is_null());
    let key = server.key_of("cleo", &[]);
    let id = key.split('.').next().expect("two parts");
    let rotated = as_json(&server, &["keys", "rotate", id]);
    assert_ne!(rotated["id"], id);
    assert_eq!(
        as_json(&server, &["users", "disable", "cleo"])["enabled"],
        false
    );
    let names = as_json(&server, &["users", "list"]);
    assert!(
        names
            .as_array()
            .expect("a list")
            .iter()
            .any(|user| user["name"] == "cleo")
    );
    let voices = as_json(&server, &["models", "voices"]);
    let voice = voices[0]["id"].to_string();
    let title = voices[0]["title"].as_str().expect("a title");
    assert_eq!(
        as_json(&server, &["models", "rename", &voice, title])["title"],
        title
    );
    let log = as_json(&server, &["audit", "list", "--action", "disableUser"]);
    assert!(log[0]["keyId"].is_null());
    assert_eq!(log[0]["target"], "cleo");
    for (wrong, status) in [
        (&["users", "create", "cleo"][..], 1),
        (&["users", "show", "nobody"], 1),
        (&["users", "limit", "cleo", "--max-queued", "0"], 2),
        (&["models", "unpublish", &voice], 1),
        (&["jobs", "show", "999999"], 1),
        (&["jobs", "list", "--kind", "x"], 2),
    ] {
        assert_eq!(
            vocalhost(server.data(), wrong).status.code(),
            Some(status),
            "{wrong:?}"
        );
    }
}

#[test]
fn with_a_listener_of_their_own_operators_are_served_nowhere_else() {
    let address = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        listener.local_addr().expect("it is bound").to_string()
    };
    let server = Server::start(&["--admin-listen", &address]);
    // The document is of what both listeners serve together.
    let client = Client::builder().no_proxy().timeout(PATIENCE).build();
    let client = client.expect("a client can be made");
    let asked = |host: &str, path: &str| {
        let request = client.get(format!("http://{host}{path}"));
        let answer = request.bearer_auth(&server.key).send();
        answer.expect("the server answers").status().as_u16()
    };
    for (path, at_clients, at_operators) in [
        ("/api/v1/admin/users", 404, 200),
        ("/api/v1/admin/effects", 404, 200),
        ("/api/v1/voice-models", 200, 404),
        ("/livez", 200, 200),
    ] {
        assert_eq!(asked(&server.address, path), at_clients, "{path}");
        assert_eq!(asked(&address, path), at_operators, "{path}");
    }
}
