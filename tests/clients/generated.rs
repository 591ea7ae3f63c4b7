//! Clients that are made of nothing but the server's description of itself, in Python and in TypeScript.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use vocalhost_testing::repository;
use vocalhost_testing::server::{Server, shared};

use super::{assert_success, installed, python, run};

/// Bytes that the description may have: generators, and whoever reads it, get slow with more.
const MOST_BYTES: usize = 400_000;
/// Lines that TypeScript's types of it may have.
const MOST_LINES: usize = 9_000;

/// A folder with the description, `openapi.json`.
fn described(server: &Server) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = server.get("/openapi.json").to_string();
    assert!(text.len() < MOST_BYTES, "{} bytes", text.len());
    std::fs::write(folder.path().join("openapi.json"), text).expect("it can be written");
    folder
}

/// A short sentence.
fn recording() -> PathBuf {
    repository("tests/fixtures/sound/speech.flac")
}

/// Node with a program of a package.
fn node(script: &Path) -> Command {
    let packages = packages();
    let program = std::fs::read_to_string(packages.join("node.txt")).expect("set-up has noted it");
    let mut command = Command::new(program.trim());
    command.arg(script);
    command
}

fn packages() -> PathBuf {
    installed("VOCALHOST_NPM_CLIENTS", "clients-npm")
}

#[test]
fn a_client_that_is_generated_in_python_has_every_kind_of_job_done() {
    let server = Server::start(&[]);
    let folder = described(&server);
    let here = repository("tests/clients/python");
    let generated = run(python(&[])
        .args([
            "-m",
            "openapi_python_client",
            "generate",
            "--fail-on-warning",
        ])
        .args(["--meta", "none", "--path", "openapi.json"])
        .args(["--output-path", "vocalhost_client"])
        .arg("--config")
        .arg(here.join("generator.yaml"))
        .current_dir(folder.path()));
    assert_success(&generated);
    let called = run(python(&[folder.path()])
        .arg(here.join("calls.py"))
        .args([&server.url(""), &server.key])
        .arg(recording()));
    assert_success(&called);
}

#[test]
fn a_client_that_is_generated_in_typescript_has_every_kind_of_job_done() {
    let server = Server::start(&[]);
    let folder = described(&server);
    // Programs find packages beside themselves.
    let packages = packages().join("node_modules");
    let beside = folder.path().join("node_modules");
    std::os::unix::fs::symlink(&packages, beside).expect("the folder is new");
    for name in ["generate.mjs", "calls.ts", "tsconfig.json", "package.json"] {
        let source = repository("tests/clients/typescript").join(name);
        std::fs::copy(source, folder.path().join(name)).expect("it can be copied");
    }
    let in_folder = |command: &mut Command| run(command.current_dir(folder.path()));
    let types = folder.path().join("api.ts");
    let generate = folder.path().join("generate.mjs");
    assert_success(&in_folder(node(&generate).arg("openapi.json").arg(&types)));
    let text = std::fs::read_to_string(types).expect("it was generated");
    let lines = text.lines().count();
    assert!(lines < MOST_LINES, "{lines} lines");
    assert_success(&in_folder(&mut node(&packages.join("typescript/bin/tsc"))));
    let called = in_folder(
        node(&folder.path().join("calls.js"))
            .args([&server.url(""), &server.key])
            .arg(recording()),
    );
    assert_success(&called);
}

#[test]
fn a_linter_finds_nothing_in_the_description() {
    let folder = described(&shared());
    let linter = packages().join("node_modules/@redocly/cli/bin/cli.js");
    let linted = run(node(&linter)
        .args(["lint", "openapi.json"])
        .env("REDOCLY_TELEMETRY", "off")
        .env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true")
        .current_dir(folder.path()));
    assert_success(&linted);
}
