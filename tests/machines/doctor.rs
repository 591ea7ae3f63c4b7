//! What `vocalhost doctor` says of a database and a bucket.

use std::process::Command;

use serde_json::Value;
use vocalhost_testing::process::program;

use super::place::Place;

/// Whether all is well, and what is said of a check.
fn doctor(flags: &[String], check: &str) -> (bool, String, String) {
    let data = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(program())
        .args(["doctor", "--json", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(data.path())
        .args(flags)
        .output()
        .expect("the program starts");
    let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.success(), said["isWell"] == true, "{said}");
    let findings = said["findings"].as_array().expect("a list");
    let found = findings.iter().find(|one| one["check"] == check);
    let text = |field: &str| {
        let found = found.unwrap_or_else(|| panic!("no {check} in {said}"));
        found[field].as_str().expect("a text").to_owned()
    };
    (output.status.success(), text("state"), text("text"))
}

#[test]
fn the_doctor_looks_at_a_database_and_a_bucket_and_changes_nothing() {
    let mut place = Place::new();
    let flags = place.flags(&place.postgres.address);
    let (well, state, text) = doctor(&flags, "database");
    assert!(well && state == "ok", "{state}: {text}");
    assert!(text.contains("has the schema of this release"), "{text}");
    assert_eq!(doctor(&flags, "files").1, "ok");

    let empty = place.flags(&place.database("empty"));
    // Twice: the first look made nothing.
    for _ in 0..2 {
        let (well, _, text) = doctor(&empty, "database");
        assert!(well && text.contains("is empty"), "{text}");
    }

    // What a newer release has written.
    place.run("INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (900000, 'later', TRUE, '', 0)");
    let (well, state, text) = doctor(&flags, "database");
    assert!(!well && state == "problem", "{state}: {text}");
    assert!(text.contains("newer release"), "{text}");

    place.postgres.stop_hard();
    let (well, state, text) = doctor(&flags, "database");
    assert!(!well && state == "problem", "{state}: {text}");
    assert!(!text.contains("password"), "{text}");
}
