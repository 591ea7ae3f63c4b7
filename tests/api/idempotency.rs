//! A request with an `Idempotency-Key` is done once, however often and from wherever it is sent.

use std::io::Write;
use std::sync::Arc;
use std::thread;

use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};
use vocalhost_testing::sound;

use super::harness::{Server, header, problem, shared, tone, tone_part, until};

fn form(server: &Server) -> Form {
    Form::new()
        .text("voiceModelId", server.voice())
        .text("pitchShift", "1")
        .part("soundFile", tone_part())
}

fn post(server: &Server, path: &str, (key, form): (&str, Form)) -> Response {
    let request = server.request(Method::POST, path);
    let request = request.header("Idempotency-Key", key).multipart(form);
    request.send().expect("the server answers")
}

fn convert(server: &Server, key: &str, form: Form) -> Response {
    post(server, "/voice-conversions", (key, form))
}

fn is_replayed(answer: &Response) -> bool {
    let replayed = answer.headers().get("idempotency-replayed");
    replayed.is_some_and(|value| value == "true")
}

#[test]
fn the_same_request_again_gets_the_first_answer_and_makes_no_job() {
    let server = Server::start(&[]);
    let first = convert(&server, "one", form(&server));
    assert_eq!(first.status(), 201);
    assert!(!is_replayed(&first));
    let location = header(first.headers(), "location");
    let first: Value = first.json().expect("JSON");
    // Another order of the fields, another boundary, and the job has ended meanwhile.
    server.ended(first["id"].as_i64().expect("a number"));
    let again = Form::new()
        .part("soundFile", tone_part())
        .text("pitchShift", "1")
        .text("voiceModelId", server.voice());
    let again = convert(&server, "one", again);
    assert_eq!(again.status(), 201);
    assert!(is_replayed(&again));
    assert_eq!(header(again.headers(), "location"), location);
    assert_eq!(again.json::<Value>().expect("JSON"), first);
    assert_eq!(server.get("/jobs")["meta"]["total"], 1);
    // A server that was killed before it kept the answer knows the job all the same.
    forget_answers(&server);
    let again = convert(&server, "one", form(&server));
    assert_eq!(again.status(), 201);
    assert!(is_replayed(&again));
    assert_eq!(header(again.headers(), "location"), location);
    let again: Value = again.json().expect("JSON");
    assert_eq!(again["id"], first["id"]);
    assert_eq!(again["status"], "success");
    assert_eq!(server.get("/jobs")["meta"]["total"], 1);
}

fn forget_answers(server: &Server) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let file = server.data().join("vocalhost.sqlite");
        let options = SqliteConnectOptions::new().filename(file);
        let pool = SqlitePool::connect_with(options).await.expect("it opens");
        let forgotten = sqlx::query("UPDATE idempotency_keys SET status = NULL, body = NULL");
        let forgotten = forgotten.execute(&pool).await.expect("it can be written");
        assert_eq!(forgotten.rows_affected(), 1);
        pool.close().await;
    });
}

#[test]
fn another_request_under_the_key_is_refused() {
    let server = shared();
    let first = convert(&server, "taken", form(&server));
    assert_eq!(first.status(), 201);
    let other_sound = sound::wav_of(1, 16_000, &sound::sung(0.5, 16_000, 230.0));
    for other in [
        form(&server).text("seed", "1"),
        Form::new()
            .text("voiceModelId", server.voice())
            .text("pitchShift", "1")
            .part("soundFile", Part::bytes(other_sound).file_name("tone.wav")),
    ] {
        let (status, code, _) = problem(convert(&server, "taken", other));
        assert_eq!((status, code.as_str()), (422, "E_IDEMPOTENCY_KEY_REUSED"));
    }
    until(
        "no upload to be left, others' on this server included",
        || (server.uploads() == 0).then_some(()),
    );
    // The key is this user's, and of this route.
    let form_of_split = Form::new().part("inputFile", tone_part());
    let split = post(&server, "/stem-splits", ("taken", form_of_split));
    assert_eq!(split.status(), 200);
    assert!(!is_replayed(&split));
    let other = server.key_of("another-user", &[]);
    let request = server.anonymous(Method::POST, &server.url("/voice-conversions"));
    let request = request
        .bearer_auth(other)
        .header("Idempotency-Key", "taken");
    let theirs = request.multipart(form(&server)).send().expect("it answers");
    assert_eq!(theirs.status(), 201);
    assert!(!is_replayed(&theirs));
}

#[test]
fn a_request_that_was_refused_may_be_corrected_under_its_key() {
    let server = shared();
    let wrong = form(&server).text("seed", "x");
    assert_eq!(convert(&server, "mend", wrong).status(), 422);
    let mended = convert(&server, "mend", form(&server));
    assert_eq!(mended.status(), 201);
    assert!(!is_replayed(&mended));
}

#[test]
fn a_client_that_hangs_up_gives_its_key_back_and_one_that_sends_keeps_it() {
    let server = shared();
    let head = format!(
        "POST /api/v1/voice-conversions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
         Idempotency-Key: cut\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n--b\r\n",
        server.key
    );
    // Who asks whether the key is taken takes it for a moment, and may be the one who was first: then all begins again.
    let (cut, status, code) = until("the key to be reserved", || {
        let mut cut = server.connect();
        cut.write_all(head.as_bytes()).expect("the head is sent");
        let answer = convert(&server, "cut", Form::new().text("x", "y"));
        (answer.status() != 422).then(|| {
            let (status, code, _) = problem(answer);
            (cut, status, code)
        })
    });
    assert_eq!((status, code.as_str()), (409, "E_IDEMPOTENCY_IN_PROGRESS"));
    drop(cut);
    until("the key to be free again", || {
        let answer = convert(&server, "cut", form(&server));
        (answer.status() == 201).then_some(())
    });
}

#[test]
fn a_hundred_at_once_make_one_job() {
    let server = Arc::new(Server::start(&[]));
    let voice = server.voice();
    let sound = tone();
    let asking: Vec<_> = (0..100)
        .map(|_| {
            let (server, voice, sound) = (server.clone(), voice.clone(), sound.clone());
            thread::spawn(move || {
                let form = Form::new()
                    .text("voiceModelId", voice)
                    .part("soundFile", Part::bytes(sound).file_name("a.wav"));
                let answer = convert(&server, "crowd", form);
                let replayed = is_replayed(&answer);
                match answer.status().as_u16() {
                    201 => {
                        let record: Value = answer.json().expect("JSON");
                        (201, replayed, record["id"].clone())
                    }
                    status => {
                        assert_eq!(problem(answer).1, "E_IDEMPOTENCY_IN_PROGRESS");
                        (status, replayed, Value::Null)
                    }
                }
            })
        })
        .collect();
    let answers: Vec<_> = asking
        .into_iter()
        .map(|one| one.join().expect("no panic"))
        .collect();
    let made = answers.iter().filter(|(status, _, _)| *status == 201);
    let first: Vec<_> = made.clone().filter(|(_, replayed, _)| !replayed).collect();
    assert_eq!(first.len(), 1, "{answers:?}");
    assert!(made.clone().all(|(_, _, id)| *id == first[0].2));
    assert_eq!(server.get("/jobs")["meta"]["total"], 1);
    assert_eq!(server.uploads(), 0);
}

#[test]
fn every_post_takes_a_key() {
    let server = Server::start(&[]);
    let id = server.accepted(tone());
    server.ended(id);
    let send = |path: &str, body: Option<&Value>| {
        let request = server.request(Method::POST, path);
        let request = request.header("Idempotency-Key", "again");
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        request.send().expect("the server answers")
    };
    let retry = format!("/voice-conversions/{id}/retry");
    let pipeline = json!({"name": "room", "chain": [{"effect": "reverb"}]});
    for (path, body) in [(retry.as_str(), None), ("/pipelines", Some(&pipeline))] {
        let first = send(path, body);
        assert_eq!(first.status(), 201, "{path}");
        let first: Value = first.json().expect("JSON");
        let again = send(path, body);
        assert!(is_replayed(&again), "{path}");
        assert_eq!(again.json::<Value>().expect("JSON"), first, "{path}");
    }
    assert_eq!(server.get("/jobs")["meta"]["total"], 2);
    // The job is part of what is asked.
    let other = server.get("/jobs?order=desc")["data"][0]["id"].clone();
    let (status, code, _) = problem(send(&format!("/voice-conversions/{other}/retry"), None));
    assert_eq!((status, code.as_str()), (422, "E_IDEMPOTENCY_KEY_REUSED"));
    for key in [" ", &"x".repeat(256)] {
        let request = server.request(Method::POST, &retry);
        let answer = request.header("Idempotency-Key", key).send();
        let (status, _, mistakes) = problem(answer.expect("it answers"));
        assert_eq!(
            (status, mistakes),
            (422, vec!["Idempotency-Key characters".to_owned()])
        );
    }
}

#[test]
fn operators_requests_happen_once_but_keys_are_made_as_often_as_asked() {
    let server = shared();
    let send = |path: &str, body: Value| {
        let request = server.request(Method::POST, path).json(&body);
        let request = request.header("idempotency-key", "operators-once");
        request.send().expect("the server answers")
    };
    let user = json!({ "name": "made-once" });
    let [first, again] = [0, 1].map(|_| send("/admin/users", user.clone()));
    assert_eq!(
        (first.status().as_u16(), again.status().as_u16()),
        (201, 201)
    );
    assert_eq!(header(again.headers(), "idempotency-replayed"), "true");
    let [first, again] = [first, again].map(|answer| answer.text().expect("arrives"));
    assert_eq!(first, again);
    let other = send("/admin/users", json!({ "name": "made-twice" }));
    assert_eq!(problem(other).1, "E_IDEMPOTENCY_KEY_REUSED");

    let new = json!({ "user": "made-once" });
    let [first, again] = [0, 1].map(|_| {
        let answer = send("/admin/keys", new.clone());
        assert_eq!(answer.status(), 201);
        let record: Value = answer.json().expect("JSON");
        record["key"].clone()
    });
    assert_ne!(first, again);
    // The description says which is which.
    let document = server.get("/openapi.json");
    let takes_key = |path: &str| {
        let parameters = &document["paths"][path]["post"]["parameters"];
        parameters
            .to_string()
            .contains("components/parameters/IdempotencyKey")
    };
    let found = |end: &str| {
        let paths = document["paths"].as_object().expect("an object");
        let path = paths.keys().find(|path| path.ends_with(end));
        path.expect("it is described").clone()
    };
    assert!(takes_key(&found("/admin/users")));
    for without in ["/admin/keys", "/uploads"] {
        assert!(!takes_key(&found(without)), "{without}");
    }
}
