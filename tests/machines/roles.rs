//! Servers that answer and servers that work: what each is asked, what they hear of each other, and how one leaves.

use std::io::Read as _;
use std::time::{Duration, Instant};

use reqwest::Method;
use rustix::process::Signal;
use serde_json::{Value, json};
use vocalhost_testing::poll::{self, again_if};

use super::checker::all_is_well;
use super::faults::until_running;
use super::node::{Node, surely};
use super::place::Place;

/// What one server does is to be known at another by then, and a job that is stopped there is to have ended. How soon that is on a machine
/// without other work, `long` measures.
const SOON: Duration = Duration::from_secs(30);

/// An answer that comes by then did not wait for the database.
const QUICK: Duration = Duration::from_millis(100);

fn node(place: &Place, name: &str, more: &[&str]) -> Node {
    let mut flags = place.flags(&place.postgres.address);
    flags.extend(
        ["--node-name", name]
            .iter()
            .chain(more)
            .map(ToString::to_string),
    );
    Node::start(flags)
}

#[test]
fn servers_that_answer_let_through_together_what_one_would() {
    // Where the database is slow each counts for itself meanwhile, and a busy machine may make it slow.
    again_if(|_| true, two_let_through_what_one_would);
}

fn two_let_through_what_one_would() {
    let place = Place::new();
    let limited = ["--role", "api", "--rate-limit-reads-per-min", "12"];
    let nodes = [
        node(&place, "one", &limited),
        node(&place, "other", &limited),
    ];
    for node in &nodes {
        poll::until("quick answers of the database", || {
            let asked_at = Instant::now();
            let answer = node.get("/me", "nobody.knows");
            answer.expect("it answers");
            (asked_at.elapsed() < QUICK).then_some(())
        });
    }
    let began = Instant::now();
    let asked = (0..36).map(|number| {
        let answer = nodes[number % 2].get("/voice-conversions", &place.key);
        answer.expect("it answers").status().as_u16()
    });
    let (through, refused): (Vec<u16>, Vec<u16>) = asked.partition(|status| *status == 200);
    assert!(refused.iter().all(|status| *status == 429), "{refused:?}");
    // One more comes back every five seconds.
    let at_most = 13 + began.elapsed().as_secs() as usize / 5;
    assert!((12..=at_most).contains(&through.len()), "{through:?}");
}

/// The list of servers at one of them, by their names.
fn listed(at: &Node, key: &str) -> Vec<Value> {
    let list = at.get_surely("/admin/nodes", key);
    let list: Value = list.json().expect("it is JSON");
    list["data"].as_array().expect("a list").clone()
}

fn status(node: &Node, path: &str) -> u16 {
    let answer = node.request(Method::GET, path).send();
    answer.expect("it answers").status().as_u16()
}

/// The same once it reaches its database.
fn settled(node: &Node, path: &str) -> u16 {
    let answer = surely(|| node.request(Method::GET, path));
    answer.status().as_u16()
}

#[test]
fn servers_that_answer_and_servers_that_work_are_one_service() {
    let place = Place::new();
    let one = node(&place, "one", &["--role", "api"]);
    let other = node(&place, "other", &["--role", "api"]);
    let worker = [
        "--role",
        "worker",
        "--queues",
        "voice-conversion,voice-blend",
    ];
    let worker = node(&place, "worker", &worker);

    // A worker says how it is, and nothing else.
    for path in ["/livez", "/readyz", "/metrics"] {
        assert_eq!(settled(&worker, path), 200, "{path}");
    }
    for path in [
        "/",
        "/api/v1",
        "/api/v1/openapi.json",
        "/api/v1/voice-models",
        "/api/v1/admin/nodes",
    ] {
        assert_eq!(status(&worker, path), 404, "{path}");
    }
    assert!(one.workers().is_empty() && other.workers().is_empty());

    let all = poll::until("all servers to be listed", || {
        let all = listed(&other, &place.key);
        (all.len() == 3).then_some(all)
    });
    let told = |field: &str| {
        all.iter()
            .map(|node| node[field].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(told("name"), ["one", "other", "worker"]);
    assert_eq!(told("role"), ["api", "api", "worker"]);
    let queues = [
        json!([]),
        json!([]),
        json!(["voice-conversion", "voice-blend"]),
    ];
    assert_eq!(told("queues"), queues);
    assert_eq!(told("isSilent"), [false, false, false]);

    // Each listens to the others.
    poll::until("all servers to listen", || {
        let listening =
            "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'vocalhost-listen'";
        (place.ask(listening) == 3).then_some(())
    });

    // A link that one has signed opens at the other.
    let models = one.get_surely("/voice-models", &place.key);
    let models: Value = models.json().expect("it is JSON");
    let link = models["data"][0]["demoUrl"].as_str().expect("a link");
    let (_, path) = link.split_once("/api/").expect("a link of the server's");
    let path = format!("/api/{path}");
    assert_eq!((settled(&one, &path), settled(&other, &path)), (200, 200));
    assert_eq!(status(&other, &path.replace("/files/", "/files/1")), 403);

    // What is given in at one is worked on, followed at the other, and stopped at the one again.
    let id = one.give_in_surely(60.0, &place.key, "long");
    let job = format!("/voice-conversions/{id}");
    let mut events = other.get_surely(&format!("{job}/events"), &place.key);
    let mut text = String::new();
    read_on(&mut events, &mut text, "event: started");
    soon(&place, "started");
    let busy = poll::until("the worker to be busy", || {
        let all = listed(&other, &place.key);
        (all[2]["runningJobs"] == 1).then_some(all)
    });
    assert_eq!(
        (&busy[0]["runningJobs"], &busy[1]["runningJobs"]),
        (&json!(0), &json!(0))
    );
    let asked_at = Instant::now();
    let path = format!("{job}/cancel");
    let cancel = surely(|| one.request_with(Method::POST, &path, &place.key));
    assert_eq!(cancel.status(), 200);
    read_on(&mut events, &mut text, "event: ended");
    let took = asked_at.elapsed();
    soon(&place, "ended");
    assert!(took < SOON, "{took:?}");
    let record = other.get_surely(&job, &place.key);
    let record: Value = record.json().expect("it is JSON");
    assert_eq!(record["status"], "cancelled", "{record:#}");

    // Nobody here takes a job of a kind that no worker takes.
    let kinds = "SELECT COUNT(*) FROM jobs WHERE state = 'queued'";
    assert_eq!(place.ask(kinds), 0);
}

/// Reads until a text has come.
pub fn read_on(events: &mut reqwest::blocking::Response, text: &mut String, wanted: &str) {
    let mut piece = [0; 512];
    while !text.contains(wanted) {
        let length = events.read(&mut piece).expect("the stream goes on");
        assert!(length > 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&piece[..length]));
    }
}

/// Complains when it is long since the last event of this kind, which was just heard of.
fn soon(place: &Place, kind: &str) {
    let since = place.ask(&format!(
        "SELECT now_us() - MAX(at_us) FROM job_events WHERE kind = '{kind}'"
    ));
    let since = Duration::from_micros(since.unsigned_abs());
    assert!(since < SOON, "{kind}: {since:?}");
}

#[test]
fn a_worker_that_is_told_to_stop_leaves_its_job_to_another() {
    let mut place = Place::new();
    // Leases that are renewed late on a busy machine hold all the same.
    place.lease_s = 60;
    let api = node(&place, "api", &["--role", "api"]);
    let worker = |name, grace| {
        node(
            &place,
            name,
            &["--role", "worker", "--grace-period-s", grace],
        )
    };
    let mut leaving = worker("leaving", "3");
    let id = api.give_in_surely(20.0, &place.key, "long");
    until_running(&place, 1);
    leaving.signal(Signal::TERM, false);
    poll::until("the list to say it", || {
        let all = listed(&api, &place.key);
        let is_draining = |node: &Value| node["name"] == "leaving" && node["isDraining"] == true;
        all.iter().any(is_draining).then_some(())
    });
    assert_eq!(status(&leaving, "/readyz"), 503);
    let staying = worker("staying", "30");
    assert!(leaving.ended_well());
    let names: Vec<Value> = listed(&api, &place.key)
        .iter()
        .map(|node| node["name"].clone())
        .collect();
    assert_eq!(names, ["api", "staying"]);
    all_is_well(&place, &[id]);
    assert_eq!(
        place.ask("SELECT CAST(SUM(deaths + expiries) AS BIGINT) FROM jobs"),
        0
    );
    drop(staying);
}
