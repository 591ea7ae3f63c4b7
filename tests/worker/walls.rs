//! The walls around the workers of a real server.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use vocalhost_testing::server::{Server, vocalhost};
use vocalhost_testing::{poll, repository, sound};

/// Where the kernel tells of the worker of a server.
fn worker_of(server: &Server) -> PathBuf {
    let id = poll::until("the worker to be there", || {
        server.workers().first().copied()
    });
    PathBuf::from(format!("/proc/{}", id.as_raw_nonzero()))
}

/// A field of what the kernel says of a process.
fn status(process: &Path, field: &str) -> String {
    let status = fs::read_to_string(process.join("status")).expect("it runs");
    let found = status.lines().find_map(|line| line.strip_prefix(field));
    found.unwrap_or_default().trim().to_owned()
}

#[test]
fn a_worker_is_shut_in_before_it_works_and_its_job_is_done_inside() {
    let server = Server::start(&[]);
    let worker = worker_of(&server);
    poll::until("the walls to be raised", || {
        // The second of two filters is the last of them.
        (status(&worker, "Seccomp_filters:") == "2").then_some(())
    });
    assert_eq!(status(&worker, "NoNewPrivs:"), "1");
    assert_eq!(status(&worker, "Seccomp:"), "2");
    // Not one of root's rights is left but that to open files.
    let rights = u64::from_str_radix(&status(&worker, "CapPrm:"), 16).expect("a number");
    assert_eq!(rights & !(1 << 1), 0);
    let limits = fs::read_to_string(worker.join("limits")).expect("it runs");
    let cores = limits
        .lines()
        .find(|line| line.starts_with("Max core file size"));
    let cores: Vec<&str> = cores.expect("a limit").split_whitespace().collect();
    assert_eq!(cores[4..6], ["0", "0"]);

    let tone = sound::sung(0.5, 16_000, 220.0);
    let job = server.ended(server.accepted(sound::wav_of(1, 16_000, &tone)));
    assert_eq!(job["status"], "success", "{job}");
}

#[test]
fn a_way_to_the_models_that_leads_out_of_a_folder_again_is_gone_inside() {
    let models = repository("docs").join("../models");
    let server = Server::start(&["--models-dir", models.to_str().expect("plain text")]);
    let tone = sound::sung(0.5, 16_000, 220.0);
    let job = server.ended(server.accepted(sound::wav_of(1, 16_000, &tone)));
    assert_eq!(job["status"], "success", "{job}");
}

#[test]
fn without_the_sandbox_a_worker_is_as_it_was() {
    let server = Server::start(&["--sandbox", "off"]);
    assert_eq!(status(&worker_of(&server), "NoNewPrivs:"), "0");
}

#[test]
fn the_doctor_says_what_stands_and_what_is_wrong() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let look = |more: &[&str]| {
        let output = vocalhost(data.path(), &[&["doctor", "--json"], more].concat());
        let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (output.status.code(), said)
    };
    let state = |said: &Value, check: &str| {
        let findings = said["findings"].as_array().expect("a list").clone();
        let found = findings.into_iter().find(|one| one["check"] == check);
        found.map_or(Value::Null, |one| one["state"].clone())
    };
    let (code, said) = look(&["--listen", "127.0.0.1:0"]);
    assert_eq!(
        (code, &said["isWell"]),
        (Some(0), &Value::Bool(true)),
        "{said}"
    );
    for check in [
        "sandbox.limits",
        "sandbox.privileges",
        "sandbox.seccomp",
        "clock",
        "onnxruntime",
        "provider.cpu",
        "disk",
        "database",
        "files",
        "listen",
    ] {
        assert_eq!(state(&said, check), "ok", "{check}: {said}");
    }

    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let taken = listener.local_addr().expect("an address").to_string();
    let (code, said) = look(&["--listen", &taken, "--onnxruntime", "/nowhere/library.so"]);
    assert_eq!((code, &said["isWell"]), (Some(1), &Value::Bool(false)));
    assert_eq!(state(&said, "listen"), "problem");
    assert_eq!(state(&said, "onnxruntime"), "problem");
    let (_, said) = look(&["--listen", "127.0.0.1:0", "--sandbox", "off"]);
    assert_eq!(state(&said, "sandbox"), "warning");
    assert!(
        fs::read_dir(data.path())
            .expect("it is there")
            .next()
            .is_none()
    );
}
