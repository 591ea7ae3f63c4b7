//! Imports under idempotency keys, and how many of them there may be at a time.

use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;

use reqwest::Method;
use reqwest::blocking::Response;
use reqwest::blocking::multipart::{Form, Part};
use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};

use super::harness::{Server, header, problem, until};
use super::models::{exported, part, read, stored};

fn import(server: &Server, key: Option<&str>, form: Form) -> Response {
    let request = server.request(Method::POST, "/voice-models");
    let request = match key {
        Some(key) => request.header("Idempotency-Key", key),
        None => request,
    };
    request.multipart(form).send().expect("the server answers")
}

/// A request to import a voice whose form has the file, with the end of the body left out.
fn begun(server: &Server, key: &str, (file, end): (&[u8], &str)) -> TcpStream {
    let part = "--b\r\nContent-Disposition: form-data; name=\"modelFile\"; filename=\"a\"\r\n\r\n";
    let bytes = part.len() + file.len() + "\r\n--b--\r\n".len();
    let head = format!(
        "POST /api/v1/voice-models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nIdempotency-Key: {key}\r\n\
         Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {bytes}\r\n\r\n{part}",
        server.key
    );
    let mut stream = server.connect();
    for piece in [head.as_bytes(), file, end.as_bytes()] {
        stream.write_all(piece).expect("the server reads");
    }
    stream
}

/// The database with everybody else kept from writing.
async fn held(data: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(data.join("vocalhost.sqlite"));
    let mut connection = SqliteConnection::connect_with(&options)
        .await
        .expect("it opens");
    let held = sqlx::query("BEGIN IMMEDIATE").execute(&mut connection);
    held.await.expect("it can be held");
    connection
}

#[test]
fn a_client_that_hangs_up_while_its_voice_is_kept_has_it_once() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let amber = exported(folder.path(), "vocalhost.amber-5");
    let bytes = std::fs::read(&amber).expect("an archive");
    let stream = begun(&server, "one", (&bytes, "\r\n--b--\r\n"));
    // From here on the child looks at the voice, which takes far longer than holding the database.
    until("the form to be read", || {
        let imports = std::fs::read_dir(server.data().join("imports"));
        (imports.map_or(0, Iterator::count) > 0).then_some(())
    });
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let holding = runtime.block_on(held(server.data()));
    until("the files of the voice to be published", || {
        (stored(&server) > 0).then_some(())
    });
    drop(stream);
    runtime.block_on(async {
        holding.close().await.expect("it is let go");
    });
    let answer = until("the key to be settled", || {
        let form = Form::new().part("modelFile", part(&amber));
        let answer = import(&server, Some("one"), form);
        (answer.status() != 409).then_some(answer)
    });
    assert_eq!(header(answer.headers(), "idempotency-replayed"), "true");
    let voice = read(answer, 201);
    let mine = server.get("/voice-models?myModels=true");
    assert_eq!(
        (&mine["meta"]["total"], &mine["data"][0]["id"]),
        (&1.into(), &voice["id"])
    );
}

#[test]
fn an_answer_is_given_again_although_no_more_imports_are_let_in() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let amber = exported(folder.path(), "vocalhost.amber-5");
    let form = || Form::new().part("modelFile", part(&amber));
    let first = read(import(&server, Some("one"), form()), 201);
    let mut waiting = Vec::new();
    until("the places to be taken by those who wait", || {
        // One that arrives while the question below has a place is refused, and one that sends nothing is dropped in the
        // end: so another comes each time.
        let key = format!("waiting-{}", waiting.len());
        waiting.push(begun(&server, &key, (b"PK", "")));
        let empty = Form::new().part("imageFile", Part::bytes(b"x".to_vec()).file_name("x"));
        let (status, code, _) = problem(import(&server, None, empty));
        (status == 429).then(|| assert_eq!(code, "E_QUOTA_EXCEEDED"))
    });
    let again = import(&server, Some("one"), form());
    assert_eq!(header(again.headers(), "idempotency-replayed"), "true");
    assert_eq!(read(again, 201)["id"], first["id"]);
}
