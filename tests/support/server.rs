use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use reqwest::blocking::{Client, Response, multipart};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::{poll, repository};

/// A real server in a process of its own, killed when the test lets go of it.
pub struct Server {
    process: Child,
    address: String,
    key: String,
    client: Client,
}

impl Server {
    /// Starts a server on an empty data folder; it prints a key.
    pub fn start(data: &Path) -> Self {
        let (mut process, address) = spawn(data);
        let output = process.stdout.take().expect("standard output is piped");
        let line = BufReader::new(output)
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("api key: ").map(str::to_owned));
        let key = line.expect("a first start prints a key");
        Self {
            process,
            address,
            key,
            client: Client::new(),
        }
        .ready()
    }

    /// Starts a server on the data folder that `self` had, after `self` was killed.
    pub fn start_again(mut self, data: &Path) -> Self {
        self.process.wait().expect("the process was killed");
        let (process, address) = spawn(data);
        Self {
            process,
            address,
            key: self.key.clone(),
            client: Client::new(),
        }
        .ready()
    }

    fn ready(self) -> Self {
        poll::until("the server to be ready", || {
            let answer = self
                .client
                .get(format!("http://{}/readyz", self.address))
                .send()
                .ok()?;
            answer.status().is_success().then_some(())
        });
        self
    }

    /// A `GET` of a path under the API root.
    pub fn get(&self, path: &str) -> Value {
        let url = format!("http://{}/api/v1{path}", self.address);
        let answer = self
            .client
            .get(url)
            .bearer_auth(&self.key)
            .send()
            .expect("the server answers");
        assert!(answer.status().is_success(), "{path}: {}", answer.status());
        answer.json().expect("the answer is JSON")
    }

    /// Fetches a signed link, without a key.
    pub fn fetch(&self, url: &str) -> Vec<u8> {
        let answer = self.client.get(url).send().expect("the server answers");
        assert!(answer.status().is_success(), "{url}: {}", answer.status());
        answer.bytes().expect("the body arrives").to_vec()
    }

    /// Posts a conversion of `sound` with the voice of the first model and more text fields.
    pub fn convert(&self, sound: Vec<u8>, fields: &[(&str, &str)]) -> Response {
        let voice = self.get("/voice-models")["data"][0]["id"].to_string();
        let mut form = multipart::Form::new().text("voiceModelId", voice).part(
            "soundFile",
            multipart::Part::bytes(sound).file_name("recording"),
        );
        for (name, value) in fields {
            form = form.text((*name).to_owned(), (*value).to_owned());
        }
        let url = format!("http://{}/api/v1/voice-conversions", self.address);
        let request = self.client.post(url).bearer_auth(&self.key).multipart(form);
        request.send().expect("the server answers")
    }

    /// Posts a conversion that must be accepted and gives its id.
    pub fn accepted(&self, sound: Vec<u8>, fields: &[(&str, &str)]) -> i64 {
        let answer = self.convert(sound, fields);
        let status = answer.status();
        let record: Value = answer.json().expect("the answer is JSON");
        assert_eq!(status, 201, "{record:#}");
        record["id"].as_i64().expect("the record has an id")
    }

    /// The record of a job.
    pub fn job(&self, id: i64) -> Value {
        self.get(&format!("/voice-conversions/{id}"))
    }

    /// The record of a job once it has ended.
    pub fn ended(&self, id: i64) -> Value {
        poll::until("the job to end", || {
            let record = self.job(id);
            (record["status"] != "running").then_some(record)
        })
    }

    /// Waits until the model is at work on a job.
    pub fn until_inference(&self, id: i64) {
        poll::until("the model to be at work", || {
            let record = self.job(id);
            assert_eq!(
                record["status"], "running",
                "the job ended too early: {record:#}"
            );
            (record["stage"] == "inference").then_some(())
        });
    }

    /// The processes that work for this server.
    pub fn workers(&self) -> Vec<Pid> {
        let parent = self.process.id().to_string();
        let entries = fs::read_dir("/proc").expect("there is a /proc");
        entries
            .filter_map(|entry| {
                let folder = entry.ok()?.path();
                let stat = fs::read_to_string(folder.join("stat")).ok()?;
                // The fields after the name, which is in brackets: state, parent.
                let parent_of = stat.rsplit_once(") ")?.1.split(' ').nth(1)?.to_owned();
                let command = fs::read_to_string(folder.join("cmdline")).ok()?;
                let is_worker = command.split('\0').nth(1) == Some("worker");
                let pid = folder.file_name()?.to_str()?.parse().ok()?;
                (is_worker && parent_of == parent)
                    .then(|| Pid::from_raw(pid))
                    .flatten()
            })
            .collect()
    }

    /// Ends the server as a power cut would.
    pub fn kill(&self) {
        kill(Pid::from_child(&self.process));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be dead already, which is what is wanted.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// `kill -9`.
pub fn kill(process: Pid) {
    kill_process(process, Signal::KILL).expect("the process is ours");
}

fn spawn(data: &Path) -> (Child, String) {
    let address = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        listener.local_addr().expect("it is bound").to_string()
    };
    let process = Command::new(env!("CARGO_BIN_EXE_vocalhost"))
        .args(["serve", "--listen", &address])
        .arg("--data-dir")
        .arg(data)
        .arg("--models-dir")
        .arg(repository("models"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("the server starts");
    (process, address)
}
