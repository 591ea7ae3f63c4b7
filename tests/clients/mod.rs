//! Clients that others wrote, clients that others' programs make of the API's description, and our own libraries, against a real
//! server. They run in Python and in Node, from folders of their own that `cargo xtask test` fills.

mod documented;
mod fuzz;
mod generated;
mod libraries;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use vocalhost_testing::repository;
use vocalhost_testing::server::{Server, shared};
use vocalhost_testing::sound;

/// Python with the clients at hand, and with what lies in the folders `more`. Whatever proxy fetches packages on this
/// machine does not reach a server on its loopback address.
fn python(more: &[&Path]) -> Command {
    let clients = clients();
    let path = std::env::join_paths(more.iter().copied().chain([clients.as_path()]));
    let mut command = Command::new("python3");
    command.env(
        "PYTHONPATH",
        path.expect("no folder has a colon in its name"),
    );
    for proxy in ["http_proxy", "https_proxy", "all_proxy"] {
        command.env_remove(proxy);
        command.env_remove(proxy.to_uppercase());
    }
    command.env("no_proxy", "*").env("NO_PROXY", "*");
    command
}

/// Where the Python clients are.
fn clients() -> PathBuf {
    installed("VOCALHOST_CLIENTS", "clients")
}

/// The folder that the variable names, or else the one where set-up puts things of this name.
pub fn installed(variable: &str, name: &str) -> PathBuf {
    let told = std::env::var_os(variable).map(PathBuf::from);
    let folder = told.unwrap_or_else(|| cache().join(name));
    assert!(
        folder.is_dir(),
        "{} is missing: `cargo xtask test` puts it in place",
        folder.display()
    );
    folder
}

/// Where set-up puts things.
fn cache() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = variable("VOCALHOST_CACHE_DIR")
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("vocalhost")))
        .or_else(|| Some(variable("HOME")?.join(".cache/vocalhost")));
    cache.expect("there is a home")
}

pub fn run(command: &mut Command) -> Output {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    child.output().expect("the program starts")
}

pub fn assert_success(output: &Output) {
    assert!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn the_public_service_s_own_client_works_when_only_its_address_changes() {
    let server = Server::start(&["--api-roots", "/api/v1,/api/kits/v1"]);
    let recording = tempfile::Builder::new()
        .suffix(".wav")
        .tempfile()
        .expect("a temporary file");
    let tone = sound::wav_of(1, 16_000, &sound::sung(0.5, 16_000, 220.0));
    std::fs::write(recording.path(), tone).expect("it can be written");
    let output = run(python(&[])
        .arg(repository("tests/clients/kitsai_calls.py"))
        .arg(format!("http://{}", server.address))
        .arg(&server.key)
        .arg(recording.path()));
    assert_success(&output);
}

#[test]
fn the_description_keeps_every_rule_of_openapi_3_1() {
    let document = shared().get("/openapi.json");
    let mut child = python(&[])
        .arg(repository("tests/clients/valid_openapi.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let mut input = child.stdin.take().expect("it is piped");
    input
        .write_all(document.to_string().as_bytes())
        .expect("Python reads it");
    drop(input);
    assert_success(&child.wait_with_output().expect("Python ends"));
}
