//! What the tests of the API share beside the server itself.

use std::io::{Read, Write};
use std::net::TcpStream;

use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::blocking::multipart::{Form, Part};
use reqwest::header::HeaderMap;
use serde_json::Value;

pub use vocalhost_testing::poll::until;
pub use vocalhost_testing::server::{Server, shared, vocalhost};
use vocalhost_testing::{repository, sound};

/// Half a second of a sung tone, 16 kHz mono.
pub fn tone() -> Vec<u8> {
    sound::wav_of(1, 16_000, &sound::sung(0.5, 16_000, 220.0))
}

/// Half a second of a recording as a browser makes it: webm of unknown length with Opus, stereo.
pub fn webm() -> Vec<u8> {
    let path = repository("tests/fixtures/audio/chirp_opus_live.webm");
    std::fs::read(path).expect("the fixture")
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

/// A part with the tone.
pub fn tone_part() -> Part {
    Part::bytes(tone()).file_name("tone.wav")
}

/// Long enough to keep a worker busy while something else is looked at.
pub fn long_recording() -> Vec<u8> {
    sound::wav_of(1, 16_000, &sound::sung(150.0, 16_000, 220.0))
}

/// A `POST` without a body.
pub fn act(server: &Server, path: &str) -> Response {
    let request = server.request(Method::POST, path);
    request.send().expect("the server answers")
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

/// What a form that makes a job is answered.
pub fn posted(server: &Server, collection: &str, form: Form) -> Value {
    let answer = server.post_to(collection, form);
    answer.json().expect("the answer is JSON")
}

/// The record of a job that was posted and succeeded.
pub fn done(server: &Server, collection: &str, form: Form) -> Value {
    let record = posted(server, collection, form);
    let record = server.ended_at(&format!("{collection}/{}", record["id"]));
    assert_eq!(record["status"], "success", "{record:#}");
    record
}

/// The samples of a WAV file of 24 bits, full scale being 1, interleaved.
pub fn samples(file: &[u8]) -> Vec<f32> {
    assert_eq!((&file[36..40], file[34]), (&b"data"[..], 24));
    let samples = file[44..].chunks_exact(3);
    let steps = samples.map(|bytes| i32::from_le_bytes([0, bytes[0], bytes[1], bytes[2]]) >> 8);
    steps.map(|step| step as f32 / 8_388_608.0).collect()
}
