use vocalhost_testing::repository;
use vocalhost_testing::server::Server;
use vocalhost_testing::sound;

use super::{assert_success, python, run};

/// A few: the ordinary suite only has to notice that something has changed. `cargo xtask fuzz-api` asks for many more.
const EXAMPLES: &str = "2";

/// The fuzzer knows nothing but the API's own description. Half of its forms have a real recording.
#[test]
fn a_fuzzer_finds_nothing_that_the_description_does_not_promise() {
    // Every job of the run has room, and no limit on requests gets in its way.
    let many = "100000000";
    let server = Server::start(&["--max-queued-per-user", many, "--max-queue", many]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let recording = folder.path().join("tone.wav");
    let tone = sound::wav_of(1, 16_000, &sound::sung(0.05, 16_000, 220.0));
    std::fs::write(&recording, tone).expect("it can be written");
    let asked = std::env::var("VOCALHOST_FUZZ_EXAMPLES");
    let phases = if asked.is_ok() {
        "examples,coverage,fuzzing,stateful"
    } else {
        "fuzzing"
    };
    let here = repository("tests/clients");
    let output = run(python(&[&here])
        .args(["-m", "schemathesis.cli", "--config-file"])
        .arg(here.join("schemathesis.toml"))
        .arg("run")
        .arg(server.url("/openapi.json"))
        .args(["--header", &format!("Authorization: Bearer {}", server.key)])
        .args(["--checks", "all", "--phases", phases])
        .args(["--max-examples", asked.as_deref().unwrap_or(EXAMPLES)])
        .args(["--generation-deterministic", "--continue-on-failure"])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env(
            "VOCALHOST_FUZZ_KEY_ID",
            server.key.split('.').next().unwrap_or_default(),
        )
        .env("SCHEMATHESIS_HOOKS", "fuzz_hooks")
        .env("VOCALHOST_FUZZ_SOUND", &recording)
        .current_dir(folder.path()));
    assert_success(&output);
}
