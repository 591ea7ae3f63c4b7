//! A receiver of webhooks and of traces.

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use serde_json::Value;

use crate::poll;

/// A request that arrived.
#[derive(Debug, Clone)]
pub struct Arrived {
    /// The request line's path.
    pub path: String,
    /// Headers by name in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Arrived {
    /// A header that must be there.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .unwrap_or_else(|| panic!("{name} is missing: {:?}", self.headers))
    }

    /// The body, which must be JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }
}

/// A real HTTP server on this machine that keeps what it is sent. Its answers are what a test has put in, one for each
/// request, and `200` after the last one.
pub struct Receiver {
    /// Address and port.
    pub address: String,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    arrived: Mutex<Vec<Arrived>>,
    answers: Mutex<VecDeque<String>>,
    ended: AtomicBool,
}

impl Receiver {
    /// Listens on a free port.
    pub fn start(answers: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("it is bound").to_string();
        let shared = Arc::new(Shared {
            answers: Mutex::new(answers.iter().map(|text| (*text).to_owned()).collect()),
            ..Shared::default()
        });
        let thread = {
            let shared = shared.clone();
            std::thread::spawn(move || {
                for stream in listener.incoming() {
                    if shared.ended.load(Ordering::Relaxed) {
                        break;
                    }
                    // A client that hangs up is its own affair.
                    if let Ok(stream) = stream {
                        let _ = serve(stream, &shared);
                    }
                }
            })
        };
        Self {
            address,
            shared,
            thread: Some(thread),
        }
    }

    /// An address on this receiver.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Everything that has arrived.
    pub fn arrived(&self) -> Vec<Arrived> {
        lock(&self.shared.arrived).clone()
    }

    /// Waits until so many requests have arrived.
    pub fn until(&self, count: usize) -> Vec<Arrived> {
        poll::until("requests to arrive", || {
            let arrived = self.arrived();
            (arrived.len() >= count).then_some(arrived)
        })
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        // Wakes the thread up.
        let _ = TcpStream::connect(&self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Reads one request and gives the next answer: a status line and headers, or whole with a body.
fn serve(stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    stream.set_read_timeout(Some(poll::PATIENCE))?;
    let mut reader = BufReader::new(stream);
    let arrived = read_request(&mut reader)?;
    lock(&shared.arrived).push(arrived);
    let answer = lock(&shared.answers).pop_front();
    let answer = answer.unwrap_or_else(|| "HTTP/1.1 200 OK\r\ncontent-length: 0".to_owned());
    let mut stream = reader.into_inner();
    stream.write_all(answer.as_bytes())?;
    if !answer.contains("\r\n\r\n") {
        stream.write_all(b"\r\n\r\n")?;
    }
    stream.flush()
}

/// Reads one HTTP request with a body of known length.
pub fn read_request(reader: &mut impl BufRead) -> std::io::Result<Arrived> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    let length = headers.get("content-length");
    let length = length.and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Arrived {
        path,
        headers,
        body,
    })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
