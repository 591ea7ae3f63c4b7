//! What may go wrong with a voice while somebody speaks: a worker that is lost or stands still, and clients that come as they may not.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use reqwest::Method;
use rustix::process::Signal;
use serde_json::json;
use sqlx::{ConnectOptions as _, Connection as _};
use tokio_tungstenite::tungstenite::{Message, WebSocket};
use vocalhost_testing::server::kill;

use super::harness::{Server, header, until};
use super::live::{
    Ear, PIECE, accepted, closed, open, opening, piece, ready, said, steps, tell, with_ticket,
};

#[test]
fn a_lost_worker_and_a_deleted_conversion_close_the_stream() {
    let server = Server::start(&[]);
    let before = server.workers();
    let record = accepted(&server, &json!({ "record": "both" }));
    let mut socket = ready(&server, &record);
    socket.send(piece(0, &[0.25; PIECE])).expect("it is taken");
    until("it is heard", || {
        tell(&mut socket, &json!({ "type": "ping", "t": 1 }));
        (said(&mut socket)["type"] == "pong").then_some(())
    });
    let mut own = server.workers();
    own.retain(|process| !before.contains(process));
    for process in own {
        kill(process);
    }
    assert_eq!(closed(socket), 4503);
    let path = format!("/live-conversions/{}", record["id"]);
    let lost = server.get(&path);
    assert_eq!(lost["endReason"], "workerLost");
    // What was recorded until then is there.
    let kept = server.fetch(lost["inputFileUrl"].as_str().expect("it was recorded"));
    assert!(steps(&kept[44..]) == [8_191.0; PIECE], "it was not so");
    let record = accepted(&server, &json!({}));
    let socket = ready(&server, &record);
    let path = format!("/live-conversions/{}", record["id"]);
    let deleted = server
        .request(Method::DELETE, &path)
        .send()
        .expect("it answers");
    assert_eq!(deleted.status().as_u16(), 204);
    assert!(!header(deleted.headers(), "x-request-id").is_empty());
    assert_eq!(closed(socket), 1000);
}

#[test]
fn a_server_that_was_killed_leaves_no_conversion_in_the_way() {
    let mut server = Server::start(&[]);
    let record = accepted(&server, &json!({}));
    let mut socket = ready(&server, &record);
    socket.send(piece(0, &[0.25; PIECE])).expect("it is taken");
    server.kill();
    server.start_again();
    let lost = server.get(&format!("/live-conversions/{}", record["id"]));
    let how = (&lost["status"], &lost["endReason"]);
    assert_eq!(how, (&json!("ended"), &json!("serverStopped")), "{lost:#}");
    // One at a time is what a user may have.
    accepted(&server, &json!({}));
}

#[test]
fn a_microphone_that_is_too_loud_is_told_while_somebody_speaks() {
    let server = Server::start(&[]);
    let record = accepted(&server, &json!({}));
    let mut socket = ready(&server, &record);
    for seq in 0..10 {
        socket.send(piece(seq, &[1.0; PIECE])).expect("it is taken");
    }
    let told = until("it is told", || {
        let one = said(&mut socket);
        (one["type"] == "warning").then_some(one)
    });
    assert_eq!(told["what"], "clipping");
}

/// Sends sound as fast as it sounds, of which `still` is asked before each piece whether there is to be more, and takes what comes.
fn speak(
    socket: &mut WebSocket<TcpStream>,
    ear: &mut Ear,
    seq: &mut u32,
    still: &mut dyn FnMut() -> bool,
) {
    let began = Instant::now();
    let first = *seq;
    while still() {
        socket
            .send(piece(*seq, &[0.25; PIECE]))
            .expect("it is taken");
        *seq += 1;
        ear.listen(socket, false);
        let due = Duration::from_millis(20 * u64::from(*seq - first));
        std::thread::sleep(due.saturating_sub(began.elapsed()));
    }
}

#[test]
fn after_a_stall_sound_is_as_near_as_before_and_what_was_dropped_is_told() {
    let server = Server::start(&[]);
    let before = server.workers();
    let record = accepted(&server, &json!({}));
    let mut socket = ready(&server, &record);
    let moment = Some(Duration::from_millis(1));
    socket.get_ref().set_read_timeout(moment).expect("a time");
    let (mut ear, mut seq) = (Ear::default(), 0);
    let mut pieces = 25;
    let mut some = || {
        pieces -= 1;
        pieces >= 0
    };
    speak(&mut socket, &mut ear, &mut seq, &mut some);
    let mut own = server.workers();
    own.retain(|process| !before.contains(process));
    let signal = |signal| {
        for process in &own {
            let sent = rustix::process::kill_process(*process, signal);
            sent.expect("it is there");
        }
    };
    signal(Signal::STOP);
    let stopped_at = Instant::now();
    let mut stopped = || stopped_at.elapsed() < Duration::from_secs(3);
    speak(&mut socket, &mut ear, &mut seq, &mut stopped);
    signal(Signal::CONT);
    // Somebody who speaks on is heard again with the delay of before: a block and what is heard ahead, 200 ms that may wait, and the time
    // of computing. Without dropping it would be three seconds more for ever.
    let gone_on = Instant::now();
    let near = |ear: &Ear, seq: u32| u64::from(seq) * PIECE as u64 - ear.end < 16_000;
    loop {
        let mut pieces = 5;
        let mut some = || {
            pieces -= 1;
            pieces >= 0
        };
        speak(&mut socket, &mut ear, &mut seq, &mut some);
        if near(&ear, seq) {
            break;
        }
        assert!(
            gone_on.elapsed() < Duration::from_mins(1),
            "it stays behind"
        );
    }
    tell(&mut socket, &json!({ "type": "stop" }));
    ear.listen(&mut socket, true);
    let ended = ear.of("ended")[0]["record"].clone();
    let dropped_ms = ended["droppedMs"].as_f64().expect("a number");
    assert!(dropped_ms > 1_000.0, "{dropped_ms}");
    let told: f64 = ear
        .of("discontinuity")
        .iter()
        .filter_map(|one| one["ms"].as_f64())
        .sum();
    assert!((told - dropped_ms).abs() < 1e-6, "{told} of {dropped_ms}");
    let missing = f64::from(seq) * PIECE as f64 - ear.samples.len() as f64;
    assert!(
        (missing - dropped_ms * 16.0).abs() < 1.0,
        "{missing} samples, {dropped_ms} ms"
    );
}

/// Keeps everybody else from writing into the database until it is dropped.
struct Locked {
    runtime: tokio::runtime::Runtime,
    connection: Option<sqlx::SqliteConnection>,
}

impl Locked {
    fn of(server: &Server) -> Self {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let options = sqlx::sqlite::SqliteConnectOptions::new()
            .filename(server.data().join("vocalhost.sqlite"));
        let connection = runtime.block_on(async {
            let mut connection = options.connect().await.expect("it opens");
            let begun = sqlx::query("BEGIN IMMEDIATE").execute(&mut connection);
            begun.await.expect("nobody writes for longer than it waits");
            connection
        });
        Self {
            runtime,
            connection: Some(connection),
        }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            let _closed = self.runtime.block_on(connection.close());
        }
    }
}

#[test]
fn a_database_that_stands_still_holds_up_no_sound() {
    let server = Server::start(&[]);
    let record = accepted(&server, &json!({}));
    let mut socket = ready(&server, &record);
    let moment = Some(Duration::from_millis(1));
    socket.get_ref().set_read_timeout(moment).expect("a time");
    let (mut ear, mut seq) = (Ear::default(), 0);
    let locked = Locked::of(&server);
    // It is noted every five seconds how a conversion goes.
    let began = Instant::now();
    let some = || began.elapsed() < Duration::from_secs(7);
    let mut silent = Duration::ZERO;
    let mut heard = (Instant::now(), 0);
    while some() {
        let mut pieces = 5;
        let mut few = || {
            pieces -= 1;
            pieces >= 0
        };
        speak(&mut socket, &mut ear, &mut seq, &mut few);
        if ear.end > heard.1 {
            heard = (Instant::now(), ear.end);
        }
        silent = silent.max(heard.0.elapsed());
    }
    assert!(silent < Duration::from_millis(1_500), "{silent:?}");
    drop(locked);
    tell(&mut socket, &json!({ "type": "stop" }));
    ear.listen(&mut socket, true);
    let ended = ear.of("ended")[0]["record"].clone();
    assert_eq!(ended["endReason"], "stopped", "{ended:#}");
}

#[test]
fn whoever_speaks_hears_nothing_of_the_inside() {
    let server = Server::start(&[]);
    let record = accepted(&server, &json!({}));
    // Workers have their folders there.
    let scratch = server.data().join("scratch");
    std::fs::rename(&scratch, server.data().join("elsewhere")).expect("it is there");
    std::fs::write(&scratch, b"no folder").expect("it can be written");
    let request = opening(&server, &record, &with_ticket(&record));
    let mut socket = open(&server, request).expect("it opens");
    let told = said(&mut socket);
    assert_eq!(told["type"], "error", "{told:#}");
    let message = told["message"].as_str().expect("a sentence");
    assert!(
        message.contains("try again later") && !message.contains('/'),
        "{message}"
    );
    assert_eq!(closed(socket), 4503);
}

/// How many files and sockets the server has open.
fn open_files(server: &Server) -> usize {
    let folder = format!("/proc/{}/fd", server.id());
    std::fs::read_dir(folder).expect("it runs").count()
}

#[test]
fn a_thousand_who_come_as_they_may_not_leave_nothing_behind() {
    let server = Server::start(&[
        "--max-live-per-user",
        "0",
        "--rate-limit-auth-failures-per-min",
        "0",
    ]);
    let record = accepted(&server, &json!({}));
    let workers = server.workers();
    let knocks: [(&str, Option<&str>); 4] = [
        ("vocalhost.live.v1, ticket.guess", None),
        ("vocalhost.live.v1", None),
        ("ticket.guess", None),
        (
            "vocalhost.live.v1, ticket.guess",
            Some("https://elsewhere.example"),
        ),
    ];
    let knock = |number: usize| {
        let (protocols, origin) = knocks[number % knocks.len()];
        let mut request = opening(&server, &record, protocols);
        if let Some(origin) = origin {
            let origin = origin.parse().expect("plain");
            request.headers_mut().insert("origin", origin);
        }
        let refused = open(&server, request).expect_err("it does not open");
        assert!([401, 403, 422].contains(&refused), "{refused}");
    };
    (0..8).for_each(knock);
    let before = open_files(&server);
    (0..1_000).for_each(knock);
    until("all connections to be gone", || {
        (open_files(&server) <= before + 2).then_some(())
    });
    assert_eq!(server.workers(), workers, "nobody had a worker");
    // Whoever is let in and says what may not be said has none any longer.
    let wrongs: [Message; 5] = [
        Message::text("{"),
        Message::text(json!({ "type": "nonsense" }).to_string()),
        Message::binary(vec![0; 7]),
        Message::binary(vec![0; 9]),
        Message::binary(vec![0; 65 << 10]),
    ];
    for wrong in wrongs {
        let record = accepted(&server, &json!({}));
        let mut socket = ready(&server, &record);
        let is_huge = wrong.len() > 64 << 10;
        socket.send(wrong).expect("it is taken");
        let told = said(&mut socket);
        assert_eq!(told["type"], "error", "{told:#}");
        let of_size = told["message"]
            .as_str()
            .expect("a sentence")
            .contains("64 KiB");
        assert_eq!(of_size, is_huge, "{told:#}");
        assert_eq!(closed(socket), 4400);
    }
    let flood = accepted(&server, &json!({}));
    let mut socket = ready(&server, &flood);
    for _ in 0..200 {
        let ping = json!({ "type": "ping", "t": 0 }).to_string();
        // It may close before the last.
        if socket.send(Message::text(ping)).is_err() {
            break;
        }
    }
    let ended = until("the flood to be stopped", || {
        let record = server.get(&format!("/live-conversions/{}", flood["id"]));
        (record["status"] == "ended").then_some(record)
    });
    assert_eq!(ended["endReason"], "protocol", "{ended:#}");
    drop(socket);
    until("all workers and connections to be gone", || {
        let left = (server.workers().len(), open_files(&server));
        (left.0 <= workers.len() && left.1 <= before + 4).then_some(())
    });
}
