//! A server that the tests of the API share while they run side by side.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use reqwest::blocking::multipart::{Form, Part};
use reqwest::blocking::{Client, RequestBuilder, Response};
use reqwest::{Method, header::HeaderMap};
use serde_json::Value;

/// How long anything may take before it counts as stuck.
const PATIENCE: Duration = Duration::from_secs(120);

static SHARED: Mutex<Weak<Server>> = Mutex::new(Weak::new());

/// A server in a process of its own, killed when the last test lets go of it.
pub struct Server {
    process: Child,
    /// Address and port.
    pub address: String,
    /// The key of the first user.
    pub key: String,
    data: tempfile::TempDir,
    client: Client,
}

/// The server that tests share which leave no traces that others could trip over.
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
    let mut command = Command::new(env!("CARGO_BIN_EXE_vocalhost"));
    command.args(arguments).arg("--data-dir").arg(data);
    command.output().expect("the program starts")
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../models")
}

impl Server {
    /// Starts a server on an empty data folder with more flags.
    pub fn start(flags: &[&str]) -> Self {
        let data = tempfile::tempdir().expect("a temporary folder");
        let address = {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
            listener.local_addr().expect("it is bound").to_string()
        };
        let mut process = Command::new(env!("CARGO_BIN_EXE_vocalhost"))
            .args([
                "serve",
                "--workers",
                "1",
                "--log",
                "warn",
                "--listen",
                &address,
            ])
            .arg("--data-dir")
            .arg(data.path())
            .arg("--models-dir")
            .arg(models())
            .args(flags)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let output = process.stdout.take().expect("standard output is piped");
        let key = BufReader::new(output)
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("api key: ").map(str::to_owned))
            .expect("a first start prints a key");
        Self {
            process,
            address,
            key,
            data,
            client: Client::builder()
                .no_proxy()
                .build()
                .expect("a client can be made"),
        }
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
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client
            .request(method, self.url(path))
            .bearer_auth(&self.key)
    }

    /// A request without a key.
    pub fn anonymous(&self, method: Method, url: &str) -> RequestBuilder {
        self.client.request(method, url)
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

    /// The number of the first voice.
    pub fn voice(&self) -> String {
        self.get("/voice-models")["data"][0]["id"].to_string()
    }

    /// Posts a form.
    pub fn post(&self, form: Form) -> Response {
        let request = self
            .request(Method::POST, "/voice-conversions")
            .multipart(form);
        request.send().expect("the server answers")
    }

    /// Opens a connection of its own, for what a proper client would never send.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("the server listens");
        stream
            .set_read_timeout(Some(PATIENCE))
            .expect("a timeout can be set");
        stream
    }

    /// The files that lie in the folder for uploads.
    pub fn uploads(&self) -> usize {
        std::fs::read_dir(self.data().join("uploads"))
            .expect("the folder is there")
            .count()
    }

    /// Tells the server to stop, as `kill` does.
    pub fn terminate(&self) {
        let pid = rustix::process::Pid::from_child(&self.process);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it is ours");
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

/// A problem, checked for what every problem has, as status, code and `field rule` of every mistake.
pub fn problem(answer: Response) -> (u16, String, Vec<String>) {
    let status = answer.status().as_u16();
    let id = header(answer.headers(), "x-request-id");
    assert_eq!(
        header(answer.headers(), "content-type"),
        "application/problem+json"
    );
    let body: Value = answer.json().expect("a problem is JSON");
    assert_eq!(body["status"], status);
    assert_eq!(body["requestId"], id);
    for name in ["type", "title", "detail", "instance", "error", "message"] {
        assert!(body[name].is_string(), "{name}: {body:#}");
    }
    let mistakes = body["errors"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|mistake| {
            assert!(
                mistake["message"].is_string() && mistake["args"].is_object(),
                "{mistake:#}"
            );
            let text = |name: &str| mistake[name].as_str().expect("a text").to_owned();
            format!("{} {}", text("field"), text("rule"))
        });
    let code = body["code"].as_str().expect("a code").to_owned();
    (status, code, mistakes.collect())
}

/// A header that must be there.
pub fn header(headers: &HeaderMap, name: &str) -> String {
    let value = headers
        .get(name)
        .unwrap_or_else(|| panic!("{name} is missing: {headers:?}"));
    value.to_str().expect("plain text").to_owned()
}

/// Half a second of a tone, 16 kHz mono.
pub fn tone() -> Vec<u8> {
    let samples = (0..8_000).map(|n| (f64::from(n) * 0.05).sin() * 8_000.0);
    let data: Vec<u8> = samples
        .flat_map(|sample| (sample as i16).to_le_bytes())
        .collect();
    let mut wav = Vec::new();
    wav.extend(b"RIFF");
    wav.extend((36 + data.len() as u32).to_le_bytes());
    wav.extend(b"WAVEfmt ");
    wav.extend(16_u32.to_le_bytes());
    wav.extend([1_u16, 1].map(u16::to_le_bytes).concat());
    wav.extend([16_000_u32, 32_000].map(u32::to_le_bytes).concat());
    wav.extend([2_u16, 16].map(u16::to_le_bytes).concat());
    wav.extend(b"data");
    wav.extend((data.len() as u32).to_le_bytes());
    wav.extend(data);
    wav
}

/// A part with the tone.
pub fn tone_part() -> Part {
    Part::bytes(tone()).file_name("tone.wav")
}

/// Asks again and again until there is an answer.
pub fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(Instant::now() < deadline, "waited too long for {what}");
        std::thread::park_timeout(Duration::from_millis(20));
    }
}

/// Sends `bytes` and reads until the server closes or `enough` says so.
pub fn exchange(stream: &mut TcpStream, bytes: &[u8], enough: impl Fn(&str) -> bool) -> String {
    // The server may answer and close before it has read everything.
    let _ = stream.write_all(bytes);
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    while !enough(&String::from_utf8_lossy(&answer)) {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(length) => answer.extend(&piece[..length]),
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}
