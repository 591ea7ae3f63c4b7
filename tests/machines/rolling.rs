//! Servers that are replaced one after the other while they are asked.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};

use reqwest::Method;
use reqwest::blocking::multipart::{Form, Part};
use reqwest::blocking::{Client, Response};
use rustix::process::Signal;
use serde_json::Value;
use vocalhost_testing::poll::PATIENCE;
use vocalhost_testing::sound;

use super::node::Node;
use super::place::Place;

/// How many requests there are.
const REQUESTS: &str = "VOCALHOST_ROLLING_REQUESTS";

/// Requests without that.
const FEW: usize = 400;

/// Clients at the same time.
const CLIENTS: usize = 4;

/// One in so many requests gives in a job; the others read.
const CREATIONS: usize = 10;

/// How long whoever replaces servers waits after each, as a balancer needs to see that one is there again.
const SETTLED: Duration = Duration::from_secs(1);

/// What the clients share.
struct Crowd {
    key: String,
    /// Where the servers are now, as a balancer knows it.
    servers: RwLock<Vec<String>>,
    count: usize,
    next: AtomicUsize,
    retried: AtomicUsize,
    jobs: Mutex<Vec<i64>>,
    failed: Mutex<Vec<String>>,
    sound: Vec<u8>,
}

impl Crowd {
    fn new(key: &str, servers: Vec<String>) -> Self {
        let count = std::env::var(REQUESTS).map_or(FEW, |count| count.parse().expect("a number"));
        Self {
            key: key.to_owned(),
            servers: RwLock::new(servers),
            count,
            next: AtomicUsize::new(0),
            retried: AtomicUsize::new(0),
            jobs: Mutex::default(),
            failed: Mutex::default(),
            sound: sound::wav_of(1, 16_000, &sound::sung(0.2, 16_000, 220.0)),
        }
    }

    /// Asks until no request is left.
    fn ask_all(&self) {
        let client = Client::builder().no_proxy().timeout(PATIENCE).build();
        let client = client.expect("a client can be made");
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            if number >= self.count {
                return;
            }
            let first = self.ask(&client, number, 0);
            if first.is_ok() {
                continue;
            }
            self.retried.fetch_add(1, Ordering::Relaxed);
            if let Err(why) = self.ask(&client, number, 1) {
                let failed = format!("request {number}: {first:?}, then {why}");
                self.failed.lock().expect("no panic").push(failed);
            }
        }
    }

    fn ask(&self, client: &Client, number: usize, again: usize) -> Result<(), String> {
        let server = {
            let servers = self.servers.read().expect("no panic");
            servers[(number + again) % servers.len()].clone()
        };
        let request = |method, path: &str| {
            let url = format!("http://{server}/api/v1{path}");
            client.request(method, url).bearer_auth(&self.key)
        };
        let answered = |answer: reqwest::Result<Response>| {
            let answer = answer.map_err(|error| format!("{error:?}"))?;
            let status = answer.status();
            let body: Value = answer.json().map_err(|error| format!("{error:?}"))?;
            if status.is_success() {
                Ok(body)
            } else {
                Err(format!("{status} {body}"))
            }
        };
        if number.is_multiple_of(CREATIONS) {
            let file = Part::bytes(self.sound.clone()).file_name("tone.wav");
            let form = Form::new().text("voiceModelId", "1");
            let request = request(Method::POST, "/voice-conversions")
                .header("idempotency-key", format!("rolling {number}"))
                .multipart(form.part("soundFile", file));
            let record = answered(request.send())?;
            let id = record["id"].as_i64().ok_or("no number")?;
            self.jobs.lock().expect("no panic").push(id);
            return Ok(());
        }
        let one = self.jobs.lock().expect("no panic").last().copied();
        let path = match (number % 3, one) {
            (0, Some(id)) => format!("/voice-conversions/{id}"),
            (1, _) => "/voice-conversions?perPage=5".to_owned(),
            _ => "/voice-models?perPage=5".to_owned(),
        };
        answered(request(Method::GET, &path).send()).map(drop)
    }
}

#[test]
fn servers_are_replaced_one_by_one_and_no_client_notices() {
    let place = Place::new();
    let mut flags = place.flags(&place.postgres.address);
    let more = ["--role", "api", "--max-queued-per-user", "100000"];
    flags.extend(more.map(str::to_owned));
    let mut nodes = [(); 3].map(|()| Node::start(flags.clone()));
    let addresses = nodes.iter().map(|node| node.address.clone()).collect();
    let crowd = Crowd::new(&place.key, addresses);
    let began = Instant::now();
    let mut replaced = 0;
    std::thread::scope(|scope| {
        let clients: Vec<_> = [(); CLIENTS]
            .map(|()| scope.spawn(|| crowd.ask_all()))
            .into();
        // Each at least once, and on while there are requests.
        while replaced < nodes.len() || clients.iter().any(|client| !client.is_finished()) {
            let at = replaced % nodes.len();
            nodes[at].signal(Signal::TERM, false);
            assert!(nodes[at].ended_well(), "a server that was told to stop");
            nodes[at].start_again();
            let mut servers = crowd.servers.write().expect("no panic");
            servers[at].clone_from(&nodes[at].address);
            drop(servers);
            replaced += 1;
            std::thread::sleep(SETTLED);
        }
    });
    let failed = crowd.failed.lock().expect("no panic");
    assert!(failed.is_empty(), "{failed:#?}");
    let mut jobs = crowd.jobs.lock().expect("no panic").clone();
    jobs.sort_unstable();
    jobs.dedup();
    let wanted = crowd.count.div_ceil(CREATIONS);
    assert_eq!(jobs.len(), wanted);
    let accepted = place.ask("SELECT COUNT(*) FROM jobs");
    assert_eq!(accepted, i64::try_from(wanted).expect("few"));
    eprintln!(
        "{} requests in {:.1?}, {replaced} servers replaced, {} asked again",
        crowd.count,
        began.elapsed(),
        crowd.retried.load(Ordering::Relaxed),
    );
}
