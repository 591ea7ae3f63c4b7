//! A voice while somebody speaks, over a real WebSocket.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::Request;
use tokio_tungstenite::tungstenite::{Error, Message, WebSocket, client};
use vocalhost_testing::sound::sung;

use super::accounts::call;
use super::harness::{Server, problem, until};

const RATE_HZ: u32 = 16_000;
/// Samples of a piece: 20 ms.
pub(super) const PIECE: usize = 320;

/// A live conversion that was accepted.
pub(super) fn accepted(server: &Server, more: &Value) -> Value {
    let mut body = json!({
        "voiceModelId": server.voice().parse::<i64>().expect("a number"),
        "sampleRate": RATE_HZ,
        "latency": "low",
    });
    for (name, value) in more.as_object().expect("an object") {
        body[name] = value.clone();
    }
    let (status, record) = call(server, Method::POST, "/live-conversions", Some(body));
    assert_eq!(status, 201, "{record:#}");
    record
}

/// The request that opens a stream, with these subprotocols.
pub(super) fn opening(server: &Server, record: &Value, protocols: &str) -> Request<()> {
    let id = &record["id"];
    let url = server.url(&format!("/live-conversions/{id}/stream"));
    let url = url.replacen("http", "ws", 1);
    let mut request = url.into_client_request().expect("an address");
    let protocols = protocols.parse().expect("plain");
    request
        .headers_mut()
        .insert("sec-websocket-protocol", protocols);
    request
}

pub(super) fn with_ticket(record: &Value) -> String {
    let ticket = record["ticket"].as_str().expect("a ticket");
    format!("vocalhost.live.v1, ticket.{ticket}")
}

/// Opens a stream; the status of the answer where it does not open.
pub(super) fn open(server: &Server, request: Request<()>) -> Result<WebSocket<TcpStream>, u16> {
    match client(request, server.connect()) {
        Ok((socket, answer)) => {
            let protocol = &answer.headers()["sec-websocket-protocol"];
            assert_eq!(protocol, "vocalhost.live.v1");
            Ok(socket)
        }
        Err(tokio_tungstenite::tungstenite::HandshakeError::Failure(Error::Http(answer))) => {
            Err(answer.status().as_u16())
        }
        Err(other) => panic!("{other}"),
    }
}

/// A stream that is ready.
pub(super) fn ready(server: &Server, record: &Value) -> WebSocket<TcpStream> {
    let request = opening(server, record, &with_ticket(record));
    let mut socket = open(server, request).expect("it opens");
    let said = said(&mut socket);
    assert_eq!(said["type"], "ready", "{said:#}");
    socket
}

/// The next words of the server.
pub(super) fn said(socket: &mut WebSocket<TcpStream>) -> Value {
    loop {
        match socket.read().expect("the server says something") {
            Message::Text(text) => return serde_json::from_str(&text).expect("it is JSON"),
            Message::Close(frame) => panic!("it closed: {frame:?}"),
            _ => {}
        }
    }
}

/// With what a stream is closed, whatever is said before.
pub(super) fn closed(mut socket: WebSocket<TcpStream>) -> u16 {
    loop {
        match socket.read() {
            Ok(Message::Close(frame)) => return frame.expect("it says why").code.into(),
            Ok(_) => {}
            Err(error) => panic!("it was not closed: {error}"),
        }
    }
}

pub(super) fn piece(seq: u32, samples: &[f32]) -> Message {
    let mut bytes = [seq.to_le_bytes(), (20 * seq).to_le_bytes()].concat();
    let steps = samples.iter().map(|sample| (sample * 32_767.0) as i16);
    bytes.extend(steps.flat_map(i16::to_le_bytes));
    Message::binary(bytes)
}

pub(super) fn tell(socket: &mut WebSocket<TcpStream>, words: &Value) {
    let told = socket.send(Message::text(words.to_string()));
    told.expect("the server listens");
}

fn number(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Samples of 16 bits.
pub(super) fn steps(bytes: &[u8]) -> Vec<f32> {
    let steps = bytes.chunks_exact(2);
    steps
        .map(|two| f32::from(i16::from_le_bytes([two[0], two[1]])))
        .collect()
}

/// What a client has heard.
#[derive(Default)]
pub(super) struct Ear {
    pub(super) samples: Vec<f32>,
    /// The same in pieces, and where each begins.
    pieces: Vec<(usize, Vec<f32>)>,
    words: Vec<Value>,
    /// Where the next sound begins at the earliest.
    pub(super) end: u64,
}

impl Ear {
    /// Takes what has come; with `to_the_end` everything until it is over.
    pub(super) fn listen(&mut self, socket: &mut WebSocket<TcpStream>, to_the_end: bool) {
        loop {
            match socket.read() {
                Ok(Message::Binary(frame)) => self.hear(&frame),
                Ok(Message::Text(text)) => {
                    self.words
                        .push(serde_json::from_str(&text).expect("it is JSON"));
                    if !self.of("ended").is_empty() {
                        return;
                    }
                }
                Err(Error::Io(_)) if !to_the_end => return,
                Ok(_) | Err(Error::Io(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }

    fn hear(&mut self, frame: &[u8]) {
        let first = number(&frame[8..16]);
        assert!(first >= self.end, "{first} comes after {}", self.end);
        let heard = steps(&frame[16..]);
        self.samples.extend(&heard);
        self.pieces.push((first as usize, heard));
        self.end = first + (frame.len() as u64 - 16) / 2;
    }

    pub(super) fn of(&self, kind: &str) -> Vec<&Value> {
        let words = self.words.iter();
        words.filter(|one| one["type"] == kind).collect()
    }

    /// From 0 to 1.
    fn rms(&self) -> f32 {
        let power: f32 = self.samples.iter().map(|sample| sample * sample).sum();
        (power / self.samples.len() as f32).sqrt() / 32_768.0
    }
}

#[test]
fn a_voice_is_heard_while_somebody_speaks() {
    let server = Server::start(&[]);
    let record = accepted(
        &server,
        &json!({ "post": ["vocalhost.limiter"], "record": "both" }),
    );
    let waits = (&record["status"], &record["latencyMs"]["block"]);
    assert_eq!(waits, (&json!("waiting"), &json!(60)));
    let mut socket = ready(&server, &record);
    // Nothing is waited for, so that sound goes out as it does from a microphone.
    let moment = Some(Duration::from_millis(1));
    socket.get_ref().set_read_timeout(moment).expect("a time");
    let voice = sung(3.0, RATE_HZ, 220.0);
    let (began, mut ear) = (Instant::now(), Ear::default());
    for (seq, samples) in (0..).zip(voice.chunks(PIECE)) {
        socket.send(piece(seq, samples)).expect("it is taken");
        if seq == 50 {
            let change = json!({ "type": "params", "id": 7, "pitchShift": 5, "post": ["reverb"] });
            tell(&mut socket, &change);
            tell(
                &mut socket,
                &json!({ "type": "params", "id": 8, "pitchShift": 99 }),
            );
        }
        ear.listen(&mut socket, false);
        let due = Duration::from_millis(20 * u64::from(seq + 1));
        std::thread::sleep(due.saturating_sub(began.elapsed()));
    }
    tell(&mut socket, &json!({ "type": "stop" }));
    ear.listen(&mut socket, true);
    let ended = ear.of("ended")[0]["record"].clone();
    assert_eq!(
        ear.end,
        voice.len() as u64,
        "it ends where the sound ended: {ended:#}"
    );
    let dropped_ms = ended["droppedMs"].as_f64().expect("a number");
    let missing = voice.len() as f64 - ear.samples.len() as f64;
    assert!(
        (missing - dropped_ms * 16.0).abs() < 1.0,
        "{missing} samples, {dropped_ms} ms"
    );
    assert!(ear.rms() > 0.005, "nothing is to be heard: {}", ear.rms());
    assert_eq!(ear.of("applied")[0]["id"], 7);
    let refused = ear.of("refused")[0];
    let refused = (&refused["id"], &refused["errors"][0]["field"]);
    assert_eq!(refused, (&json!(8), &json!("pitchShift")));
    assert!(!ear.of("stats").is_empty());
    let how = (&ended["status"], &ended["endReason"]);
    assert_eq!(how, (&json!("ended"), &json!("stopped")));
    assert!((ended["seconds"].as_f64().expect("a number") - 3.0).abs() < 1e-6);
    assert!(ended["inputLevelRms"].as_f64().expect("it is known") > 0.0);
    assert_eq!(closed(socket), 1000);
    is_noted(&server, &ended);
    is_recorded(&server, &ended, (&voice, &ear));
}

/// Whether both sides of a live conversion were recorded as its client sent and heard them, can be converted again, and go with it.
fn is_recorded(server: &Server, ended: &Value, (voice, ear): (&[f32], &Ear)) {
    let recorded = |link: &Value| {
        let file = server.fetch(link.as_str().expect("it was recorded"));
        steps(&file[44..])
    };
    let sent: Vec<f32> = voice
        .iter()
        .map(|sample| (sample * 32_767.0).trunc())
        .collect();
    assert!(recorded(&ended["inputFileUrl"]) == sent, "it was not so");
    let out = recorded(&ended["outputFileUrl"]);
    assert_eq!(out.len(), voice.len());
    for (first, heard) in &ear.pieces {
        let kept = &out[*first..*first + heard.len()];
        let far = kept
            .iter()
            .zip(heard)
            .map(|(kept, heard)| (kept - heard).abs());
        let far = far.fold(0.0, f32::max);
        assert!(
            far < 0.5,
            "it sounds otherwise by {far} at {first}, {} samples",
            heard.len()
        );
    }
    let path = format!("/live-conversions/{}", ended["id"]);
    let render = |body: Value| call(server, Method::POST, &format!("{path}/render"), Some(body));
    let (status, refusal) = render(json!({ "pitchShift": 99, "clean": ["nonsense"] }));
    assert_eq!(status, 422, "{refusal:#}");
    let (status, job) = render(json!({ "outputFormat": "flac", "metadata": { "take": "third" } }));
    assert_eq!(status, 201, "{job:#}");
    assert_eq!(job["voiceModelId"], ended["voiceModelId"]);
    assert_eq!(
        (&job["pitchShift"], &job["metadata"]["take"]),
        (&json!(5.0), &json!("third"))
    );
    assert_eq!(ended["post"][0]["id"], "vocalhost.reverb", "as it was last");
    let done = server.ended_at(&format!("/voice-conversions/{}", job["id"]));
    assert_eq!(done["status"], "success", "{done:#}");
    let used = done["effects"].as_array().expect("a list");
    assert!(
        used.iter().any(|one| one["id"] == "vocalhost.reverb"),
        "{done:#}"
    );
    assert_eq!(call(server, Method::DELETE, &path, None).0, 204);
    let link = ended["outputFileUrl"].as_str().expect("a link");
    let gone = server
        .anonymous(Method::GET, link)
        .send()
        .expect("it answers");
    assert_eq!(gone.status().as_u16(), 404);
    let left = server.data().join(format!("files/live/{}", ended["id"]));
    let left = std::fs::read_dir(left).map_or(0, Iterator::count);
    assert_eq!(left, 0);
}

/// A record without what its links are signed with, which is by the clock.
fn unsigned(record: &Value) -> Value {
    let mut record = record.clone();
    for field in ["inputFileUrl", "outputFileUrl"] {
        let link = record[field].as_str().expect("it was recorded");
        let (root, rest) = link.split_once("/files/").expect("a link");
        let path = rest.splitn(3, '/').last().expect("it has three parts");
        record[field] = json!([root, path]);
    }
    record
}

/// Whether the server says of a live conversion of three seconds what its client was told.
fn is_noted(server: &Server, ended: &Value) {
    let kept = server.get(&format!("/live-conversions/{}", ended["id"]));
    let listed = &server.get("/live-conversions")["data"][0];
    for record in [&kept, listed] {
        assert_eq!(unsigned(record), unsigned(ended));
    }
    let metrics = server.url("/metrics").replace("/api/v1", "");
    let metrics = server.anonymous(Method::GET, &metrics).send();
    let metrics = metrics.expect("it answers").text().expect("it is text");
    assert!(metrics.contains("vocalhost_live_sessions 0"), "{metrics}");
    let minutes = server.get("/usage")["audio"]["minutes"].as_f64();
    assert!((minutes.expect("a number") - 3.0 / 60.0).abs() < 1e-6);
}

#[test]
fn everything_that_is_wrong_with_a_request_is_said_at_once() {
    let server = Server::start(&["--live-workers", "1"]);
    let body = json!({
        "voiceModelId": 999_999, "pitchShift": 25, "latency": "fast", "sampleRate": 8_000, "sampleFormat": "mp3",
        "maxMinutes": 1.5, "record": "all", "inputLevelRms": "loud", "pre": [{ "effect": "nonsense" }],
    });
    let request = server
        .request(Method::POST, "/live-conversions")
        .json(&body);
    let (status, code, mistakes) = problem(request.send().expect("it answers"));
    assert_eq!((status, code.as_str()), (422, "E_VALIDATION_FAILURE"));
    for wanted in [
        "voiceModelId exists",
        "pitchShift range",
        "latency enum",
        "sampleRate range",
        "sampleFormat enum",
        "maxMinutes number",
        "record enum",
        "inputLevelRms number",
    ] {
        assert!(
            mistakes.iter().any(|one| one == wanted),
            "{wanted}: {mistakes:?}"
        );
    }
    assert_eq!(mistakes.len(), 9, "{mistakes:?}");
    let first = accepted(&server, &json!({}));
    let again = json!({ "voiceModelId": first["voiceModelId"] });
    let (status, refusal) = call(
        &server,
        Method::POST,
        "/live-conversions",
        Some(again.clone()),
    );
    assert_eq!(
        (status, &refusal["code"]),
        (429, &json!("E_QUOTA_EXCEEDED")),
        "{refusal:#}"
    );
    let path = format!("/live-conversions/{}", first["id"]);
    let render = format!("{path}/render");
    let (status, refusal) = call(&server, Method::POST, &render, Some(json!({})));
    assert_eq!(
        (status, &refusal["code"]),
        (409, &json!("E_NOT_RECORDED")),
        "{refusal:#}"
    );
    assert_eq!(call(&server, Method::DELETE, &path, None).0, 204);
    assert_eq!(call(&server, Method::GET, &path, None).0, 404);
    let server = Server::start(&["--live-workers", "0"]);
    let (status, _) = call(&server, Method::POST, "/live-conversions", Some(again));
    assert_eq!(status, 403);
}

#[test]
fn a_stream_opens_once_for_whom_it_is_for_alone() {
    let server = Server::start(&["--max-live-per-user", "0"]);
    let record = accepted(&server, &json!({}));
    let path = format!("/live-conversions/{}/stream", record["id"]);
    let plain = server
        .request(Method::GET, &path)
        .send()
        .expect("it answers");
    assert_eq!(plain.status().as_u16(), 422);
    let refused = |protocols: &str, more: &[(&'static str, &str)]| {
        let mut request = opening(&server, &record, protocols);
        for (name, value) in more {
            let value = value.parse().expect("plain");
            request.headers_mut().insert(*name, value);
        }
        open(&server, request).err()
    };
    let good = with_ticket(&record);
    assert_eq!(refused("vocalhost.live.v1", &[]), Some(401));
    assert_eq!(refused("vocalhost.live.v1, ticket.guess", &[]), Some(401));
    assert_eq!(
        refused(
            good.strip_prefix("vocalhost.live.v1, ").expect("it has it"),
            &[]
        ),
        Some(422)
    );
    assert_eq!(
        refused(&good, &[("origin", "https://elsewhere.example")]),
        Some(403)
    );
    let other = server.key_of("selma", &["--scope", "write"]);
    assert_eq!(
        refused(
            "vocalhost.live.v1",
            &[("authorization", &format!("Bearer {other}"))]
        ),
        Some(403)
    );
    let mut socket = ready(&server, &record);
    // A ticket is good for one stream, also while the only place is taken.
    assert_eq!(refused(&good, &[]), Some(401));
    socket.send(piece(1, &[0.0; PIECE])).expect("it is taken");
    assert_eq!(closed(socket), 4400, "the first piece has the number 0");
    let own = accepted(&server, &json!({}));
    let mut request = opening(&server, &own, "vocalhost.live.v1");
    let me = server.get("/me")["user"]["name"].clone();
    let key = server.key_of(me.as_str().expect("a name"), &["--scope", "write"]);
    let bearer = format!("Bearer {key}").parse().expect("plain");
    request.headers_mut().insert("authorization", bearer);
    let mut socket = open(&server, request).expect("a key opens it as well");
    assert_eq!(said(&mut socket)["type"], "ready");
    tell(&mut socket, &json!({ "type": "ping", "t": 5 }));
    assert_eq!(said(&mut socket), json!({ "type": "pong", "t": 5 }));
    drop(socket);
    until("it is noted", || {
        let record = server.get(&format!("/live-conversions/{}", own["id"]));
        (record["endReason"] == "disconnected").then_some(())
    });
    // A key is told why nothing opens.
    let with_key = |record: &Value, key: &str| {
        let bearer = format!("Bearer {key}").parse().expect("plain");
        let mut request = opening(&server, record, "vocalhost.live.v1");
        request.headers_mut().insert("authorization", bearer);
        open(&server, request).err()
    };
    assert_eq!(with_key(&own, &key), Some(409));
    assert_eq!(with_key(&own, &other), Some(403));
    assert_eq!(with_key(&json!({ "id": 999 }), &key), Some(404));
}
