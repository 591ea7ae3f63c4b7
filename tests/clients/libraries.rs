//! The libraries of `clients/` and the programs of `examples/`, by their own tests, against a real server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use vocalhost_testing::repository;
use vocalhost_testing::server::{Server, shared};

use super::generated::{compile, described, node, node_program, put_packages_beside, recording};
use super::{assert_success, python, run};

/// What is made of the sources, or comes from outside: no part of them.
const MADE: [&str; 3] = ["dist", "node_modules", "__pycache__"];

/// How long one file of tests may take, in milliseconds: only what hangs takes that long.
const LONGEST: &str = "--test-timeout=1800000";

/// The library for Python.
pub fn in_python() -> PathBuf {
    repository("clients/python")
}

/// Python with the library at hand.
fn with_library() -> Command {
    let mut command = python(&[&in_python().join("src")]);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// Runs tests that are told of a server, which may send webhooks to this machine.
fn assert_tests_pass(command: &mut Command) {
    let server = Server::start(&[
        "--webhook-allow-private",
        "127.0.0.1",
        "--training",
        "users",
        "--live-workers",
        "3",
        "--max-live-per-user",
        "0",
    ]);
    command
        .env("VOCALHOST_URL", format!("http://{}", server.address))
        .env("VOCALHOST_KEY", &server.key)
        .env("VOCALHOST_SOUND", recording());
    assert_success(&run(command));
}

/// The tests in a folder whose file has this name.
fn tests_in_python(folder: &Path, name: &str) -> Command {
    let mut command = with_library();
    command
        .args(["-m", "unittest", "discover", "--start-directory"])
        .arg(folder)
        .args(["--pattern", name]);
    command
}

/// A folder with `clients/typescript`, built, and `examples`, as they lie in the repository.
pub fn built() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["clients/typescript", "examples"] {
        copy(&repository(name), &folder.path().join(name));
    }
    let library = folder.path().join("clients/typescript");
    put_packages_beside(&library);
    compile(&library);
    folder
}

pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("it can be made");
    for entry in fs::read_dir(from).expect("the folder is readable") {
        let path = entry.expect("the entry is readable").path();
        let target = to.join(path.file_name().expect("it has a name"));
        if MADE.iter().any(|made| path.ends_with(made)) {
            continue;
        }
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("it can be copied");
        }
    }
}

#[test]
fn the_python_library_has_every_kind_of_job_done() {
    assert_tests_pass(&mut tests_in_python(
        &in_python().join("tests"),
        "test_jobs.py",
    ));
}

#[test]
fn the_python_library_does_what_its_other_tests_say() {
    assert_tests_pass(&mut tests_in_python(
        &in_python().join("tests"),
        "test_[lw]*.py",
    ));
}

#[test]
fn the_typescript_library_does_what_its_tests_say() {
    let built = built();
    let library = built.path().join("clients/typescript");
    // What may be written, and what may not.
    compile(&library.join("tests"));
    let mut command = node(Path::new("--test"));
    command
        .args(["--test-concurrency=2", LONGEST])
        .args(["jobs", "lines", "webhooks"].map(|name| format!("tests/{name}.test.mjs")))
        .current_dir(library);
    assert_tests_pass(&mut command);
}

#[test]
fn the_library_for_live_conversions_does_what_its_tests_say() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let library = folder.path().join("live");
    copy(&repository("clients/live"), &library);
    put_packages_beside(&library);
    compile(&library);
    let mut command = node(Path::new("--test"));
    command
        // Node has WebSockets by itself from version 22 on.
        .args(["--experimental-websocket", LONGEST])
        .args(
            ["frames", "playout", "session", "server"].map(|name| format!("tests/{name}.test.mjs")),
        )
        .current_dir(library);
    assert_tests_pass(&mut command);
}

#[test]
fn the_examples_do_what_they_say() {
    let built = built();
    let folder = built.path().join("examples/tests");
    let mut command = tests_in_python(&folder, "test_*.py");
    assert_tests_pass(command.env("VOCALHOST_NODE", node_program()));
}

#[test]
fn what_is_generated_of_the_libraries_is_what_this_server_says() {
    let folder = described(&shared());
    let description = folder.path().join("openapi.json");
    let generator = in_python().join("generator");
    assert_success(&run(with_library()
        .arg(generator)
        .arg(&description)
        .arg("--check")));
    let library = repository("clients/typescript");
    put_packages_beside(folder.path());
    let program = folder.path().join("generate.mjs");
    fs::copy(library.join("generate.mjs"), &program).expect("it can be copied");
    assert_success(&run(node(&program)
        .arg(&description)
        .arg(library.join("src/schema.ts"))
        .arg("--check")));
}

#[test]
fn the_python_library_and_the_examples_are_formatted_and_typed() {
    let folders = [in_python(), repository("examples")];
    let configuration = in_python().join("pyproject.toml");
    for command in ["check", "format"] {
        let mut ruff = python(&[]);
        ruff.args(["-m", "ruff", command, "--quiet", "--no-cache", "--config"])
            .arg(&configuration)
            .args((command == "format").then_some("--check"))
            .args(&folders)
            // What the configuration leaves out is found from here.
            .current_dir(in_python());
        assert_success(&run(&mut ruff));
    }
    let cache = tempfile::tempdir().expect("a temporary folder");
    let mut mypy = python(&[]);
    mypy.args(["-m", "mypy", "--config-file"])
        .arg(&configuration)
        .arg("--cache-dir")
        .arg(cache.path())
        .args(["src", "tests", "../../examples"])
        .current_dir(in_python());
    assert_success(&run(&mut mypy));
}
