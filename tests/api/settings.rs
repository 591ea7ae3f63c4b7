use std::net::TcpStream;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use vocalhost_testing::process::serve;

use super::harness::{Server, shared, until, vocalhost};

#[test]
fn the_settings_in_force_are_shown_with_their_source() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let output = vocalhost(data.path(), &["config", "--json", "--workers", "3"]);
    let shown: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(shown["workers"]["value"], 3);
    assert_eq!(shown["workers"]["source"], "flag --workers");
    assert_eq!(shown["listen"]["source"], "default");
    let output = vocalhost(data.path(), &["config"]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("listen = \"127.0.0.1:8080\""), "{text}");
}

#[test]
fn failure_has_status_1_and_wrong_usage_status_2() {
    let data = tempfile::tempdir().expect("a temporary folder");
    assert_eq!(
        vocalhost(data.path(), &["config", "--nothing"])
            .status
            .code(),
        Some(2)
    );
    assert_eq!(
        vocalhost(data.path(), &["keys", "revoke", "nothing"])
            .status
            .code(),
        Some(1)
    );
}

#[test]
fn wrong_settings_are_wrong_usage_wherever_they_come_from() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let file = data.path().join("settings.toml");
    std::fs::write(&file, "workers = \"many\"\n").expect("it can be written");
    let file = file.to_str().expect("a plain path");
    for (arguments, variable, wanted) in [
        (vec!["config", "--listen", "nowhere"], None, "`listen`"),
        (vec!["config", "--workers", "many"], None, "flag --workers"),
        (vec!["config", "--log", "nonsense="], None, "`log`"),
        (vec!["serve", "--workers", "1000000"], None, "`workers`"),
        (
            vec!["config"],
            Some(("VOCALHOST_MAX_QUEUE", "x")),
            "VOCALHOST_MAX_QUEUE",
        ),
        (vec!["keys", "list", "--config", file], None, "`workers`"),
        (
            vec!["config", "--config", "/nowhere.toml"],
            None,
            "/nowhere.toml",
        ),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vocalhost"));
        command.args(&arguments).arg("--data-dir").arg(data.path());
        command.envs(variable);
        let output = command.output().expect("the program starts");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(wanted), "{arguments:?}: {message}");
    }
}

#[test]
fn whoever_only_looks_makes_no_data_folder() {
    let parent = tempfile::tempdir().expect("a temporary folder");
    let mistyped = parent.path().join("dada");
    let database = mistyped.join("vocalhost.sqlite");
    let wanted = format!("there is no database at {}", database.display());
    for arguments in [
        &["keys", "list"][..],
        &["keys", "revoke", "1a2b3c4d"],
        &["pipeline", "list", "--json"],
        &["pipeline", "show", "warm"],
        &["pipeline", "save", "warm", "[]", "--user", "anna"],
        &["pipeline", "remove", "warm", "--user", "anna"],
    ] {
        let output = vocalhost(&mistyped, arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(message.contains(&wanted), "{arguments:?}: {message}");
        assert!(!mistyped.exists(), "{arguments:?}");
    }
    for arguments in [&["config"][..], &["effect", "list"], &["models", "list"]] {
        let output = vocalhost(&mistyped, arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        assert!(!mistyped.exists(), "{arguments:?}");
    }
    let key = vocalhost(&mistyped, &["keys", "create", "--user", "anna"]);
    assert!(key.status.success() && database.is_file());
}

#[test]
fn keys_are_made_listed_and_revoked() {
    let server = shared();
    let key = server.key_of(
        "lister",
        &["--label", "for a test", "--expires-in-days", "1"],
    );
    let (id, secret) = key.split_once('.').expect("two parts");
    assert_eq!(id.len(), 8);
    let list = || -> Value {
        let output = vocalhost(server.data(), &["keys", "list", "--json"]);
        serde_json::from_slice(&output.stdout).expect("JSON")
    };
    let find = || {
        let keys = list();
        let keys = keys.as_array().expect("a list").clone();
        keys.into_iter()
            .find(|listed| listed["id"] == id)
            .expect("the key is listed")
    };
    let listed = find();
    assert_eq!(listed["label"], "for a test");
    assert!(listed["expiresAt"].is_string());
    assert!(!list().to_string().contains(secret));
    assert!(
        vocalhost(server.data(), &["keys", "revoke", id])
            .status
            .success()
    );
    assert!(find()["revokedAt"].is_string());
}

#[test]
fn one_data_folder_has_one_server_and_one_address_too() {
    let server = shared();
    let second = vocalhost(server.data(), &["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(second.status.code(), Some(1));
    let message = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(message.contains("another server"), "{message}");
    let other = tempfile::tempdir().expect("a temporary folder");
    let new = other.path().join("new");
    let third = vocalhost(&new, &["serve", "--listen", &server.address]);
    assert_eq!(third.status.code(), Some(1));
    assert!(!new.exists(), "nothing is left behind");
    let message = String::from_utf8_lossy(&third.stderr).into_owned();
    assert!(
        message.contains(&format!("cannot listen on {}", server.address)),
        "{message}"
    );
}

#[test]
fn a_first_start_ends_when_it_is_told_to() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let (process, address) = serve(data.path(), &[], Stdio::inherit());
    // It listens before it compiles the effects, of which none is kept in this folder.
    until("the server to listen", || TcpStream::connect(&address).ok());
    kill_process(Pid::from_child(&process), Signal::TERM).expect("the process is ours");
    let output = process.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.is_empty(), "no key was made: {output:?}");
}

#[test]
fn links_survive_a_restart() {
    let mut server = Server::start(&[]);
    let before = server.get("/voice-models")["data"][0]["demoUrl"].clone();
    let path = before
        .as_str()
        .expect("a link")
        .split_once("/files/")
        .expect("signed")
        .1
        .to_owned();
    let key = std::fs::read(server.data().join("url-signing.key")).expect("the key is kept");
    server.terminate();
    assert!(server.ended_well());
    let signer = vocalhost_http::signing::UrlSigner::open(&server.data().join("url-signing.key"));
    let signer = signer.expect("the key is read again");
    let mut parts = path.splitn(3, '/');
    let expiry = parts
        .next()
        .and_then(|text| text.parse().ok())
        .expect("an expiry");
    let target = parts.nth(1).expect("a target");
    assert_eq!(signer.sign(target, expiry), path);
    assert!(key.len() >= 32);
}

#[test]
fn the_catalogues_are_listed_without_a_server() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models");
    let output = vocalhost(
        data.path(),
        &["models", "list", "--json", "--models-dir", models],
    );
    let listed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(listed["refused"], serde_json::json!([]));
    assert!(
        listed["packages"]
            .as_array()
            .expect("a list")
            .iter()
            .all(|package| package["isUsable"] == true)
    );
    let output = vocalhost(data.path(), &["effects", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(!listed.as_array().expect("a list").is_empty());
}
