//! What models run on: settings, records, figures and the command.

use reqwest::Method;
use serde_json::Value;

use super::harness::{Server, tone, until, vocalhost};

/// No library of the set-up has this provider.
const MISSING: &str = "directml";

#[test]
fn in_strict_mode_a_job_fails_with_the_reason_rather_than_run_elsewhere() {
    let server = Server::start(&["--providers", MISSING, "--provider-strict", "true"]);
    let job = server.ended(server.accepted(tone()));
    assert_eq!(job["status"], "error", "{job}");
    let message = job["error"]["message"].as_str().expect("a message");
    assert!(
        message.contains(MISSING) && message.contains("built without it"),
        "{message}"
    );
    assert_eq!(job["provider"], Value::Null);
}

#[test]
fn otherwise_it_runs_on_the_processor_and_models_that_are_loaded_stay() {
    let server = Server::start(&["--providers", MISSING]);
    for _ in 0..2 {
        let job = server.ended(server.accepted(tone()));
        assert_eq!(job["status"], "success", "{job}");
        assert_eq!(job["provider"], "cpu");
        let models = job["models"].as_array().expect("the packages that ran");
        for part in ["vocalhost.content-5", "vocalhost.f0-3"] {
            assert!(models.contains(&part.into()), "{models:?}");
        }
    }
    let url = format!("http://{}/metrics", server.address);
    until("the models of the second job to be counted", || {
        let answer = server.anonymous(Method::GET, &url).send();
        let text = answer.expect("the server answers").text().expect("text");
        let parts = |how: &str| {
            let name = format!("vocalhost_model_parts_total{{how=\"{how}\"}} ");
            let number = text.lines().find_map(|line| line.strip_prefix(&name));
            number.map_or(0, |number| number.parse::<u64>().expect("a number"))
        };
        (parts("loaded") > 0 && parts("reused") == parts("loaded")).then_some(())
    });
}

#[test]
fn the_command_lists_every_provider_and_fails_for_a_strict_one_that_is_missing() {
    let data = tempfile::tempdir().expect("a temporary folder");
    let output = vocalhost(data.path(), &["providers", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let shown: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let providers = shown["providers"].as_array().expect("a list");
    let of = |name: &str| {
        let found = providers.iter().find(|provider| provider["name"] == name);
        found.expect("it is listed")
    };
    assert_eq!(
        (&of("cpu")["works"], &of("cpu")["isChosen"]),
        (&Value::Bool(true), &Value::Bool(true))
    );
    assert_eq!(of(MISSING)["isOffered"], false);
    let strict = [
        "providers",
        "--providers",
        MISSING,
        "--provider-strict",
        "true",
    ];
    let output = vocalhost(data.path(), &strict);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("built without it"), "{said}");
}
