//! A server among several.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use reqwest::Method;
use reqwest::blocking::multipart::{Form, Part};
use reqwest::blocking::{Client, RequestBuilder, Response};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use vocalhost_testing::poll;
use vocalhost_testing::process::serve;
use vocalhost_testing::server::{bring_compiled, keep_compiled};
use vocalhost_testing::sound;

/// How long one request may take: what fails is to fail within it.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server with a data folder of its own, killed when the value goes.
pub struct Node {
    process: Child,
    /// Address and port.
    pub address: String,
    data: tempfile::TempDir,
    flags: Vec<String>,
    client: Client,
}

impl Node {
    /// Starts it and waits until it is ready.
    pub fn start(flags: Vec<String>) -> Self {
        let data = tempfile::tempdir().expect("a temporary folder");
        bring_compiled(data.path());
        let (process, address) = started(data.path(), &flags);
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder().no_proxy().timeout(PATIENCE).build();
        let node = Self {
            process,
            address,
            data,
            flags,
            client: client.expect("a client can be made"),
        };
        node.until_ready();
        keep_compiled(node.data.path());
        node
    }

    /// Starts it again, which was killed, with what it left.
    pub fn start_again(&mut self) {
        self.process.wait().expect("it was killed");
        (self.process, self.address) = started(self.data.path(), &self.flags);
        self.until_ready();
    }

    /// Waits until it says that it is ready.
    pub fn until_ready(&self) {
        poll::until("the server to be ready", || self.is_ready().then_some(()));
    }

    /// Whether it says that it is ready.
    pub fn is_ready(&self) -> bool {
        let answer = self
            .client
            .get(format!("http://{}/readyz", self.address))
            .send();
        answer.is_ok_and(|answer| answer.status().is_success())
    }

    /// A request for `path` at the server's own root, without a key.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("http://{}{path}", self.address);
        self.client.request(method, url)
    }

    /// Asks for `path` below the API's root.
    pub fn get(&self, path: &str, key: &str) -> reqwest::Result<Response> {
        self.request_with(Method::GET, path, key).send()
    }

    /// The same with `surely`.
    pub fn get_surely(&self, path: &str, key: &str) -> Response {
        surely(|| self.request_with(Method::GET, path, key))
    }

    /// A request for `path` below the API's root.
    pub fn request_with(&self, method: Method, path: &str, key: &str) -> RequestBuilder {
        let request = self.request(method, &format!("/api/v1{path}"));
        request.bearer_auth(key)
    }

    /// Gives in a conversion of `seconds` of sound under an idempotency key; its number, or the status of the refusal.
    pub fn give_in(
        &self,
        seconds: f64,
        key: &str,
        once: &str,
    ) -> reqwest::Result<Result<i64, u16>> {
        let sound = sound::wav_of(1, 16_000, &sound::sung(seconds, 16_000, 220.0));
        let form = Form::new()
            .text("voiceModelId", "1")
            .text("lossy", "on-demand")
            .part("soundFile", Part::bytes(sound).file_name("tone.wav"));
        let request = self
            .request_with(Method::POST, "/voice-conversions", key)
            .header("idempotency-key", once)
            .multipart(form);
        let answer = request.send()?;
        let status = answer.status().as_u16();
        if status != 201 {
            return Ok(Err(status));
        }
        let record: Value = answer.json()?;
        Ok(Ok(record["id"].as_i64().expect("the record has a number")))
    }

    /// Gives it in again and again until it is accepted.
    pub fn give_in_surely(&self, seconds: f64, key: &str, once: &str) -> i64 {
        poll::until("the job to be accepted", || {
            match self.give_in(seconds, key, once) {
                Ok(Ok(id)) => Some(id),
                // The first one may still be at work, or the server cannot now.
                Ok(Err(409 | 500..)) | Err(_) => None,
                Ok(Err(status)) => panic!("a good request was refused with {status}"),
            }
        })
    }

    /// Waits until the job at `path` has ended, well.
    pub fn until_ended(&self, path: &str, key: &str) {
        let record = poll::until("the job to end", || {
            let record: Value = self.get(path, key).ok()?.json().ok()?;
            (record["status"] != "running").then_some(record)
        });
        assert_eq!(record["status"], "success", "{record:#}");
    }

    /// Waits for its end, of which it was told; true when it ended well.
    pub fn ended_well(&mut self) -> bool {
        self.process.wait().expect("it can be waited for").success()
    }

    /// The children that work for it.
    pub fn workers(&self) -> Vec<Pid> {
        let parent = self.process.id().to_string();
        let entries = std::fs::read_dir("/proc")
            .expect("there is a /proc")
            .flatten();
        let worker = |folder: &Path| {
            let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
            // The fields after the name, which is in brackets: state, parent.
            let of = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.to_owned();
            let command = std::fs::read_to_string(folder.join("cmdline")).ok()?;
            let works = of == parent && command.split('\0').nth(1) == Some("worker");
            let id = folder.file_name()?.to_str()?.parse().ok()?;
            works.then(|| Pid::from_raw(id)).flatten()
        };
        entries.filter_map(|entry| worker(&entry.path())).collect()
    }

    /// What it is called among the servers of the database: a word that lies in its data folder.
    pub fn id(&self) -> String {
        let name = std::fs::read_to_string(self.data.path().join("node"));
        name.expect("a server of several has a name")
            .trim()
            .to_owned()
    }

    /// Sends a signal to it, and to its children too where `all` says so.
    pub fn signal(&self, signal: Signal, all: bool) {
        let children = if all { self.workers() } else { Vec::new() };
        for process in [Pid::from_child(&self.process)].into_iter().chain(children) {
            // A child may end with its server before its turn comes.
            let _ = kill_process(process, signal);
        }
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Sends what `request` gives until the server reaches its database: it waits for a connection for less than two seconds, and on a busy
/// machine none may be free by then.
pub fn surely(request: impl Fn() -> RequestBuilder) -> Response {
    poll::until("the server to reach its database", || {
        let answer = request().send().expect("it answers");
        (answer.status() != 503).then_some(answer)
    })
}

fn started(data: &Path, flags: &[String]) -> (Child, String) {
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    serve(data, &flags, Stdio::inherit())
}
