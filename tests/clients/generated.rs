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
const MOST_LINES: usize = 10_500;

/// A folder with the description, `openapi.json`.
pub fn described(server: &Server) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = server.get("/openapi.json").to_string();
    assert!(text.len() < MOST_BYTES, "{} bytes", text.len());
    std::fs::write(folder.path().join("openapi.json"), text).expect("it can be written");
    folder
}

/// A short sentence.
pub fn recording() -> PathBuf {
    repository("tests/fixtures/sound/speech.flac")
}

/// Node with a program of a package.
pub fn node(script: &Path) -> Command {
    let mut command = Command::new(node_program());
    command.arg(script);
    command
}

/// Where Node is.
pub fn node_program() -> String {
    let noted = packages().join("node.txt");
    let program = std::fs::read_to_string(noted).expect("set-up has noted it");
    program.trim().to_owned()
}

fn packages() -> PathBuf {
    installed("VOCALHOST_NPM_CLIENTS", "clients-npm")
}

/// Programs of Node in `folder` find the packages from then on: they look beside themselves.
pub fn put_packages_beside(folder: &Path) {
    let packages = packages().join("node_modules");
    let beside = folder.join("node_modules");
    std::os::unix::fs::symlink(packages, beside).expect("the folder is new");
}

/// Compiles the TypeScript of `folder`.
pub fn compile(folder: &Path) {
    let compiler = packages().join("node_modules/typescript/bin/tsc");
    assert_success(&run(node(&compiler).current_dir(folder)));
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
    put_packages_beside(folder.path());
    for path in [
        "clients/typescript/generate.mjs",
        "tests/clients/typescript/calls.ts",
        "tests/clients/typescript/tsconfig.json",
        "tests/clients/typescript/package.json",
    ] {
        let source = repository(path);
        let name = source.file_name().expect("it is a file");
        std::fs::copy(&source, folder.path().join(name)).expect("it can be copied");
    }
    let in_folder = |command: &mut Command| run(command.current_dir(folder.path()));
    let types = folder.path().join("api.ts");
    let generate = folder.path().join("generate.mjs");
    assert_success(&in_folder(node(&generate).arg("openapi.json").arg(&types)));
    let text = std::fs::read_to_string(types).expect("it was generated");
    let lines = text.lines().count();
    assert!(lines < MOST_LINES, "{lines} lines");
    compile(folder.path());
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
