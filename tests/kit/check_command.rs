//! `vocalhost effect check`: what it prints, and with which status it ends.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use vocalhost_testing::guests::{bare, hostile};

/// Runs the command in an empty folder, where no settings lie.
fn check(component: &[u8], flags: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("effect.wasm");
    std::fs::write(&file, component).expect("it is written");
    command(folder.path(), &file)
        .args(flags)
        .output()
        .expect("it runs")
}

fn command(folder: &Path, file: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vocalhost"));
    command
        .current_dir(folder)
        .env_clear()
        .args(["effect", "check"])
        .arg(file);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("it is text")
}

#[test]
fn an_effect_that_keeps_the_rules_ends_with_status_0() {
    let output = check(&bare(&[]), &[]);
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{table}");
    assert!(
        table.starts_with("org.example.bare 1.0.0 (Bare)\nby Example\nsha256:"),
        "{table}"
    );
    assert!(table.contains("\n✓ cuts "), "{table}");
    assert!(table.contains("\n• descriptor "), "{table}");
    assert!(
        table.ends_with("16 passed, 1 passed with a note\n"),
        "{table}"
    );
}

#[test]
fn an_effect_that_breaks_a_rule_ends_with_status_1_and_the_reason_under_it() {
    let output = check(&hostile("nan"), &[]);
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{table}");
    assert!(table.contains("\n✗ answers "), "{table}");
    assert!(
        table.contains("\n              default settings at 8000 Hz"),
        "{table}"
    );
    assert!(table.contains("\n- speed "), "{table}");
    assert!(
        table.lines().all(|line| line.chars().count() <= 130),
        "{table}"
    );
}

#[test]
fn json_says_all_of_it() {
    let output = check(&hostile("keepsake"), &["--json"]);
    assert_eq!(output.status.code(), Some(1));
    let record: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(record["id"], "org.example.hostile");
    assert_eq!(record["passed"], false);
    assert_eq!(record["digest"].as_str().map(str::len), Some(64));
    assert!(record["bytes"].as_u64().is_some_and(|bytes| bytes > 10_000));
    let checks = record["checks"].as_array().expect("it is a list");
    let reset = checks
        .iter()
        .find(|check| check["id"] == "reset")
        .expect("it is a check");
    assert_eq!(reset["result"], "failed");
    assert!(
        reset["reasons"][0]
            .as_str()
            .is_some_and(|reason| reason.contains("reset"))
    );
}

#[test]
fn bytes_that_are_no_effect_have_no_identity() {
    let output = check(b"nothing", &["--json"]);
    assert_eq!(output.status.code(), Some(1));
    let record: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!(record["id"], Value::Null);
    assert_eq!(record["checks"][0]["result"], "failed");
    assert_eq!(record["checks"][1]["result"], "not-run");
}

#[test]
fn what_does_not_exist_is_said_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = command(folder.path(), Path::new("missing.wasm"))
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("there is no file, built-in or installed effect"));
}
