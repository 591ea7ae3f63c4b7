//! A server in a process of its own.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use reqwest::Method;
use reqwest::blocking::multipart::{Form, Part};
use reqwest::blocking::{Client, Response};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::client::Request;
use crate::kept;
use crate::poll;
use crate::process::{program, serve};

static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());

/// A real server in a process of its own, killed when the last test lets go of it.
pub struct Server {
    process: Child,
    /// Address and port.
    pub address: String,
    /// The key of the first user.
    pub key: String,
    data: tempfile::TempDir,
    flags: Vec<String>,
    client: Client,
}

/// The server that is shared by tests that leave no traces for others to trip over.
pub fn shared() -> Arc<Server> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(server) = shared.upgrade() {
        return server;
    }
    let server = Arc::new(Server::start(&[]));
    *shared = Arc::downgrade(&server);
    server
}

/// Runs `vocalhost` to its end on the data folder `data`.
pub fn vocalhost(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.args(arguments).arg("--data-dir").arg(data);
    command.output().expect("the program starts")
}

impl Server {
    /// Starts a server on an empty data folder with more flags; it prints a key.
    pub fn start(flags: &[&str]) -> Self {
        Self::start_logging(flags, Stdio::inherit())
    }

    /// The same with its log written to `log`.
    pub fn start_logging(flags: &[&str], log: Stdio) -> Self {
        let data = tempfile::tempdir().expect("a temporary folder");
        bring_compiled(data.path());
        let (mut process, address) = serve(data.path(), flags, log);
        let output = process.stdout.take().expect("standard output is piped");
        let key = BufReader::new(output)
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("api key: ").map(str::to_owned))
            .expect("a first start prints a key");
        // It has compiled its effects by now.
        keep_compiled(data.path());
        Self::of(process, address, key, data, flags)
    }

    /// Starts a server with more flags on a data folder that is there, whose first user has the key `key`.
    pub fn start_on(data: tempfile::TempDir, key: &str, flags: &[&str]) -> Self {
        bring_compiled(data.path());
        let (process, address) = serve(data.path(), flags, Stdio::inherit());
        let server = Self::of(process, address, key.to_owned(), data, flags);
        server.until_ready();
        server
    }

    fn of(
        process: Child,
        address: String,
        key: String,
        data: tempfile::TempDir,
        flags: &[&str],
    ) -> Self {
        // The file store makes every client need a TLS provider; an error means that the same one is installed already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .no_proxy()
            // An import computes for seconds, and for much longer beside other tests.
            .timeout(poll::PATIENCE)
            .build()
            .expect("a client can be made");
        Self {
            process,
            address,
            key,
            data,
            flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
            client,
        }
    }

    /// Starts the server again, on the same data folder and with the same flags, after it was killed.
    pub fn start_again(&mut self) {
        self.start_again_with(&[]);
    }

    /// The same with more flags than before.
    pub fn start_again_with(&mut self, more: &[&str]) {
        self.process.wait().expect("the process was killed");
        self.flags
            .extend(more.iter().map(|flag| (*flag).to_owned()));
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        (self.process, self.address) = serve(self.data.path(), &flags, Stdio::inherit());
        self.until_ready();
    }

    fn until_ready(&self) {
        let ready = format!("http://{}/readyz", self.address);
        poll::until("the server to be ready", || {
            let answer = self.anonymous(Method::GET, &ready).send().ok()?;
            answer.status().is_success().then_some(())
        });
    }

    /// The data folder.
    pub fn data(&self) -> &Path {
        self.data.path()
    }

    /// The address of a path under the API's root.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/api/v1{path}", self.address)
    }

    /// A key of another user.
    pub fn key_of(&self, user: &str, more: &[&str]) -> String {
        let arguments = [&["keys", "create", "--user", user], more].concat();
        let output = vocalhost(self.data(), &arguments);
        assert!(output.status.success(), "{output:?}");
        let key = String::from_utf8(output.stdout).expect("a key is text");
        assert_eq!(
            key.trim().lines().count(),
            1,
            "only the key is printed: {key:?}"
        );
        key.trim().to_owned()
    }

    /// A request with the first user's key.
    pub fn request(&self, method: Method, path: &str) -> Request {
        self.anonymous(method, &self.url(path))
            .bearer_auth(&self.key)
    }

    /// A request without a key.
    pub fn anonymous(&self, method: Method, url: &str) -> Request {
        self.client.request(method, url).into()
    }

    /// A `GET` with the first user's key that must succeed.
    pub fn get(&self, path: &str) -> Value {
        let answer = self
            .request(Method::GET, path)
            .send()
            .expect("the server answers");
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().expect("the answer is JSON")
    }

    /// Fetches a signed link, without a key.
    pub fn fetch(&self, url: &str) -> Vec<u8> {
        let answer = self
            .anonymous(Method::GET, url)
            .send()
            .expect("the server answers");
        assert_eq!(answer.status(), 200, "{url}");
        answer.bytes().expect("the body arrives").to_vec()
    }

    /// The number of the first voice.
    pub fn voice(&self) -> String {
        self.get("/voice-models")["data"][0]["id"].to_string()
    }

    /// Posts a form that asks for a conversion.
    pub fn post(&self, form: Form) -> Response {
        self.post_to("/voice-conversions", form)
    }

    /// Posts a form.
    pub fn post_to(&self, path: &str, form: Form) -> Response {
        let request = self.request(Method::POST, path).multipart(form);
        request.send().expect("the server answers")
    }

    /// Posts a conversion of `sound` that must be accepted, and gives its id.
    pub fn accepted(&self, sound: Vec<u8>) -> i64 {
        let recording = Part::bytes(sound).file_name("recording");
        let form = Form::new()
            .text("voiceModelId", self.voice())
            .part("soundFile", recording);
        let answer = self.post(form);
        let status = answer.status();
        let record: Value = answer.json().expect("the answer is JSON");
        assert_eq!(status, 201, "{record:#}");
        record["id"].as_i64().expect("the record has an id")
    }

    /// The record of a job.
    pub fn job(&self, id: i64) -> Value {
        self.get(&format!("/voice-conversions/{id}"))
    }

    /// The record of a conversion once it has ended.
    pub fn ended(&self, id: i64) -> Value {
        self.ended_at(&format!("/voice-conversions/{id}"))
    }

    /// The record of the job at `path` once it has ended.
    pub fn ended_at(&self, path: &str) -> Value {
        poll::until("the job to end", || {
            let record = self.get(path);
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

    /// Opens a connection of its own, for what a proper client would never send.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("the server listens");
        stream
            .set_read_timeout(Some(poll::PATIENCE))
            .expect("a timeout can be set");
        stream
    }

    /// The files that lie in the folder for uploads.
    pub fn uploads(&self) -> usize {
        fs::read_dir(self.data().join("uploads"))
            .expect("the folder is there")
            .count()
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

    /// The number of the server's process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Tells the server to stop, as `kill` does.
    pub fn terminate(&self) {
        signal(Pid::from_child(&self.process), Signal::TERM);
    }

    /// Ends the server as a power cut would.
    pub fn kill(&self) {
        kill(Pid::from_child(&self.process));
    }

    /// Waits for the server's end; true when it ended well.
    pub fn ended_well(&mut self) -> bool {
        self.process.wait().expect("it can be waited for").success()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// `kill -9`.
pub fn kill(process: Pid) {
    signal(process, Signal::KILL);
}

fn signal(process: Pid, signal: Signal) {
    kill_process(process, signal).expect("the process is ours");
}

/// Gives a data folder the compiled effects of earlier servers.
pub fn bring_compiled(data: &Path) {
    copy_new(&compiled_before(), &data.join("effect-cache"));
}

/// Keeps the compiled effects of a data folder for later servers.
pub fn keep_compiled(data: &Path) {
    copy_new(&data.join("effect-cache"), &compiled_before());
}

/// Where the compiled effects of earlier servers are kept, of earlier runs too: compiling them anew takes ten seconds of
/// processor time a server, and whatever does not fit the program is compiled again.
fn compiled_before() -> PathBuf {
    kept("compiled-effects")
}

/// Copies the files that `to` lacks, each in one step: other tests do the same.
fn copy_new(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the folder can be made");
    let Ok(entries) = fs::read_dir(from) else {
        return;
    };
    for entry in entries {
        let path = entry.expect("it is readable").path();
        let copy = to.join(path.file_name().expect("a file has a name"));
        if path
            .extension()
            .is_some_and(|extension| extension == "effect")
            && !copy.exists()
        {
            let part = tempfile::NamedTempFile::new_in(to).expect("there is room");
            fs::copy(&path, part.path()).expect("there is room");
            part.persist(&copy).expect("the name is free or the same");
        }
    }
}
