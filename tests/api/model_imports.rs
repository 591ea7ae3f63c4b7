//! A voice of RVC from its checkpoint to a conversion, with the encoder that it waits for.

use std::fs;

use reqwest::Method;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::{Value, json};

use super::harness::{Server, problem, tone_part, vocalhost};
use crate::support::encoder::encoder;
use crate::support::repository;

/// A checkpoint with F0 whose content vectors have 256 channels, and an index of such vectors.
const CHECKPOINT: &str = "tests/fixtures/checkpoints/rvc-v1-48k-f0.pth";
const INDEX: &str = "tests/fixtures/index/ivf-256.index";

fn fixture(path: &str) -> Part {
    let bytes = fs::read(repository(path)).expect("the fixture");
    // The name says nothing, and the wrong one no more.
    Part::bytes(bytes).file_name("holiday.jpg")
}

#[test]
fn a_checkpoint_becomes_a_voice_that_waits_for_its_encoder_and_then_converts() {
    let server = Server::start(&[]);
    let form = Form::new()
        .part("modelFile", fixture(CHECKPOINT))
        .part("indexFile", fixture(INDEX))
        .text("title", "Anna")
        .text("consent", "Made of random numbers.");
    let answer = server.post_to("/voice-models", form);
    let status = answer.status();
    let voice: Value = answer.json().expect("JSON");
    assert_eq!(status, 201, "{voice:#}");
    assert_eq!(
        (&voice["family"], &voice["isUsable"]),
        (&json!("rvc"), &json!(false))
    );
    let said = voice["found"].to_string();
    assert!(said.contains("cannot be used yet"), "{said}");
    let path = format!("/voice-models/{}", voice["id"]);
    let post = || {
        let form = Form::new()
            .text("voiceModelId", voice["id"].to_string())
            .part("soundFile", tone_part());
        server.post(form)
    };
    assert_eq!(problem(post()).2, ["voiceModelId exists"]);

    let folder = tempfile::tempdir().expect("a temporary folder");
    let plain = folder.path().to_str().expect("plain text");
    encoder(folder.path());
    let models = repository("models");
    let models = models.to_str().expect("plain text");
    let import = ["models", "import", plain, "--models-dir", models, "--json"];
    let output = vocalhost(server.data(), &import);
    assert!(output.status.success(), "{output:?}");
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(told["kind"], "content", "{told:#}");

    assert_eq!(server.get(&path)["isUsable"], true);
    let job: Value = post().json().expect("JSON");
    let done = server.ended(job["id"].as_i64().expect("a job"));
    assert_eq!(done["status"], "success", "{done:#}");
    let sound = server.fetch(done["outputFileUrl"].as_str().expect("a link"));
    assert!(sound.len() > 10_000, "{} bytes", sound.len());

    // Without its encoder it waits again.
    let remove = server.request(Method::DELETE, "/admin/packages/test.encoder");
    assert_eq!(remove.send().expect("it answers").status(), 204);
    assert_eq!(server.get(&path)["isUsable"], false);
    assert_eq!(problem(post()).2, ["voiceModelId exists"]);
}

#[test]
fn an_answer_that_cannot_be_is_told_from_one_that_is_missing_over_http() {
    let server = Server::start(&[]);
    let form = Form::new()
        .part("modelFile", fixture(CHECKPOINT))
        .text("answers[speaker]", "300")
        .text("answers[content_dim]", "768")
        .text("answers", r#"{"sampel_rate": 48000}"#);
    let answer = server.post_to("/voice-models", form);
    assert_eq!(answer.status(), 422);
    let body: Value = answer.json().expect("JSON");
    let mistake = |field: &str| {
        let errors = body["errors"].as_array().expect("errors");
        let found = errors.iter().find(|error| error["field"] == field);
        found
            .cloned()
            .unwrap_or_else(|| panic!("{field}: {body:#}"))
    };
    let speaker = mistake("answers[speaker]");
    assert_eq!(speaker["rule"], "answer");
    let said = speaker["message"].as_str().expect("a message");
    assert!(
        said.starts_with("\"300\" cannot be taken: it has 3 speakers, 0 to 2"),
        "{said}"
    );
    let dim = mistake("answers[content_dim]");
    assert_eq!(
        (&dim["rule"], &dim["args"]["allowed"]),
        (&json!("enum"), &json!(["256"]))
    );
    assert_eq!(mistake("answers[sampel_rate]")["rule"], "exists");
}

#[test]
fn checkpoints_that_are_cut_or_crafted_are_refused_by_the_server_with_a_reason() {
    let server = Server::start(&[]);
    let whole = fs::read(repository(CHECKPOINT)).expect("the fixture");
    let mut files: Vec<Vec<u8>> = [1, 2, 3, 5, 8]
        .map(|share| whole[..whole.len() * share / 9].to_vec())
        .to_vec();
    // The pickle asks for another function than those of a checkpoint.
    let name = b"_rebuild_tensor_v2";
    let position = whole.windows(name.len()).position(|part| part == name);
    let position = position.expect("torch's function");
    let mut crafted = whole.clone();
    crafted[position..position + name.len()].copy_from_slice(b"_rebuild_anything_");
    files.push(crafted);
    // Of numbers that are not there.
    let mut index = fs::read(repository(INDEX)).expect("the fixture");
    index.truncate(index.len() / 2);
    for bytes in files {
        let form = Form::new().part("modelFile", Part::bytes(bytes).file_name("a.pth"));
        let refused = problem(server.post_to("/voice-models", form));
        assert_eq!(
            (refused.0, refused.2),
            (422, vec!["modelFile model".to_owned()])
        );
    }
    let form = Form::new()
        .part("modelFile", fixture(CHECKPOINT))
        .part("indexFile", Part::bytes(index).file_name("a.index"));
    let refused = problem(server.post_to("/voice-models", form));
    assert_eq!(
        (refused.0, refused.2),
        (422, vec!["indexFile model".to_owned()])
    );
    for folder in ["imports", "files/imports", "uploads"] {
        let left = fs::read_dir(server.data().join(folder)).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{folder}");
    }
    assert_eq!(
        server.get("/voice-models?myModels=true")["meta"]["total"],
        0
    );
}
