//! Uploads whose pieces come to different servers.

use std::io::Write as _;
use std::net::TcpStream;
use std::thread;

use reqwest::Method;
use reqwest::blocking::multipart::Form;
use rustix::process::Signal;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use vocalhost_testing::{poll, sound};

use super::checker::all_is_well;
use super::node::{Node, surely};
use super::place::Place;

const PIECE: &str = "application/offset+octet-stream";

/// Announces an upload and gives its path below the API's root.
pub fn announced(node: &Node, key: &str, bytes: usize) -> String {
    let answer = surely(|| {
        let request = node.request_with(Method::POST, "/uploads", key);
        request.header("upload-length", bytes.to_string())
    });
    assert_eq!(answer.status(), 201);
    let location = answer.headers()["location"].to_str().expect("an address");
    let (_, path) = location.split_once("/api/v1").expect("below the root");
    path.to_owned()
}

/// Sends a piece, and gives the status of the answer.
pub fn sent(node: &Node, (path, key): (&str, &str), offset: usize, bytes: &[u8]) -> u16 {
    let answer = surely(|| {
        node.request_with(Method::PATCH, path, key)
            .header("content-type", PIECE)
            .header("upload-offset", offset.to_string())
            .body(bytes.to_vec())
    });
    answer.status().as_u16()
}

/// How much has arrived, as one of the servers says.
pub fn offset(node: &Node, (path, key): (&str, &str)) -> usize {
    let record: Value = node.get_surely(path, key).json().expect("JSON");
    let offset = record["offset"].as_u64().expect("a number");
    usize::try_from(offset).expect("a small one")
}

/// Sends the beginning of a piece that is to end with the upload.
pub fn half_sent(node: &Node, (path, key): (&str, &str), offset: usize, bytes: &[u8]) -> TcpStream {
    let mut line = TcpStream::connect(&node.address).expect("it listens");
    let half = &bytes[..bytes.len() / 2];
    let head = format!(
        "PATCH /api/v1{path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\ncontent-type: {PIECE}\r\n\
         upload-offset: {offset}\r\ncontent-length: {}\r\n\r\n",
        bytes.len()
    );
    line.write_all(&[head.as_bytes(), half].concat())
        .expect("it is sent");
    line
}

#[test]
fn pieces_that_come_to_two_servers_one_of_which_is_killed_become_the_very_recording() {
    let place = Place::new();
    let (first, second) = (place.node(), place.node());
    let key = place.key.as_str();
    let recording = sound::wav_of(1, 16_000, &sound::sung(1.0, 16_000, 220.0));
    let path = announced(&first, key, recording.len());
    let upload = (path.as_str(), key);

    let (begin, rest) = recording.split_at(recording.len() / 2);
    let mut at = 0;
    for (bytes, node) in begin
        .chunks(3_000)
        .zip([&first, &second].into_iter().cycle())
    {
        assert_eq!(sent(node, upload, at, bytes), 204);
        at += bytes.len();
    }
    // Both at the same time: it counts once.
    let (both, rest) = rest.split_at(3_000);
    let mut statuses = thread::scope(|scope| {
        [&first, &second]
            .map(|node| scope.spawn(move || sent(node, upload, at, both)))
            .map(|sending| sending.join().expect("it is sent"))
    });
    statuses.sort_unstable();
    assert!(matches!(statuses, [204, 409 | 423]), "{statuses:?}");
    at += both.len();
    for node in [&first, &second] {
        assert_eq!(offset(node, upload), at);
    }

    // What the one has that is killed, the other knows of.
    let line = half_sent(&first, upload, at, rest);
    let there = at + rest.len() / 2;
    poll::until("half of it to arrive", || {
        (offset(&second, upload) == there).then_some(())
    });
    assert_eq!(sent(&second, upload, there, &recording[there..]), 423);
    first.signal(Signal::KILL, true);
    drop(line);
    poll::until("the other to be let in", || {
        match sent(&second, upload, there, &recording[there..]) {
            204 => Some(()),
            423 => None,
            status => panic!("a good piece was refused with {status}"),
        }
    });

    let accepted = surely(|| {
        let form = Form::new()
            .text("voiceModelId", "1")
            .text("lossy", "on-demand")
            .text("soundFile", path.replace("/uploads/", "upload:"));
        let request = second.request_with(Method::POST, "/voice-conversions", key);
        request.multipart(form)
    });
    assert_eq!(accepted.status(), 201);
    let job: Value = accepted.json().expect("JSON");
    let digest = base16ct::lower::encode_string(&Sha256::digest(&recording));
    assert_eq!(place.texts("SELECT input_sha256 FROM jobs"), [digest]);
    let gone = surely(|| second.request_with(Method::DELETE, &path, key));
    assert_eq!(gone.status(), 204);
    all_is_well(&place, &[job["id"].as_i64().expect("a number")]);
}
