//! Users are deleted, over HTTP and on the command line.

use reqwest::Method;
use serde_json::{Value, json};

use super::accounts::{as_json, call};
use super::harness::{Server, problem, until, vocalhost};

#[test]
fn a_deleted_user_leaves_nothing_behind() {
    let server = Server::start(&[]);
    let admin = server.get("/me")["user"]["id"].clone();
    let (status, refused) = call(
        &server,
        Method::DELETE,
        &format!("/admin/users/{admin}"),
        None,
    );
    assert_eq!(
        (status, refused["code"].as_str()),
        (409, Some("E_LAST_ADMIN"))
    );
    let key = server.key_of("dora", &[]);
    let as_dora = |method: Method, path: &str| {
        let request = server.anonymous(method, &server.url(path));
        request.bearer_auth(&key)
    };
    let form = reqwest::blocking::multipart::Form::new()
        .text("voiceModelId", server.voice())
        .part("soundFile", super::harness::tone_part());
    let made: Value = as_dora(Method::POST, "/voice-conversions")
        .multipart(form)
        .send()
        .expect("it answers")
        .json()
        .expect("JSON");
    let job = format!("/admin/jobs/{}", made["id"]);
    until("the job to end", || {
        (server.get(&job)["status"] != "running").then_some(())
    });
    let announced = as_dora(Method::POST, "/uploads").header("upload-length", "10");
    assert_eq!(announced.send().expect("it answers").status(), 201);

    let shown = as_json(&server, &["users", "show", "dora"]);
    let path = format!("/admin/users/{}", shown["id"]);
    assert_eq!(call(&server, Method::DELETE, &path, None).0, 204);
    assert_eq!(call(&server, Method::DELETE, &path, None).0, 404);
    assert_eq!(call(&server, Method::GET, &job, None).0, 404);
    let me = as_dora(Method::GET, "/me").send().expect("it answers");
    assert_eq!(problem(me).0, 401);
    let files = |folder: &str| {
        let found = std::fs::read_dir(server.data().join(folder));
        found.map_or(0, Iterator::count)
    };
    assert_eq!(files("files/inputs"), 0);
    let results = server.data().join(format!("files/results/{}", made["id"]));
    let left = std::fs::read_dir(results).map_or(0, Iterator::count);
    assert_eq!(left, 0);
    let log = server.get("/admin/audit?action=deleteUser&order=desc");
    let outcomes: Vec<_> = log["data"].as_array().expect("a list").iter().collect();
    assert_eq!(outcomes[0]["outcome"], "404");
    assert_eq!(
        (&outcomes[1]["outcome"], &outcomes[1]["target"]),
        (&json!("ok"), &json!("dora"))
    );
    // What the user did is still known.
    let log = server.get("/admin/audit?user=dora");
    assert_eq!(log["data"][0]["action"], "createVoiceConversion");

    server.key_of("emil", &[]);
    let gone = as_json(&server, &["users", "delete", "emil"]);
    assert_eq!(gone, json!({ "name": "emil", "deleted": true }));
    let refused = vocalhost(server.data(), &["users", "delete", "admin"]);
    assert_eq!(refused.status.code(), Some(1));
    let why = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(why.contains("scope `admin`"), "{why}");
}
