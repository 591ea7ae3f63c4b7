//! Voices that are trained on recordings of them.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

use reqwest::Method;
use reqwest::blocking::multipart::{Form, Part};
use rustix::process::Pid;
use serde_json::{Value, json};
use vocalhost_testing::poll::again_if;
use vocalhost_testing::repository;
use vocalhost_testing::server::kill;

use super::harness::{Server, act, problem, tone_part, until};

/// Everybody may train.
const FOR_USERS: [&str; 2] = ["--training", "users"];

/// Each is six seconds long.
const RECORDINGS: u8 = 7;

/// A training with everything else on the processor may take this long on a slow machine.
const PATIENCE: Duration = Duration::from_mins(15);

/// What has to be declared, as the server has it.
fn consent(server: &Server) -> String {
    let statement = &server.get("/voice-trainings/consent")["statement"];
    json!({ "statement": statement, "by": "licence", "name": "Oak" }).to_string()
}

/// A recording of a voice: the demo of a voice that comes along, behind a tag (ID3v2.4) of so many empty bytes, for the same recording
/// once more is not more of a voice.
fn spoken(empty: u8) -> Part {
    let path = repository("models/vocalhost.oak-5/demo.mp3");
    let sound = fs::read(path).expect("the voice has a demo");
    let tag = [b'I', b'D', b'3', 4, 0, 0, 0, 0, 0, empty];
    let padding = vec![0; empty.into()];
    Part::bytes([&tag[..], &padding, &sound].concat()).file_name("oak.mp3")
}

/// A form with recordings of one voice, together longer than a training wants them at least.
fn form(server: &Server) -> Form {
    let form = Form::new()
        .text("title", "Oak again")
        .text("tags", "warm, test")
        .text("consent", consent(server));
    (0..RECORDINGS).fold(form, |form, number| {
        form.part("soundFile", spoken(10 + number))
    })
}

/// The record of a training that was accepted.
fn accepted(server: &Server, form: Form) -> Value {
    let answer = server.post_to("/voice-trainings", form);
    let status = answer.status();
    let record: Value = answer.json().expect("the answer is JSON");
    assert_eq!(status, 200, "{record:#}");
    record
}

/// Asks for a record until it is as wanted; a training takes longer than what else a test waits for.
fn at_last(server: &Server, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let record = server.get(path);
        if wanted(&record) {
            return record;
        }
        assert!(Instant::now() < deadline, "waited too long: {record:#}");
        std::thread::park_timeout(Duration::from_millis(200));
    }
}

fn ended(server: &Server, path: &str) -> Value {
    at_last(server, path, |record| record["status"] != "running")
}

/// The files below a folder of the file store.
fn files_in(server: &Server, folder: &str) -> usize {
    fn count(folder: &Path) -> usize {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let counts = entries.map(|entry| match entry.path() {
            path if path.is_dir() => count(&path),
            _ => 1,
        });
        counts.sum()
    }
    count(&server.data().join("files").join(folder))
}

/// How nice a process is.
fn niceness(process: i32) -> i32 {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The fields after the name, which is in brackets; the 19th of all is the niceness.
    let fields = stat.rsplit_once(") ").map(|(_, fields)| fields);
    let nice = fields.and_then(|fields| fields.split(' ').nth(16)?.parse().ok());
    nice.unwrap_or_default()
}

/// The worker that trains: it is nicer than the server.
fn trainer(server: &Server) -> Pid {
    let server_is = niceness(server.id().cast_signed());
    until("a worker that trains", || {
        let mut workers = server.workers().into_iter();
        workers.find(|worker| niceness(worker.as_raw_nonzero().get()) > server_is)
    })
}

#[test]
fn nobody_trains_a_voice_where_the_operator_has_not_switched_it_on() {
    let server = Server::start(&[]);
    let told = server.get("/voice-trainings/consent");
    assert_eq!(
        (&told["training"], &told["allowed"]),
        (&json!("off"), &json!(false))
    );
    let refused = problem(server.post_to("/voice-trainings", form(&server)));
    assert_eq!(
        (refused.0, refused.1.as_str()),
        (403, "E_FORBIDDEN_EXCEPTION")
    );
    assert_eq!(server.get("/voice-trainings")["meta"]["total"], 0);

    let server = Server::start(&["--training", "admins"]);
    assert_eq!(server.get("/voice-trainings/consent")["allowed"], true);
    let user = server.key_of("user", &[]);
    let asked = |method, path: &str| {
        let request = server.anonymous(method, &server.url(path));
        request.bearer_auth(&user)
    };
    let told = asked(Method::GET, "/voice-trainings/consent").send();
    let told: Value = told.expect("it answers").json().expect("JSON");
    assert_eq!(told["allowed"], false);
    let sent = asked(Method::POST, "/voice-trainings").multipart(form(&server));
    assert_eq!(problem(sent.send().expect("it answers")).0, 403);
}

#[test]
fn every_mistake_of_a_form_is_told_at_once() {
    let server = Server::start(&FOR_USERS);
    let refused = |form: Form| problem(server.post_to("/voice-trainings", form)).2;
    assert_eq!(
        refused(Form::new().text("seed", "1")),
        ["title required", "consent required", "soundFile required"]
    );
    let nothing_to_hear = || Part::bytes(&b"no sound"[..]).file_name("a.wav");
    let form = Form::new()
        .text("title", "x".repeat(201))
        .text("base", "999999")
        .text("preset", "for ever")
        .text("clean", "denoise")
        .text("consent", json!({ "by": "self" }).to_string())
        .part("soundFile", tone_part())
        .part("soundFile", nothing_to_hear());
    assert_eq!(
        refused(form),
        [
            "title length",
            "preset enum",
            "consent.statement required",
            "base exists",
            "clean model",
            "soundFile[1] format"
        ]
    );
    let many = (0..31).fold(Form::new(), |form, _| form.part("soundFile", tone_part()));
    let mistakes = refused(many.text("title", "Many").text("consent", consent(&server)));
    assert_eq!(mistakes, ["soundFile count"]);
    assert_eq!(files_in(&server, "inputs"), 0);
    assert_eq!(server.get("/voice-trainings")["meta"]["total"], 0);
}

#[test]
fn a_consent_that_is_said_has_the_number_of_its_sentence() {
    let server = Server::start(&["--training", "users", "--spoken-consent", "true"]);
    let asked = &server.get("/voice-trainings/consent")["spoken"];
    assert_eq!(asked["required"], true);
    let number = asked["number"].as_str().expect("a text");
    let spaced: Vec<String> = number.chars().map(String::from).collect();
    assert_eq!(spaced.len(), 4, "{number}");
    let sentence = asked["sentence"].as_str().expect("a text");
    assert!(
        sentence.ends_with(&format!("{}.", spaced.join(" "))),
        "{sentence}"
    );
    let token = asked["token"].as_str().expect("a text");
    let statement = server.get("/voice-trainings/consent")["statement"].clone();
    let with = |token: &str, user: Option<&str>, recorded: bool| {
        let consent = json!({ "statement": statement, "by": "self", "token": token }).to_string();
        let form = Form::new().text("title", "Said").text("consent", consent);
        let form = form.part("soundFile", tone_part());
        let form = if recorded {
            form.part("consentRecording", tone_part())
        } else {
            form
        };
        let request = match user {
            Some(key) => {
                let request = server.anonymous(Method::POST, &server.url("/voice-trainings"));
                request.bearer_auth(key)
            }
            None => server.request(Method::POST, "/voice-trainings"),
        };
        problem(request.multipart(form).send().expect("it answers")).2
    };
    let other = server.key_of("other", &[]);
    let (_, changed) = token.rsplit_once('/').expect("it has parts");
    let another = token.replace(changed, "0000x");
    for (given, user, recorded, wanted) in [
        (token, None, false, "consentRecording required"),
        ("nothing", None, true, "consent.token token"),
        (&another, None, true, "consent.token token"),
        (token, Some(&other[..]), true, "consent.token token"),
        ("", None, true, "consent.token required"),
        ("", None, false, "consentRecording required"),
    ] {
        assert_eq!(
            with(given, user, recorded),
            [wanted],
            "{given:?} {recorded}"
        );
    }
    let consent = json!({ "statement": statement, "by": "self", "token": token }).to_string();
    let form = Form::new().text("title", "Said").text("consent", consent);
    let form = form
        .part("soundFile", spoken(10))
        .part("consentRecording", spoken(11));
    let record = accepted(&server, form);
    assert_eq!(record["consent"]["spoken"], number);
    let recordings = record["recordings"].as_array().expect("a list");
    assert_eq!(
        recordings.len(),
        1,
        "what is said of it is no recording to learn from"
    );
    let done = ended(&server, &format!("/voice-trainings/{}", record["id"]));
    let why = done["error"]["message"]
        .as_str()
        .expect("six seconds are too little");
    assert!(
        why.contains("s of sound are too little") && !why.contains("consent"),
        "{why}"
    );
}

#[test]
fn a_training_without_a_word_is_not_tried_again_once_a_word_is_asked_for() {
    let mut server = Server::start(&["--training", "users"]);
    let record = accepted(&server, form(&server));
    let path = format!("/voice-trainings/{}", record["id"]);
    act(&server, &format!("{path}/cancel"));
    ended(&server, &path);
    server.kill();
    server.start_again_with(&["--spoken-consent", "true"]);
    let refused = problem(act(&server, &format!("{path}/retry")));
    assert_eq!(refused.2, ["consentRecording required"]);
}

#[test]
fn a_training_that_was_accepted_has_its_voice_and_is_cancelled_without_a_trace() {
    // Those of a day are counted, and a day may begin meanwhile.
    let day = || {
        SystemTime::UNIX_EPOCH
            .elapsed()
            .expect("it is later")
            .as_secs()
            / 86_400
    };
    let today = day();
    again_if(|_| day() != today, has_its_voice_and_leaves_no_trace);
}

fn has_its_voice_and_leaves_no_trace() {
    let server = Server::start(&["--training", "users", "--trainings-per-day", "2"]);
    let record = accepted(&server, form(&server));
    assert_eq!(record["title"], "Oak again");
    assert_eq!(record["tags"], json!(["warm", "test"]));
    assert_eq!(
        (&record["base"], &record["preset"]),
        (&json!("auto"), &json!("quick"))
    );
    assert_eq!(
        record["recordings"].as_array().map(Vec::len),
        Some(usize::from(RECORDINGS))
    );
    assert_eq!(record["recordings"][0]["name"], "oak.mp3");
    assert_eq!(record["consent"]["by"], "licence");
    let voice = format!("/voice-models/{}", record["outputModelId"]);
    let made = server.get(&voice);
    assert_eq!(
        (&made["title"], &made["isUsable"]),
        (&json!("Oak again"), &json!(false))
    );
    assert_eq!(made["unusableReason"], "a training is still making it");
    // It cannot be used before its time, and minutes count as those of other jobs.
    let conversion = Form::new()
        .text("voiceModelId", record["outputModelId"].to_string())
        .part("soundFile", tone_part());
    assert_eq!(problem(server.post(conversion)).2, ["voiceModelId exists"]);
    let usage = server.get("/usage");
    assert_eq!(
        usage["jobs"]["byKind"]["voice-trainings"]["running"], 1,
        "{usage:#}"
    );
    let log = server.get("/admin/audit?action=declareConsent");
    let target = log["data"][0]["target"].as_str().expect("a text");
    assert!(target.ends_with("statement 1, licence, Oak"), "{target}");

    let path = format!("/voice-trainings/{}", record["id"]);
    let cancelled = act(&server, &format!("{path}/cancel"));
    assert_eq!(cancelled.status(), 200);
    assert_eq!(ended(&server, &path)["status"], "cancelled");
    let gone = server
        .request(Method::GET, &voice)
        .send()
        .expect("it answers");
    assert_eq!(gone.status(), 404);
    until("its files to be gone", || {
        let left = ["results", "training", "voices"].map(|folder| files_in(&server, folder));
        (left == [0; 3]).then_some(())
    });

    // What is tried again has the same recordings, and counts like any other.
    let again = act(&server, &format!("{path}/retry"));
    let again: Value = again.json().expect("JSON");
    assert_eq!(again["retryOf"], record["id"]);
    assert_ne!(again["outputModelId"], record["outputModelId"]);
    let refused = problem(server.post_to("/voice-trainings", form(&server)));
    assert_eq!((refused.0, refused.1.as_str()), (429, "E_QUOTA_EXCEEDED"));
    let path = format!("/voice-trainings/{}", again["id"]);
    act(&server, &format!("{path}/cancel"));
    ended(&server, &path);
    for id in [&record["id"], &again["id"]] {
        let path = format!("/voice-trainings/{id}");
        let deleted = server.request(Method::DELETE, &path).send();
        assert_eq!(deleted.expect("it answers").status(), 204);
    }
    assert_eq!(
        files_in(&server, "inputs"),
        0,
        "the last one took them along"
    );
}

#[test]
fn a_voice_is_trained_heard_on_the_way_and_used() {
    let server = Server::start(&["--training", "review"]);
    let record = accepted(&server, form(&server).text("clean", "dereverb"));
    let path = format!("/voice-trainings/{}", record["id"]);
    let done = ended(&server, &path);
    assert_eq!(done["status"], "success", "{done:#}");
    assert_eq!(done["clean"], json!(["dereverb"]));
    let used = done["models"].as_array().expect("a list");
    assert!(used.iter().any(|id| *id == "vocalhost.lead-1"), "{used:?}");
    let curve = done["curve"].as_array().expect("a list");
    assert!(curve.len() >= 5, "{curve:?}");
    let loss = |at: usize| curve[at]["loss"].as_f64().expect("a number");
    assert!(loss(curve.len() - 1) < loss(0), "{curve:?}");
    let test = done["tests"].as_array().and_then(|tests| tests.last());
    let heard = server.fetch(test.expect("a test")["url"].as_str().expect("a link"));
    assert!(heard.len() > 10_000, "{} bytes", heard.len());
    // The recordings are gone, and so is what only the training needed.
    until("the recordings to be gone", || {
        let left = ["inputs", "training"].map(|folder| files_in(&server, folder));
        (left == [0; 2]).then_some(())
    });
    let again = act(&server, &format!("{path}/retry"));
    assert_eq!(problem(again).1, "E_INPUT_EXPIRED");

    // Nobody uses it before an operator has let it through.
    let voice = format!("/voice-models/{}", done["outputModelId"]);
    assert_eq!(server.get(&voice)["isUsable"], false);
    let enabled = server
        .request(
            Method::PATCH,
            &format!("/admin/models/{}", done["outputModelId"]),
        )
        .json(&json!({ "enabled": true }))
        .send();
    assert_eq!(enabled.expect("it answers").status(), 200);
    let made = server.get(&voice);
    assert_eq!(made["isUsable"], true, "{made:#}");
    let consent = made["terms"]["consent"].as_str().expect("a text");
    assert!(consent.contains("Oak"), "{consent}");
    let conversion = Form::new()
        .text("voiceModelId", done["outputModelId"].to_string())
        .part("soundFile", tone_part());
    let conversion: Value = server.post(conversion).json().expect("JSON");
    let id = conversion["id"].as_i64().expect("a number");
    assert_eq!(server.ended(id)["status"], "success");
    let other = server.voice();
    let blend = json!({ "modelId1": done["outputModelId"], "modelId2": other.parse::<i64>().expect("a number"), "alpha": 0.5 });
    let blend = server.request(Method::POST, "/voice-blender").json(&blend);
    let blend: Value = blend.send().expect("it answers").json().expect("JSON");
    let blend = server.ended_at(&format!("/voice-blender/{}", blend["id"]));
    assert_eq!(blend["status"], "success", "{blend:#}");
    let terms = &server.get(&format!("/voice-models/{}", blend["outputModelId"]))["terms"];
    let sources = terms["sources"].as_array().expect("a list");
    let consents: Vec<&str> = sources
        .iter()
        .filter_map(|one| one["consent"].as_str())
        .collect();
    assert!(consents.contains(&consent), "{consents:?}");
}

#[test]
fn a_training_whose_worker_is_killed_goes_on_where_it_stood() {
    let server = Server::start(&FOR_USERS);
    let long = form(&server).text("preset", "standard").text("seed", "3");
    let record = accepted(&server, long);
    let path = format!("/voice-trainings/{}", record["id"]);
    // The first test is heard after the first checkpoint.
    let before = at_last(&server, &path, |record| {
        assert_eq!(record["status"], "running", "{record:#}");
        record["tests"]
            .as_array()
            .is_some_and(|tests| !tests.is_empty())
    });
    let reached = before["step"].as_u64().expect("a number");
    kill(trainer(&server));
    let after = at_last(&server, &path, |record| {
        assert_eq!(record["status"], "running", "{record:#}");
        record["step"]
            .as_u64()
            .is_some_and(|step| step > reached + 20)
    });
    act(&server, &format!("{path}/cancel"));
    assert_eq!(ended(&server, &path)["status"], "cancelled");
    // Nothing of what came before the checkpoint is done again.
    let events = server.request(Method::GET, &format!("{path}/events"));
    let text = events.send().expect("it answers").text();
    let steps: Vec<u64> = text
        .expect("the stream ends with the job")
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .filter_map(|data| serde_json::from_str::<Value>(data).ok())
        .filter_map(|data| data["step"].as_u64())
        .collect();
    assert!(
        steps.iter().filter(|step| **step == 10).count() == 1,
        "{steps:?}"
    );
    let curve = after["curve"].as_array().expect("a list");
    let told: Vec<u64> = curve
        .iter()
        .filter_map(|one| one["step"].as_u64())
        .collect();
    assert!(told.is_sorted() && told[0] == 10, "{told:?}");
}
