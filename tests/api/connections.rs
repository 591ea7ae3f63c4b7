use std::collections::VecDeque;
use std::io::{Read, Write};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use reqwest::Method;
use reqwest::blocking::multipart::Form;

use super::harness::{Server, exchange, shared, tone_part, until};

/// The head of a form that announces `length` bytes.
fn form_head(server: &Server, length: usize) -> String {
    format!(
        "POST /api/v1/voice-conversions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
         Content-Type: multipart/form-data; boundary=frontier\r\nContent-Length: {length}\r\n\r\n",
        server.key
    )
}

const SOUND_HEAD: &str =
    "--frontier\r\nContent-Disposition: form-data; name=\"soundFile\"; filename=\"a.wav\"\r\n\r\n";

#[test]
fn a_file_that_is_too_large_is_refused_before_it_has_arrived() {
    let server = Server::start(&[]);
    let mut stream = server.connect();
    // Announces far more than is ever sent.
    stream
        .write_all(form_head(&server, 300 << 20).as_bytes())
        .expect("the server reads");
    stream
        .write_all(SOUND_HEAD.as_bytes())
        .expect("the server reads");
    let piece = vec![0; 1 << 20];
    for _ in 0..101 {
        stream.write_all(&piece).expect("the server reads");
    }
    let answer = exchange(&mut stream, b"", |text| text.contains("}]}"));
    assert!(answer.starts_with("HTTP/1.1 422 "), "{answer}");
    assert!(
        answer.contains(r#""field":"soundFile","rule":"size""#),
        "{answer}"
    );
    assert_eq!(server.uploads(), 0);
}

#[test]
fn an_upload_that_breaks_off_leaves_nothing_behind() {
    let server = Server::start(&[]);
    let mut stream = server.connect();
    stream
        .write_all(form_head(&server, 1 << 20).as_bytes())
        .expect("the server reads");
    stream
        .write_all(SOUND_HEAD.as_bytes())
        .expect("the server reads");
    stream
        .write_all(&vec![0; 100_000])
        .expect("the server reads");
    until("the upload to begin", || {
        (server.uploads() == 1).then_some(())
    });
    drop(stream);
    until("the upload to be gone", || {
        (server.uploads() == 0).then_some(())
    });
    assert_eq!(server.get("/voice-conversions")["meta"]["total"], 0);
}

#[test]
fn an_endless_header_of_a_part_is_refused() {
    let server = shared();
    let mut stream = server.connect();
    stream
        .write_all(form_head(&server, 10 << 20).as_bytes())
        .expect("the server reads");
    stream
        .write_all(b"--frontier\r\nX-Long: ")
        .expect("the server reads");
    stream
        .write_all(&vec![b'x'; 200 << 10])
        .expect("the server reads");
    let answer = exchange(&mut stream, b"", |text| text.contains("}]}"));
    assert!(answer.starts_with("HTTP/1.1 422 "), "{answer}");
    assert!(
        answer.contains(r#""field":"body","rule":"size""#),
        "{answer}"
    );
}

#[test]
fn a_form_that_is_cut_or_has_too_many_parts_is_refused() {
    let server = shared();
    let cut = format!("{SOUND_HEAD}abc");
    let many = "--frontier\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n\r\n".repeat(513)
        + "--frontier--\r\n";
    for (body, rule) in [
        (cut, "multipart"),
        (many, "count"),
        ("nonsense".to_owned(), "multipart"),
    ] {
        let mut stream = server.connect();
        let request = form_head(&server, body.len()) + &body;
        let answer = exchange(&mut stream, request.as_bytes(), |text| text.contains("}]}"));
        assert!(answer.starts_with("HTTP/1.1 422 "), "{answer}");
        assert!(
            answer.contains(&format!(r#""field":"body","rule":"{rule}""#)),
            "{answer}"
        );
    }
}

#[test]
fn silent_and_dawdling_clients_are_dropped() {
    let server = Server::start(&["--header-timeout-s", "0.2"]);
    for sent in ["", "GET / HTTP/1.1\r\nHost:", "PRI * HTTP/2.0\r\n"] {
        let mut stream = server.connect();
        // Whatever is said, the connection ends without the client doing anything.
        let answer = exchange(&mut stream, sent.as_bytes(), |_| false);
        assert!(!answer.contains(" 200 "), "{sent:?}: {answer}");
    }
    // Whoever is slow with a head is dropped without an answer, which a busy machine may make of anybody: here there is time for it.
    let server = Server::start(&["--header-timeout-s", "60", "--body-idle-timeout-s", "0.2"]);
    let mut stream = server.connect();
    let request = form_head(&server, 1 << 20) + SOUND_HEAD;
    let answer = exchange(&mut stream, request.as_bytes(), |_| false);
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert_eq!(server.uploads(), 0);
}

/// Of HTTP/2 a client says how much of an answer may be sent; this one lets a single byte through.
#[test]
fn a_connection_whose_answers_are_not_taken_ends() {
    let server = Server::start(&["--body-idle-timeout-s", "0.2"]);
    let voices = server.get("/voice-models");
    let demo = voices["data"][0]["demoUrl"].as_str().expect("a demo");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let stream = tokio::net::TcpStream::connect(&server.address);
        let stream = TokioIo::new(stream.await.expect("the server listens"));
        let client = http2::Builder::new(TokioExecutor::new())
            .initial_stream_window_size(1)
            .handshake(stream);
        let (mut sender, connection) = client.await.expect("the server greets");
        let moving = tokio::spawn(connection);
        let request = hyper::Request::get(demo).body(Empty::<Bytes>::new());
        let answer = sender.send_request(request.expect("a request")).await;
        let answer = answer.expect("the server answers");
        assert_eq!(answer.status(), 200);
        let ended = tokio::time::timeout(Duration::from_mins(1), moving).await;
        assert!(ended.is_ok(), "the connection is still there");
        drop(answer);
    });
}

#[test]
fn what_is_done_for_a_client_that_hangs_up_is_noted() {
    let server = Server::start(&[]);
    // Some are closed while later ones are sent, so that they are at every point of their way; on a busy machine that may be before the
    // server has read any, but for the first.
    let mut held = VecDeque::new();
    for number in 0..60 {
        let body = format!("{{\"name\":\"p{number}\",\"chain\":[{{\"effect\":\"reverb\"}}]}}");
        let request = format!(
            "POST /api/v1/pipelines HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            server.key,
            body.len()
        );
        let mut stream = server.connect();
        let written = stream.write_all(request.as_bytes());
        written.expect("the server reads");
        if number == 0 {
            stream.read_exact(&mut [0]).expect("the server answers");
        }
        held.push_back(stream);
        if held.len() > number % 12 {
            held.pop_front();
        }
    }
    drop(held);
    until("all that was made to be noted", || {
        let made = server.get("/pipelines?perPage=100")["meta"]["total"].as_u64()?;
        let noted = server.get("/admin/audit?action=createPipeline&perPage=100");
        let rows = noted["data"].as_array()?.iter();
        let done = rows.filter(|row| row["outcome"] == "ok").count() as u64;
        (made > 0 && made == done).then_some(())
    });
}

#[test]
fn an_address_has_only_so_many_connections() {
    let server = Server::start(&["--max-connections-per-address", "2"]);
    let held = [server.connect(), server.connect()];
    until("the third connection to be refused", || {
        let mut third = server.connect();
        (matches!(third.read(&mut [0]), Ok(0) | Err(_))).then_some(())
    });
    drop(held);
    until("there to be room again", || {
        let url = format!("http://{}/livez", server.address);
        server.anonymous(Method::GET, &url).send().ok().map(|_| ())
    });
}

#[test]
fn requests_in_flight_are_finished_when_the_server_is_told_to_stop() {
    let mut server = Server::start(&[]);
    let mut stream = server.connect();
    let tail = "\r\n--frontier--\r\n";
    let request = form_head(&server, SOUND_HEAD.len() + 3 + tail.len()) + SOUND_HEAD;
    stream
        .write_all(request.as_bytes())
        .expect("the server reads");
    until("the upload to begin", || {
        (server.uploads() == 1).then_some(())
    });
    server.terminate();
    until("the server to take no more connections", || {
        std::net::TcpStream::connect(&server.address)
            .err()
            .map(|_| ())
    });
    let answer = exchange(&mut stream, format!("abc{tail}").as_bytes(), |text| {
        text.contains("}]}")
    });
    assert!(answer.starts_with("HTTP/1.1 422 "), "{answer}");
    assert!(server.ended_well());
}

#[test]
fn several_roots_and_a_public_address_are_served() {
    let server = Server::start(&[
        "--api-roots",
        "/api/v1,/api/kits/v1",
        "--public-url",
        "https://voices.example/",
        "--cors-origins",
        "https://page.example",
    ]);
    let url = format!("http://{}/api/kits/v1/voice-models", server.address);
    let answer = server
        .anonymous(Method::GET, &url)
        .bearer_auth(&server.key)
        .header("origin", "https://page.example")
        .send();
    let answer = answer.expect("the server answers");
    assert_eq!(
        super::harness::header(answer.headers(), "access-control-allow-origin"),
        "https://page.example"
    );
    let link = super::harness::header(answer.headers(), "link");
    assert!(
        link.starts_with("<https://voices.example/api/kits/v1/voice-models?page=1>"),
        "{link}"
    );
    let list: serde_json::Value = answer.json().expect("the answer is JSON");
    let demo = list["data"][0]["demoUrl"].as_str().expect("a link");
    assert!(
        demo.starts_with("https://voices.example/api/v1/files/"),
        "{demo}"
    );
    let preflight = server
        .anonymous(Method::OPTIONS, &url)
        .header("origin", "https://page.example")
        .header("access-control-request-method", "POST")
        .send()
        .expect("the server answers");
    assert!(preflight.status().is_success());
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .part("soundFile", tone_part());
    let answer = server.post(form);
    let location = super::harness::header(answer.headers(), "location");
    assert!(
        location.starts_with("https://voices.example/api/v1/voice-conversions/"),
        "{location}"
    );
}
