//! `vocalhost bench`, as a person calls it.

use std::process::{Command, Output};

use serde_json::Value;
use vocalhost_testing::process::program;
use vocalhost_testing::repository;

fn bench(more: &[&str]) -> Output {
    Command::new(program())
        .arg("bench")
        .arg("--models-dir")
        .arg(repository("models"))
        .args(more)
        .output()
        .expect("the program starts")
}

#[test]
fn jobs_are_done_on_every_number_of_threads_and_their_parts_are_what_the_processor_worked() {
    let told = bench(&[
        "--seconds",
        "5",
        "--kinds",
        "conversion,blend",
        "--threads",
        "1,2",
        "--json",
    ]);
    let error = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success(), "{error}");
    let report: Value = serde_json::from_slice(&told.stdout).expect("JSON");
    let rows = report["jobs"].as_array().expect("a list");
    let which = rows
        .iter()
        .map(|row| (row["kind"].as_str(), row["threads"].as_u64()));
    let expected = [
        ("conversion", 1),
        ("blend", 1),
        ("conversion", 2),
        ("blend", 2),
    ];
    assert!(
        which.eq(expected.map(|(kind, threads)| (Some(kind), Some(threads)))),
        "{report:#}"
    );
    for row in rows {
        let number = |value: &Value| value.as_f64().expect("a number");
        let parts = row["threadSeconds"].as_object().expect("parts");
        let sum: f64 = parts.values().map(number).sum();
        let wall = number(&row["wallSeconds"]);
        let threads = number(&row["threads"]);
        assert!(
            number(&parts["network"]) > 0.0 && !parts.contains_key("wait"),
            "{row:#}"
        );
        // Beside the threads that compute, one takes what they give.
        assert!(sum > 0.0 && sum <= 1.05 * (threads + 1.0) * wall, "{row:#}");
    }
    assert!(report["advice"]["workers"].as_u64() > Some(0), "{report:#}");
}

#[test]
fn what_is_no_kind_of_job_is_refused_by_name() {
    let told = bench(&["--kinds", "karaoke"]);
    assert_eq!(told.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&told.stderr).contains("karaoke"));
}
