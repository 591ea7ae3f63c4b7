use std::process::{Command, Stdio};

/// A server that was killed before its worker could be tied to it has closed the worker's orders by then.
#[test]
fn a_worker_without_a_server_ends_before_it_gets_ready() {
    // Nothing is compiled here yet, so that getting ready takes seconds.
    let cache = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(env!("CARGO_BIN_EXE_vocalhost"))
        .args(["worker", "--log", "error", "--effect-cache"])
        .arg(cache.path())
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.is_empty(), "it got ready: {output:?}");
}
