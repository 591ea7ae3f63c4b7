//! Waiting for a job's end, and following what happens to it.

use std::io::Read;
use std::time::{Duration, Instant};

use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::blocking::multipart::Form;
use serde_json::Value;
use vocalhost_testing::poll::until;

use super::harness::{Server, act, header, long_recording, problem, shared, tone, tone_part};

/// What one server-sent event says.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    id: i64,
    kind: String,
    data: Value,
}

fn events(text: &str) -> Vec<Event> {
    let blocks = text.split("\n\n").filter(|block| block.contains("event: "));
    blocks
        .map(|block| {
            let field = |name: &str| {
                let found = block.lines().find_map(|line| line.strip_prefix(name));
                found.unwrap_or_else(|| panic!("{name} in {block:?}"))
            };
            Event {
                id: field("id: ").parse().expect("a number"),
                kind: field("event: ").to_owned(),
                data: serde_json::from_str(field("data: ")).expect("JSON"),
            }
        })
        .collect()
}

/// Follows a job to its end, from behind the event `after`.
fn followed(server: &Server, id: i64, after: Option<i64>) -> (u16, Vec<Event>) {
    let path = format!("/voice-conversions/{id}/events");
    let mut request = server.request(Method::GET, &path);
    if let Some(after) = after {
        request = request.header("Last-Event-ID", after);
    }
    let answer = request.send().expect("the server answers");
    let status = answer.status().as_u16();
    if status == 200 {
        assert_eq!(
            header(answer.headers(), "content-type"),
            "text/event-stream"
        );
        assert_eq!(header(answer.headers(), "cache-control"), "no-store");
    }
    (status, events(&answer.text().expect("it ends")))
}

#[test]
fn a_job_is_followed_to_its_end_and_its_history_told_again() {
    let server = shared();
    let id = server.accepted(tone());
    let (status, live) = followed(&server, id, None);
    assert_eq!(status, 200);
    let kinds: Vec<&str> = live.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds[..2], ["created", "started"]);
    assert_eq!(kinds.last(), Some(&"ended"));
    assert!(live.iter().is_sorted_by_key(|event| event.id));
    for event in &live {
        for field in ["status", "stage", "progress", "at"] {
            assert!(!event.data[field].is_null(), "{field}: {event:?}");
        }
    }
    let last = live.last().expect("an event");
    assert_eq!(last.data["status"], "success");
    assert_eq!(last.data["progress"], 100.0);
    assert_eq!(last.data["stage"], "done");
    // All of it again, the rest of it, and nothing more.
    assert_eq!(followed(&server, id, None), (200, live.clone()));
    assert_eq!(
        followed(&server, id, Some(live[1].id)),
        (200, live[2..].to_vec())
    );
    assert_eq!(followed(&server, id, Some(last.id)), (204, vec![]));
}

#[test]
fn a_cancel_is_seen_by_whoever_follows() {
    let server = Server::start(&[]);
    let id = server.accepted(long_recording());
    server.until_inference(id);
    let path = format!("/voice-conversions/{id}");
    let mut following = server
        .request(Method::GET, &(path.clone() + "/events"))
        .send()
        .expect("the server answers");
    let mut text = String::new();
    let mut piece = [0; 512];
    // The history comes at once, long before the end.
    while !text.contains("event: started") {
        let length = following.read(&mut piece).expect("the stream goes on");
        assert!(length > 0, "{text}");
        text.push_str(std::str::from_utf8(&piece[..length]).expect("text"));
    }
    assert_eq!(act(&server, &(path + "/cancel")).status(), 200);
    following.read_to_string(&mut text).expect("it ends");
    let events = events(&text);
    let [.., cancelling, ended] = &events[..] else {
        panic!("{events:?}");
    };
    assert_eq!(
        (cancelling.kind.as_str(), ended.kind.as_str()),
        ("cancelling", "ended")
    );
    assert_eq!(ended.data["status"], "cancelled");
}

/// The record that whoever waited for a job's end was given. On a busy machine the wait may be over before the job; then its end is waited
/// for here.
fn waited_for(server: &Server, asked_at: Instant, answer: Response) -> Value {
    assert_eq!(header(answer.headers(), "preference-applied"), "wait=60");
    let record: Value = answer.json().expect("JSON");
    if record["status"] != "running" {
        return record;
    }
    let waited = asked_at.elapsed();
    assert!(waited >= Duration::from_mins(1), "{waited:?}");
    server.ended(record["id"].as_i64().expect("a number"))
}

#[test]
fn a_client_that_would_rather_wait_gets_the_end() {
    let server = Server::start(&[]);
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .part("soundFile", tone_part());
    let request = server.request(Method::POST, "/voice-conversions");
    let asked_at = Instant::now();
    let answer = request.header("Prefer", "wait=60").multipart(form).send();
    let answer = answer.expect("the server answers");
    assert_eq!(answer.status(), 201);
    let record = waited_for(&server, asked_at, answer);
    assert_eq!(record["status"], "success", "{record:#}");
    assert!(record["outputFileUrl"].is_string());

    let id = server.accepted(tone());
    let request = server.request(Method::GET, &format!("/voice-conversions/{id}"));
    let asked_at = Instant::now();
    let answer = request
        .header("Prefer", "wait=999")
        .send()
        .expect("it answers");
    let record = waited_for(&server, asked_at, answer);
    assert_eq!(record["status"], "success", "{record:#}");
    let ended = server.job(id);
    assert_eq!(ended["status"], "success");
}

#[test]
fn a_wait_has_an_end() {
    let server = Server::start(&[]);
    let id = server.accepted(long_recording());
    let path = format!("/voice-conversions/{id}");
    let asked_at = Instant::now();
    let request = server
        .request(Method::GET, &path)
        .header("Prefer", "wait=1");
    let answer = request.send().expect("the server answers");
    let waited = asked_at.elapsed();
    assert_eq!(header(answer.headers(), "preference-applied"), "wait=1");
    assert_eq!(answer.json::<Value>().expect("JSON")["status"], "running");
    assert!(waited >= Duration::from_secs(1), "{waited:?}");
    let plain = server
        .request(Method::GET, &path)
        .send()
        .expect("it answers");
    assert!(plain.headers().get("preference-applied").is_none());
}

#[test]
fn a_server_that_stops_says_so_as_long_as_a_job_goes_on() {
    let mut server = Server::start(&["--grace-period-s", "600"]);
    let id = server.accepted(long_recording());
    let path = format!("/voice-conversions/{id}");
    server.until_inference(id);
    server.terminate();
    let readiness = format!("http://{}/readyz", server.address);
    until("the server to be told", || {
        let ready = server.anonymous(Method::GET, &readiness).send();
        let ready = ready.expect("the server still answers");
        (ready.status() == 503).then_some(())
    });
    until("the list of servers to say it", || {
        let nodes = server.get("/admin/nodes");
        (nodes["data"][0]["isDraining"] == true).then_some(())
    });
    let refused = server.post(Form::new());
    assert!(refused.headers().contains_key("retry-after"));
    let (status, code, _) = problem(refused);
    assert_eq!((status, code.as_str()), (503, "E_SERVICE_UNAVAILABLE"));
    assert_eq!(server.get(&path)["id"], id);
    act(&server, &(path + "/cancel"));
    assert!(server.ended_well());
}

#[test]
fn a_server_that_stops_lets_its_followers_go() {
    let mut server = Server::start(&["--grace-period-s", "20"]);
    let id = server.accepted(long_recording());
    let path = format!("/voice-conversions/{id}");
    let following = server
        .request(Method::GET, &(path.clone() + "/events"))
        .send()
        .expect("the server answers");
    act(&server, &(path + "/cancel"));
    server.terminate();
    assert!(following.text().is_ok());
    assert!(server.ended_well());
}
