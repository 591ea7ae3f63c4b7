//! `vocalhost effect publish` and `install` over a registry, as a person calls them. The registry is one of a few lines: what it is sent
//! it gives; how others fail, `host/registry/tests` knows.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use reqwest::Method;
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};
use vocalhost_testing::process::program;
use vocalhost_testing::server::{Server, vocalhost};
use vocalhost_testing::stranger::Stranger;

use super::api::webhook_tls::certified;

/// What a record of TLS begins with (RFC 8446, 5.1).
const HANDSHAKE: u8 = 22;

/// Listens on a free port until the test's process ends; gives where. With `tls` it refuses what is not encrypted, in Go's words.
fn registry(tls: Option<Arc<ServerConfig>>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it is bound").to_string();
    std::thread::spawn(move || {
        let mut kept = HashMap::new();
        for stream in listener.incoming().flatten() {
            // Who goes away early gets no answer.
            let _ = match &tls {
                None => answer(stream, &mut kept),
                Some(config) => answer_encrypted(stream, config, &mut kept),
            };
        }
    });
    address
}

fn answer_encrypted(
    mut stream: TcpStream,
    config: &Arc<ServerConfig>,
    kept: &mut HashMap<String, Vec<u8>>,
) -> std::io::Result<()> {
    let mut first = [0];
    stream.peek(&mut first)?;
    if first[0] != HANDSHAKE {
        let refusal =
            "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
        return stream.write_all(refusal.as_bytes());
    }
    let connection = ServerConnection::new(config.clone()).expect("a connection");
    answer(StreamOwned::new(connection, stream), kept)
}

/// Answers one request by the distribution specification.
fn answer<S: Read + Write>(stream: S, kept: &mut HashMap<String, Vec<u8>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let mut words = first.split(' ');
    let (method, path) = (words.next(), words.next().unwrap_or_default());
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let (status, more, body) = match method {
        Some("POST") => ("202 Accepted", format!("location: {path}1\r\n"), Vec::new()),
        Some("PUT") => {
            let digest = query
                .strip_prefix("digest=")
                .map(|name| name.replace("%3A", ":"));
            let path = match (digest, path.split_once("uploads/")) {
                (Some(digest), Some((blobs, _))) => format!("{blobs}{digest}"),
                _ => path.to_owned(),
            };
            // A manifest is known by its digest, too.
            if let Some((manifests, _)) = path.rsplit_once("manifests/") {
                let digest = vocalhost_registry::digest(&body);
                kept.insert(format!("{manifests}manifests/{digest}"), body.clone());
            }
            kept.insert(path, body);
            ("201 Created", String::new(), Vec::new())
        }
        _ => match kept.get(path) {
            Some(found) => ("200 OK", String::new(), found.clone()),
            None => ("404 Not Found", String::new(), Vec::new()),
        },
    };
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\n{more}content-length: {length}\r\nconnection: close\r\n\r\n");
    let mut stream = reader.into_inner();
    stream.write_all(head.as_bytes())?;
    if method != Some("HEAD") {
        stream.write_all(&body)?;
    }
    stream.flush()
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn an_id_belongs_to_the_key_that_signed_what_was_installed_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(&[]);
    let run = |arguments: &[&str]| vocalhost(server.data(), arguments);
    let done = |arguments: &[&str]| {
        let output = run(arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("it prints text")
    };
    let first = Stranger::named("sealing");
    let keys = ["anna.pem", "ben.pem"].map(|name| folder.path().join(name));
    let make = |file: &Path| {
        let output = Command::new(program())
            .args(["effect", "key", "new"])
            .arg(file)
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout)
            .expect("it prints text")
            .trim()
            .to_owned()
    };
    let [anna, ben] = [&keys[0], &keys[1]].map(|file| make(file));
    let name = format!("oci://{}/acme/sealing", registry(None));
    let publish = |effect: &Stranger, key: &[&str]| {
        let file = folder.path().join("effect.wasm");
        std::fs::write(&file, effect.bytes()).expect("it is written");
        let arguments = [&["effect", "publish", text(&file), name.as_str()], key].concat();
        done(&arguments)
    };
    let published = publish(&first, &["--key", text(&keys[0])]);
    let pinned = published
        .trim()
        .strip_prefix("published ")
        .expect("it says so");
    assert!(
        pinned.starts_with(&format!("{name}:1.0.0@sha256:")),
        "{pinned}"
    );
    publish(&first.version("1.1.0"), &["--key", text(&keys[1])]);
    publish(&first.version("1.2.0"), &["--unsigned"]);
    publish(&first.version("1.3.0"), &["--key", text(&keys[0])]);

    let version = |version: &str| format!("{name}:{version}");
    assert_eq!(
        done(&["effect", "install", pinned]).trim(),
        "installed org.example.sealing@1.0.0"
    );
    for (others, why) in [("1.1.0", ben.as_str()), ("1.2.0", "nobody has signed")] {
        let refused = run(&["effect", "install", &version(others)]);
        assert!(!refused.status.success(), "{others}");
        assert!(said(&refused).contains(why), "{}", said(&refused));
    }
    // From a file neither, unless it is said.
    let file = folder.path().join("file.wasm");
    std::fs::write(&file, first.version("1.4.0").bytes()).expect("it is written");
    let refused = run(&["effect", "install", text(&file)]);
    assert!(said(&refused).contains(&anna), "{}", said(&refused));
    done(&["effect", "install", text(&file), "--trust"]);
    done(&["effect", "install", &version("1.3.0")]);
    assert!(done(&["effect", "show", "org.example.sealing"]).contains(&anna));
    done(&["effect", "install", &version("1.1.0"), "--trust"]);
    let listed = done(&["effect", "key", "list"]);
    assert!(listed.contains(&ben) && !listed.contains(&anna), "{listed}");

    // The API holds an id to its key as well, and can be told not to.
    let shown = server.get("/admin/effects/org.example.sealing");
    assert_eq!(shown["publicKey"], ben.as_str());
    let install = |query: &str| {
        let path = format!("/admin/effects{query}");
        let request = server.request(Method::POST, &path);
        let request = request.header("content-type", "application/wasm");
        let answer = request.body(first.version("1.5.0").bytes()).send();
        answer.expect("it answers").status().as_u16()
    };
    let asked = ["", "?trust=perhaps", "?trust=true"].map(install);
    assert_eq!(asked, [409, 422, 201]);
}

#[test]
fn a_registry_on_this_machine_may_speak_tls() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("effect.wasm");
    let effect = Stranger::named("tls-one");
    std::fs::write(&file, effect.bytes()).expect("it is written");
    let (certificate, config) = certified();
    let authorities = folder.path().join("authorities.pem");
    std::fs::write(&authorities, certificate).expect("it is written");
    let address = registry(Some(config));
    let (_, port) = address.split_once(':').expect("it has one");
    let name = format!("oci://localhost:{port}/acme/tls-one");
    let publish = |trusted: &Path| {
        let mut command = Command::new(program());
        command.args(["effect", "publish", text(&file), &name, "--unsigned"]);
        let output = command.env("SSL_CERT_FILE", trusted).output();
        output.expect("the program starts")
    };
    let elsewhere = certified().0;
    let others = folder.path().join("others.pem");
    std::fs::write(&others, elsewhere).expect("it is written");
    let refused = publish(&others);
    assert!(!refused.status.success(), "{refused:?}");
    assert!(said(&refused).contains("certificate"), "{}", said(&refused));
    let published = publish(&authorities);
    assert!(published.status.success(), "{}", said(&published));
}

#[test]
fn a_folder_of_effects_is_listed_on_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let shelf = folder.path().join("shelf");
    std::fs::create_dir(&shelf).expect("it is made");
    let effect = Stranger::named("paged-x");
    std::fs::write(shelf.join("one.wasm"), effect.bytes()).expect("it is written");
    std::fs::write(shelf.join("none.wasm"), "no effect").expect("it is written");
    let output = vocalhost(
        &folder.path().join("data"),
        &["effect", "index", text(&shelf)],
    );
    assert!(output.status.success(), "{output:?}");
    assert!(said(&output).contains("none.wasm"), "{}", said(&output));
    let list = std::fs::read(shelf.join("index.json")).expect("it is there");
    let list: serde_json::Value = serde_json::from_slice(&list).expect("it is JSON");
    assert_eq!(list["effects"].as_array().expect("a list").len(), 1);
    assert_eq!(list["effects"][0]["id"], "org.example.paged-x");
    assert_eq!(list["effects"][0]["bytes"], effect.bytes().len());
    let page = std::fs::read_to_string(shelf.join("index.html")).expect("it is there");
    assert!(
        page.contains("href=\"./one.wasm\">org.example.paged-x 1.0.0<"),
        "{page}"
    );
}
