//! What can be done with a job: cancelling, trying again, deleting, listing beside those of other kinds.

use std::fs;
use std::path::Path;

use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::{Value, json};
use vocalhost_store::Store;

use super::harness::{
    Server, act, header, long_recording, problem, shared, tone, tone_part, until,
};

fn json_of(answer: Response, status: u16) -> Value {
    let given = answer.status();
    let record: Value = answer.json().expect("the answer is JSON");
    assert_eq!(given, status, "{record:#}");
    record
}

fn delete(server: &Server, path: &str) -> Response {
    let request = server.request(Method::DELETE, path);
    request.send().expect("the server answers")
}

/// The files in a folder and all below it.
fn files_below(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    let entries = entries.filter_map(Result::ok);
    entries
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => files_below(&entry.path()),
            _ => 1,
        })
        .sum()
}

fn refused(answer: Response) -> (u16, String) {
    let (status, code, _) = problem(answer);
    (status, code)
}

#[test]
fn a_running_and_a_waiting_job_are_cancelled_and_leave_nothing() {
    let server = Server::start(&[]);
    let busy = server.accepted(long_recording());
    let waiting = server.accepted(tone());
    server.until_inference(busy);
    let path = |id: i64| format!("/voice-conversions/{id}");
    // The one that waits never starts.
    let record = json_of(act(&server, &(path(waiting) + "/cancel")), 200);
    assert_eq!(record["status"], "cancelled");
    assert!(record["jobEndTime"].is_string() && record["queuePosition"].is_null());
    let record = json_of(act(&server, &(path(busy) + "/cancel")), 200);
    // The answer waits for the worker's end, but not for ever.
    assert!(
        record["status"] == "running" || record["status"] == "cancelled",
        "{record:#}"
    );
    let record = server.ended(busy);
    assert_eq!(record["status"], "cancelled", "{record:#}");
    assert!(record["outputFileUrl"].is_null() && record["archiveUrl"].is_null());
    for id in [busy, waiting] {
        assert_eq!(server.job(id)["status"], "cancelled");
        let again = act(&server, &(path(id) + "/cancel"));
        assert_eq!(refused(again), (409, "E_JOB_NOT_RUNNING".to_owned()));
    }
    until("the scratch folder to be empty", || {
        (files_below(&server.data().join("scratch")) == 0).then_some(())
    });
    assert_eq!(files_below(&server.data().join("files/results")), 0);
    // The worker that was killed is replaced: the next job is done.
    let next = server.accepted(tone());
    assert_eq!(server.ended(next)["status"], "success");
}

#[test]
fn a_job_is_tried_again_as_a_job_of_its_own() {
    let server = Server::start(&[]);
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .text("pitchShift", "3.5")
        .text("priority", "4")
        .text("metadata[take]", "2")
        .part("soundFile", tone_part());
    let first = json_of(server.post(form), 201);
    assert_eq!(first["priority"], 4);
    let path = format!("/voice-conversions/{}", first["id"]);
    let running = act(&server, &(path.clone() + "/retry"));
    if running.status() == 409 {
        assert_eq!(refused(running), (409, "E_JOB_RUNNING".to_owned()));
    }
    let first = server.ended_at(&path);
    let answer = act(&server, &(path.clone() + "/retry"));
    let location = header(answer.headers(), "location");
    let second = json_of(answer, 201);
    assert_eq!(
        location,
        server.url(&format!("/voice-conversions/{}", second["id"]))
    );
    assert_ne!(second["id"], first["id"]);
    assert_eq!(second["retryOf"], first["id"]);
    for field in ["pitchShift", "voiceModelId", "metadata", "priority", "seed"] {
        assert_eq!(second[field], first[field], "{field}");
    }
    // Both work on one recording, which stays until the last of them is gone.
    let second = server.ended(second["id"].as_i64().expect("a number"));
    assert_eq!(second["status"], "success", "{second:#}");
    let link = |record: &Value| record["outputFileUrl"].as_str().expect("a link").to_owned();
    assert_eq!(server.fetch(&link(&first)), server.fetch(&link(&second)));
    assert_eq!(delete(&server, &path).status(), 204);
    assert_eq!(files_below(&server.data().join("files/inputs")), 1);
    let path = format!("/voice-conversions/{}", second["id"]);
    assert_eq!(delete(&server, &path).status(), 204);
    let files = server.data().join("files");
    let components = files_below(&files.join("effects"));
    assert_eq!(files_below(&files), components, "only the program's own");
    for path in [path.as_str(), &(path.clone() + "/files.zip")] {
        let gone = server.request(Method::GET, path).send();
        assert_eq!(
            refused(gone.expect("the server answers")),
            (404, "E_ROW_NOT_FOUND".to_owned())
        );
    }
    let link = server.anonymous(Method::GET, &link(&second)).send();
    assert_eq!(link.expect("the server answers").status(), 404);
}

#[test]
fn a_job_that_has_not_ended_is_neither_deleted_nor_tried_again() {
    let server = Server::start(&[]);
    let busy = server.accepted(long_recording());
    let path = format!("/voice-conversions/{busy}");
    for answer in [
        delete(&server, &path),
        act(&server, &(path.clone() + "/retry")),
    ] {
        assert_eq!(refused(answer), (409, "E_JOB_RUNNING".to_owned()));
    }
    let files = || {
        let asked = server.request(Method::GET, &(path.clone() + "/files.zip"));
        json_of(asked.send().expect("the server answers"), 404)["detail"].to_string()
    };
    assert!(files().contains("has not ended"), "{}", files());
    json_of(act(&server, &(path.clone() + "/cancel")), 200);
    server.ended(busy);
    assert!(files().contains("ended without results"), "{}", files());
    assert_eq!(delete(&server, &path).status(), 204);
}

#[test]
fn a_job_whose_recording_is_deleted_cannot_be_tried_again() {
    let server = Server::start(&[]);
    let id = server.accepted(tone());
    server.ended(id);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        // As the cleanup does once a recording is old enough.
        let store = Store::open(&server.data().join("vocalhost.sqlite")).await;
        let store = store.expect("the database opens");
        let (expired, _) = store
            .expire_inputs(i64::MAX, 100, 0)
            .await
            .expect("answers");
        assert_eq!(expired.len(), 1);
        store.close().await;
    });
    let answer = act(&server, &format!("/voice-conversions/{id}/retry"));
    assert_eq!(refused(answer), (410, "E_INPUT_EXPIRED".to_owned()));
}

#[test]
fn a_blend_is_tried_again_with_a_voice_of_its_own() {
    let server = Server::start(&[]);
    let voices = server.get("/voice-models?q=-2&perPage=1000");
    let voices: Vec<Value> = voices["data"]
        .as_array()
        .expect("a list")
        .iter()
        .chain(
            server.get("/voice-models?perPage=1000")["data"]
                .as_array()
                .expect("a list"),
        )
        .map(|voice| voice["id"].clone())
        .collect();
    let busy = server.accepted(long_recording());
    server.until_inference(busy);
    let blend = voices[1..].iter().find_map(|other| {
        let body = json!({"modelId1": voices[0], "modelId2": other, "alpha": 0.25, "title": "Duo"});
        let request = server.request(Method::POST, "/voice-blender").json(&body);
        let answer = request.send().expect("the server answers");
        (answer.status() == 200).then(|| json_of(answer, 200))
    });
    let blend = blend.expect("two voices that blend");
    let path = format!("/voice-blender/{}", blend["id"]);
    json_of(act(&server, &(path.clone() + "/cancel")), 200);
    // Its voice went with it.
    let voice = format!("/voice-models/{}", blend["outputModelId"]);
    let gone = server.request(Method::GET, &voice).send();
    assert_eq!(gone.expect("the server answers").status(), 404);
    let again = json_of(act(&server, &(path + "/retry")), 200);
    assert_eq!(again["retryOf"], blend["id"]);
    assert_eq!(
        (&again["title"], &again["alpha2"]),
        (&json!("Duo"), &json!(0.75))
    );
    assert_ne!(again["outputModelId"], blend["outputModelId"]);
    json_of(
        act(&server, &format!("/voice-conversions/{busy}/cancel")),
        200,
    );
    let path = format!("/voice-blender/{}", again["id"]);
    assert_eq!(server.ended_at(&path)["status"], "success");
    assert_eq!(delete(&server, &path).status(), 204);
    let voice = server.get(&format!("/voice-models/{}", again["outputModelId"]));
    assert_eq!(voice["isUsable"], true);
}

#[test]
fn jobs_of_all_kinds_are_in_one_list() {
    let server = Server::start(&[]);
    let conversion = server.accepted(tone());
    let form = Form::new().part("inputFile", Part::bytes(tone()).file_name("a.wav"));
    let split = json_of(server.post_to("/stem-splits", form), 200);
    let listed = server.get("/jobs?order=desc");
    let kinds: Vec<_> = listed["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|record| (record["id"].clone(), record["kind"].clone()))
        .collect();
    assert_eq!(
        kinds,
        [
            (split["id"].clone(), json!("stem-split")),
            (json!(conversion), json!("voice-conversion"))
        ]
    );
    assert!(listed["data"][0]["stemFileUrls"].is_array());
    assert!(listed["data"][1]["model"].is_object());
    let of_kind = server.get("/jobs?kind=stem-split");
    assert_eq!(of_kind["meta"]["total"], 1);
    for query in ["status=cancelled", "kind=vocal-separation"] {
        let none = server.get(&format!("/jobs?{query}"));
        assert_eq!(none["meta"]["total"], 0, "{query}");
    }
    let wrong = server
        .request(Method::GET, "/jobs?kind=song&status=odd")
        .send();
    let mistakes = problem(wrong.expect("it answers")).2;
    assert_eq!(mistakes, ["kind enum", "status enum"]);
    let stranger = server.key_of("stranger", &[]);
    let theirs = server.anonymous(Method::GET, &server.url("/jobs"));
    let theirs = theirs.bearer_auth(&stranger).send().expect("it answers");
    assert_eq!(json_of(theirs, 200)["meta"]["total"], 0);
}

#[test]
fn nobody_acts_on_somebody_elses_job() {
    let server = shared();
    let id = server.accepted(tone());
    let stranger = server.key_of("meddler", &[]);
    let reader = server.key_of("admin", &["--scope", "read"]);
    for (method, action) in [
        (Method::POST, "/cancel"),
        (Method::POST, "/retry"),
        (Method::GET, "/events"),
        (Method::GET, "/files.zip"),
        (Method::DELETE, ""),
    ] {
        let ask = |key: &str, id: i64| {
            let url = server.url(&format!("/voice-conversions/{id}{action}"));
            let request = server.anonymous(method.clone(), &url).bearer_auth(key);
            refused(request.send().expect("the server answers"))
        };
        let forbidden = (403, "E_FORBIDDEN_EXCEPTION".to_owned());
        assert_eq!(ask(&stranger, id), forbidden, "{action}");
        let unknown = (404, "E_ROW_NOT_FOUND".to_owned());
        assert_eq!(ask(&stranger, 999_999), unknown, "{action}");
        if method != Method::GET {
            assert_eq!(ask(&reader, id), forbidden, "{action}");
        }
        // A job is found under its own kind only.
        let url = server.url(&format!("/stem-splits/{id}{action}"));
        let other = server
            .anonymous(method.clone(), &url)
            .bearer_auth(&server.key);
        assert_eq!(
            refused(other.send().expect("it answers")),
            unknown,
            "{action}"
        );
    }
}

#[test]
fn a_priority_puts_a_job_before_the_users_own_others() {
    let server = Server::start(&[]);
    let busy = server.accepted(long_recording());
    server.until_inference(busy);
    let ids: Vec<i64> = ["-10", "", "10"]
        .into_iter()
        .map(|priority| {
            let form = Form::new()
                .text("voiceModelId", server.voice())
                .text("priority", priority)
                .part("soundFile", tone_part());
            let record = json_of(server.post(form), 201);
            record["id"].as_i64().expect("a number")
        })
        .collect();
    let positions: Vec<Value> = ids
        .iter()
        .map(|id| server.job(*id)["queuePosition"].clone())
        .collect();
    assert_eq!(positions, [3, 2, 1]);
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .text("priority", "11")
        .part("soundFile", tone_part());
    assert_eq!(problem(server.post(form)).2, ["priority range"]);
}
