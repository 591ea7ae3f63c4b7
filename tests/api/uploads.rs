use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::blocking::multipart::{Form, Part};
use sha2::{Digest as _, Sha256};
use vocalhost_testing::client::Request;

use super::harness::{Server, header, problem, shared, tone, until};

const PIECE: &str = "application/offset+octet-stream";
/// What a server sends that wants the body.
const ASKED: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// Announces an upload and gives its path under the API's root.
fn announce(server: &Server, bytes: usize) -> String {
    let request = server.request(Method::POST, "/uploads");
    let answer = request.header("upload-length", bytes.to_string()).send();
    let answer = answer.expect("the server answers");
    assert_eq!(answer.status(), 201);
    path_of(server, &answer)
}

fn path_of(server: &Server, answer: &Response) -> String {
    let location = header(answer.headers(), "location");
    let path = location.strip_prefix(&server.url(""));
    path.expect("it lies under the root").to_owned()
}

fn piece(server: &Server, path: &str, offset: usize, bytes: &[u8]) -> Request {
    server
        .request(Method::PATCH, path)
        .header("tus-resumable", "1.0.0")
        .header("content-type", PIECE)
        .header("upload-offset", offset.to_string())
        .body(bytes.to_vec())
}

fn send(server: &Server, path: &str, offset: usize, bytes: &[u8]) -> Response {
    let answer = piece(server, path, offset, bytes).send();
    answer.expect("the server answers")
}

/// The offset as the protocol asks for it.
fn offset(server: &Server, path: &str) -> String {
    let answer = server.request(Method::HEAD, path).send();
    let answer = answer.expect("the server answers");
    assert_eq!(answer.status(), 200);
    assert_eq!(header(answer.headers(), "cache-control"), "no-store");
    header(answer.headers(), "upload-offset")
}

fn name_of(path: &str) -> String {
    path.replace("/uploads/", "upload:")
}

#[test]
fn a_recording_arrives_in_pieces_across_a_restart_and_becomes_a_job() {
    let mut server = Server::start(&[]);
    let sound = tone();
    let path = announce(&server, sound.len());
    let (first, rest) = sound.split_at(1_000);
    let answer = send(&server, &path, 0, first);
    assert_eq!(answer.status(), 204);
    assert_eq!(header(answer.headers(), "upload-offset"), "1000");
    let form = || {
        let voice = server.voice();
        let named = Form::new().text("voiceModelId", voice);
        named.text("soundFile", name_of(&path))
    };
    let early = problem(server.post(form()));
    assert_eq!(
        (early.0, early.2),
        (422, vec!["soundFile complete".to_owned()])
    );

    server.kill();
    server.start_again();
    assert_eq!(offset(&server, &path), "1000");
    assert_eq!(send(&server, &path, 1_000, rest).status(), 204);
    assert_eq!(offset(&server, &path), sound.len().to_string());
    let form = || {
        let voice = server.voice();
        let named = Form::new().text("voiceModelId", voice);
        named.text("soundFile", name_of(&path))
    };
    let job: serde_json::Value = server.post(form()).json().expect("JSON");
    let record = server.ended(job["id"].as_i64().expect("an id"));
    assert_eq!(record["status"], "success", "{record:#}");

    let form = Form::new().part("inputFile", Part::text(name_of(&path)).file_name("a.wav"));
    assert_eq!(server.post_to("/vocal-separations", form).status(), 200);
    assert_eq!(server.uploads(), 0);
    let gone = server.request(Method::DELETE, &path).send();
    assert_eq!(gone.expect("the server answers").status(), 204);
    let form = Form::new().text("inputFile", name_of(&path));
    let (_, _, mistakes) = problem(server.post_to("/vocal-separations", form));
    assert_eq!(mistakes, ["inputFile exists"]);
}

#[test]
fn a_request_that_is_sent_again_when_its_upload_is_gone_gets_the_first_answer() {
    let server = shared();
    let sound = tone();
    let path = announce(&server, sound.len());
    assert_eq!(send(&server, &path, 0, &sound).status(), 204);
    let post = || {
        let form = Form::new().text("inputFile", name_of(&path));
        let request = server.request(Method::POST, "/vocal-separations");
        let request = request.header("idempotency-key", &path).multipart(form);
        request.send().expect("the server answers")
    };
    let first: serde_json::Value = post().json().expect("JSON");
    let gone = server.request(Method::DELETE, &path).send();
    assert_eq!(gone.expect("the server answers").status(), 204);
    let again = post();
    assert_eq!(header(again.headers(), "idempotency-replayed"), "true");
    assert_eq!(again.status(), 200);
    let again: serde_json::Value = again.json().expect("JSON");
    assert_eq!(again["id"], first["id"]);
}

#[test]
fn the_first_piece_may_come_with_the_announcement() {
    let server = shared();
    let answer = server
        .request(Method::POST, "/uploads")
        .header("upload-length", "6")
        .header("upload-metadata", "filename YS53YXY=")
        .header("content-type", PIECE)
        .body("abc")
        .send()
        .expect("the server answers");
    assert_eq!(answer.status(), 201);
    assert_eq!(header(answer.headers(), "upload-offset"), "3");
    assert!(header(answer.headers(), "upload-expires").ends_with("GMT"));
    let record = server.get(&path_of(&server, &answer));
    assert_eq!(record["offset"], 3);
    assert_eq!(record["isComplete"], false);
}

#[test]
fn a_piece_at_the_wrong_place_too_long_or_damaged_changes_nothing() {
    let server = shared();
    let path = announce(&server, 6);
    assert_eq!(send(&server, &path, 0, b"abc").status(), 204);
    let refusal = |answer: Response| {
        let (status, code, _) = problem(answer);
        (status, code)
    };
    let wrong = refusal(send(&server, &path, 0, b"abc"));
    assert_eq!(wrong, (409, "E_UPLOAD_OFFSET".to_owned()));
    let (status, _, mistakes) = problem(send(&server, &path, 3, b"defg"));
    assert_eq!((status, mistakes), (422, vec!["body size".to_owned()]));
    let sum = |bytes: &[u8]| format!("sha256 {}", STANDARD.encode(Sha256::digest(bytes)));
    let damaged = piece(&server, &path, 3, b"def").header("upload-checksum", sum(b"xyz"));
    let damaged = refusal(damaged.send().expect("the server answers"));
    assert_eq!(damaged, (460, "E_UPLOAD_CHECKSUM".to_owned()));
    assert_eq!(offset(&server, &path), "3");
    let whole = piece(&server, &path, 3, b"def").header("upload-checksum", sum(b"def"));
    assert_eq!(whole.send().expect("the server answers").status(), 204);
    assert_eq!(offset(&server, &path), "6");
}

#[test]
fn a_client_that_can_only_post_says_what_it_means() {
    let server = shared();
    let path = announce(&server, 3);
    let meaning = |method: &str| {
        let request = server.request(Method::POST, &path);
        request.header("x-http-method-override", method.to_owned())
    };
    let sent = meaning("PATCH")
        .header("upload-offset", "0")
        .header("content-type", "application/offset+octet-stream")
        .body("abc");
    assert_eq!(sent.send().expect("the server answers").status(), 204);
    assert_eq!(offset(&server, &path), "3");
    let deleted = meaning("DELETE").send().expect("the server answers");
    assert_eq!(deleted.status(), 204);
    // Nowhere else does it mean anything.
    let list = server.request(Method::POST, "/voice-models");
    let list = list.header("x-http-method-override", "DELETE").send();
    assert_ne!(list.expect("the server answers").status(), 405);
}

#[test]
fn what_the_protocol_does_not_allow_is_refused_with_its_reason() {
    let server = shared();
    let path = announce(&server, 6);
    let post = |length: Option<&str>| {
        let request = server.request(Method::POST, "/uploads");
        let request = match length {
            Some(length) => request.header("upload-length", length),
            None => request,
        };
        problem(request.send().expect("the server answers")).2
    };
    assert_eq!(post(None), ["Upload-Length required"]);
    assert_eq!(post(Some("many")), ["Upload-Length number"]);
    let too_large = server.request(Method::POST, "/uploads");
    let too_large = too_large.header("upload-length", "1073741825").send();
    let (status, code, _) = problem(too_large.expect("the server answers"));
    assert_eq!((status, code.as_str()), (413, "E_UPLOAD_TOO_LARGE"));
    let status = |request: Request| problem(request.send().expect("the server answers")).0;
    let other_version = server.request(Method::PATCH, &path);
    assert_eq!(status(other_version.header("tus-resumable", "0.2.2")), 412);
    let other_type = server.request(Method::PATCH, &path).body("abc");
    assert_eq!(status(other_type), 415);
    let strange = piece(&server, &path, 0, b"abc").header("upload-checksum", "md5 AAAA");
    assert_eq!(status(strange), 400);
    let url = server.url(&path);
    let stranger = server.key_of("stranger-to-uploads", &[]);
    for method in [Method::GET, Method::DELETE] {
        let theirs = server.anonymous(method.clone(), &url);
        assert_eq!(status(theirs.bearer_auth(&stranger)), 403, "{method}");
    }
    let theirs = server.anonymous(Method::POST, &server.url("/vocal-separations"));
    let form = Form::new().text("inputFile", name_of(&path));
    let theirs = theirs.bearer_auth(&stranger).multipart(form).send();
    let (_, _, mistakes) = problem(theirs.expect("the server answers"));
    assert_eq!(mistakes, ["inputFile exists"]);
    assert_eq!(status(server.request(Method::GET, "/uploads/nothing")), 404);
}

#[test]
fn options_say_what_of_the_protocol_is_spoken() {
    let server = shared();
    let answer = server
        .anonymous(Method::OPTIONS, &server.url("/uploads"))
        .send();
    let answer = answer.expect("the server answers");
    assert_eq!(answer.status(), 204);
    let said = |name: &str| header(answer.headers(), name);
    assert_eq!(said("tus-version"), "1.0.0");
    assert_eq!(
        said("tus-extension"),
        "creation,creation-with-upload,termination,checksum,expiration"
    );
    assert_eq!(said("tus-checksum-algorithm"), "sha1,sha256");
    assert_eq!(said("tus-max-size"), "1073741824");
}

#[test]
fn one_piece_arrives_at_a_time_and_what_arrived_before_the_line_broke_is_kept() {
    let server = shared();
    let path = announce(&server, 6);
    let line = half_sent(&server, &path, "");
    until("the first bytes to arrive", || {
        (offset(&server, &path) == "3").then_some(())
    });
    let (status, code, _) = problem(send(&server, &path, 3, b"def"));
    assert_eq!((status, code.as_str()), (423, "E_UPLOAD_LOCKED"));
    drop(line);
    until("the rest to be taken", || {
        (send(&server, &path, 3, b"def").status() == 204).then_some(())
    });
    assert_eq!(offset(&server, &path), "6");
}

/// Sends three of the six bytes of a piece, once the server has asked for them: nobody else writes to the upload from then on.
fn half_sent(server: &Server, path: &str, header: &str) -> TcpStream {
    broken_off(
        server,
        path,
        (&format!("content-length: 6\r\n{header}"), b"abc"),
    )
}

/// Sends the beginning of a body, likewise.
fn broken_off(server: &Server, path: &str, (headers, sent): (&str, &[u8])) -> TcpStream {
    let mut line = server.connect();
    let head = format!(
        "PATCH /api/v1{path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-type: {PIECE}\r\n\
         upload-offset: 0\r\nexpect: 100-continue\r\n{headers}\r\n",
        server.key
    );
    line.write_all(head.as_bytes()).expect("it is sent");
    let mut asked = [0; ASKED.len()];
    line.read_exact(&mut asked).expect("the server answers");
    assert_eq!(&asked, ASKED);
    line.write_all(sent).expect("it is sent");
    line
}

/// The files that the store has of an upload.
fn files_of(server: &Server, path: &str) -> Vec<PathBuf> {
    let folder = server.data().join("files").join(&path[1..]);
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries
        .map(|entry| entry.expect("it can be listed").path())
        .collect()
}

#[test]
fn what_has_arrived_of_a_long_piece_outlives_a_server_that_is_killed() {
    let mut server = Server::start(&[]);
    let bytes: Vec<u8> = (0..12 << 20_u32).map(|at| (at % 251) as u8).collect();
    let path = announce(&server, bytes.len());
    let head = format!("content-length: {}\r\n", bytes.len());
    let (sent, _) = bytes.split_at(9 << 20);
    let _line = broken_off(&server, &path, (&head, sent));
    until("what was sent to arrive", || {
        (offset(&server, &path) == sent.len().to_string()).then_some(())
    });
    server.kill();
    server.start_again();
    assert_eq!(offset(&server, &path), sent.len().to_string());
    // As soon as the server has looked at what it left, nobody else has it any more.
    until("the rest to be taken", || {
        let rest = send(&server, &path, sent.len(), &bytes[sent.len()..]);
        (rest.status() == 204).then_some(())
    });
    assert_eq!(files_of(&server, &path).len(), 3);
    let form = Form::new().text("inputFile", name_of(&path));
    let (_, _, mistakes) = problem(server.post_to("/vocal-separations", form));
    assert_eq!(mistakes, ["inputFile format"], "it is no sound");
    let gone = server.request(Method::DELETE, &path).send();
    assert_eq!(gone.expect("the server answers").status(), 204);
    assert!(files_of(&server, &path).is_empty());
}

#[test]
fn many_small_pieces_become_few_files_and_then_the_very_recording() {
    let server = shared();
    let sound = tone();
    let path = announce(&server, sound.len());
    for (number, bytes) in sound.chunks(1_000).enumerate() {
        let sent = send(&server, &path, 1_000 * number, bytes);
        assert_eq!(sent.status(), 204);
    }
    let files = files_of(&server, &path);
    let [file] = files.as_slice() else {
        panic!("{files:?}");
    };
    assert!(std::fs::read(file).expect("it is there") == sound);
    let form = Form::new()
        .text("voiceModelId", server.voice())
        .text("soundFile", name_of(&path));
    let job: serde_json::Value = server.post(form).json().expect("JSON");
    let record = server.ended(job["id"].as_i64().expect("an id"));
    assert_eq!(record["status"], "success", "{record:#}");
}

#[test]
fn of_a_piece_that_does_not_say_how_long_it_is_all_counts_in_the_end_unless_it_is_too_long() {
    let server = shared();
    let path = announce(&server, 6);
    let chunked = "transfer-encoding: chunked\r\n";
    let mut line = broken_off(&server, &path, (chunked, b"7\r\nabcdefg\r\n0\r\n\r\n"));
    let mut answer = [0; 12];
    line.read_exact(&mut answer).expect("the server answers");
    assert_eq!(&answer, b"HTTP/1.1 422");
    assert_eq!(offset(&server, &path), "0");
    drop(broken_off(&server, &path, (chunked, b"3\r\nabc\r\n")));
    until("what came to arrive", || {
        (offset(&server, &path) == "3").then_some(())
    });
    assert_eq!(send(&server, &path, 3, b"def").status(), 204);
}

#[test]
fn an_upload_that_was_begun_by_an_earlier_release_goes_on() {
    let mut server = Server::start(&[]);
    let sound = tone();
    let path = announce(&server, sound.len());
    server.kill();
    let folder = server.data().join("resumable");
    std::fs::create_dir(&folder).expect("it is not there any more");
    let earlier = folder.join(&path["/uploads/".len()..]);
    std::fs::write(&earlier, &sound[..1_000]).expect("it can be written");
    server.start_again();
    assert_eq!(offset(&server, &path), "1000");
    assert!(!earlier.exists());
    assert_eq!(send(&server, &path, 1_000, &sound[1_000..]).status(), 204);
    let form = Form::new().text("inputFile", name_of(&path));
    assert_eq!(server.post_to("/vocal-separations", form).status(), 200);
}

#[test]
fn nothing_of_a_piece_with_a_checksum_has_arrived_before_all_of_it_has() {
    let server = shared();
    let path = announce(&server, 6);
    let sum = STANDARD.encode(Sha256::digest(b"abcdef"));
    let line = half_sent(
        &server,
        &path,
        &format!("upload-checksum: sha256 {sum}\r\n"),
    );
    let (status, code, _) = problem(send(&server, &path, 0, b""));
    assert_eq!((status, code.as_str()), (423, "E_UPLOAD_LOCKED"));
    assert_eq!(offset(&server, &path), "0");
    drop(line);
    until("the line to be given up", || {
        (send(&server, &path, 0, b"").status() == 204).then_some(())
    });
    assert_eq!(offset(&server, &path), "0");
}

#[test]
fn an_upload_is_gone_when_its_time_is_over() {
    let server = Server::start(&["--upload-retention-s", "1"]);
    let path = announce(&server, 6);
    until("the upload to expire", || {
        let answer = server.request(Method::GET, &path).send();
        (answer.expect("the server answers").status() == 404).then_some(())
    });
}

#[test]
fn the_beginning_and_the_end_of_an_upload_are_noted_and_no_piece() {
    let server = Server::start(&[]);
    let path = announce(&server, 4);
    for (offset, bytes) in [(0, b"RI"), (2, b"FF")] {
        assert_eq!(send(&server, &path, offset, bytes).status(), 204);
    }
    // Neither is one that was refused.
    assert_eq!(send(&server, &path, 0, b"RI").status(), 409);
    let request = server.request(Method::DELETE, &path);
    let answer = request.header("tus-resumable", "1.0.0").send();
    assert_eq!(answer.expect("the server answers").status(), 204);
    let log = server.get("/admin/audit?perPage=100");
    let lines = log["data"].as_array().expect("a list").iter();
    let actions: Vec<_> = lines.filter_map(|line| line["action"].as_str()).collect();
    assert!(
        actions.ends_with(&["createUpload", "deleteUpload"]),
        "{actions:?}"
    );
    assert!(!actions.contains(&"continueUpload"), "{actions:?}");
}
