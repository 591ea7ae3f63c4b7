//! Webhooks to receivers behind TLS.

use std::io::{BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;

use reqwest::Method;
use serde_json::{Value, json};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};
use vocalhost_testing::receiver::{Arrived, read_request};

use super::harness::{Server, until};

/// A certificate for `localhost` that signs itself, in PEM, and a server that shows it.
pub fn certified() -> (String, Arc<ServerConfig>) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]);
    let made = made.expect("a certificate can be made");
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the usual versions")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], PrivateKeyDer::from(key))
        .expect("the key belongs to the certificate");
    (made.cert.pem(), Arc::new(config))
}

/// Takes one request; `None` when the client does not like the certificate.
fn take(listener: &TcpListener, config: &Arc<ServerConfig>) -> Option<Arrived> {
    let (stream, _) = listener.accept().expect("the delivery comes");
    let connection = ServerConnection::new(config.clone()).expect("a connection");
    let mut reader = BufReader::new(StreamOwned::new(connection, stream));
    let arrived = read_request(&mut reader).ok()?;
    let stream = reader.get_mut();
    let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    stream.write_all(answer).expect("it listens");
    Some(arrived)
}

fn test_of(server: &Server, url: &str) -> String {
    let request = server
        .request(Method::POST, "/webhooks")
        .json(&json!({ "url": url }));
    let hook: Value = request.send().expect("an answer").json().expect("JSON");
    let path = format!("/webhooks/{}", hook["id"]);
    let answer = server.request(Method::POST, &format!("{path}/test")).send();
    assert_eq!(answer.expect("an answer").status(), 202);
    path
}

fn ended(server: &Server, path: &str) -> Value {
    until("the delivery to end", || {
        let first = server.get(&format!("{path}/deliveries"))["data"][0].clone();
        (first["state"] != "pending").then_some(first)
    })
}

#[test]
fn the_receiver_must_show_a_certificate_for_its_name() {
    let (certificate, config) = certified();
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), certificate).expect("it can be written");
    let file = file.path().to_str().expect("a plain path");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = listener.local_addr().expect("it is bound").port();
    let private = ["--webhook-allow-private", "localhost,127.0.0.1"];
    let server = Server::start(&[&private[..], &["--webhook-ca-file", file]].concat());

    let named = test_of(&server, &format!("https://localhost:{port}/hook"));
    let arrived = take(&listener, &config).expect("the certificate is good");
    assert_eq!(arrived.path, "/hook");
    assert_eq!(arrived.header("host"), format!("localhost:{port}"));
    assert_eq!(ended(&server, &named)["state"], "delivered");

    // The same receiver under another name.
    let numbered = test_of(&server, &format!("https://127.0.0.1:{port}/hook"));
    assert!(take(&listener, &config).is_none());
    let failed = ended(&server, &numbered);
    assert_eq!(failed["state"], "failed");
    let error = failed["attempts"][0]["error"].as_str().expect("a reason");
    assert!(
        error.starts_with("cannot encrypt the connection"),
        "{error}"
    );

    // Nobody vouches for it.
    let strict = Server::start(&private);
    let path = test_of(&strict, &format!("https://localhost:{port}/hook"));
    assert!(take(&listener, &config).is_none());
    assert_eq!(ended(&strict, &path)["state"], "failed");
}
