//! A voice of RVC from its checkpoint to a conversion, with the encoder that it waits for.

use std::fs;
use std::path::Path;

use reqwest::Method;
use reqwest::blocking::multipart::{Form, Part};
use serde_json::{Value, json};
use vocalhost_testing::encoder::{encoder, encoder_of_short_sounds, encoder_with_edges};
use vocalhost_testing::repository;

use super::harness::{Server, problem, tone_part, vocalhost};

/// A checkpoint with F0 whose content vectors have 256 channels, and an index of such vectors.
pub(super) const CHECKPOINT: &str = "tests/fixtures/checkpoints/rvc-v1-48k-f0.pth";
pub(super) const INDEX: &str = "tests/fixtures/index/ivf-256.index";

pub(super) fn fixture(path: &str) -> Part {
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
        .text("answers[instrument]", "true")
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
    assert_waits_for_encoder(&voice);
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

    let usable = server.get(&path);
    assert_eq!(
        (&usable["isUsable"], &usable["unusableReason"]),
        (&json!(true), &Value::Null)
    );
    let instruments = server.get("/voice-models?instruments=true&myModels=true");
    assert_eq!(instruments["data"][0]["id"], voice["id"], "{instruments:#}");
    let job: Value = post().json().expect("JSON");
    let done = server.ended(job["id"].as_i64().expect("a job"));
    assert_eq!(done["status"], "success", "{done:#}");
    let sound = server.fetch(done["outputFileUrl"].as_str().expect("a link"));
    assert!(sound.len() > 10_000, "{} bytes", sound.len());

    assert_named_as_today(&server, &voice);
    remove_encoder(&server, models);
    assert_shown(&server, models, &voice);
    assert_waits_for_encoder(&server.get(&path));
    let operators = server.get(&format!("/admin/models/{}", voice["id"]));
    assert_waits_for_encoder(&operators);
    assert_eq!(operators["package"]["consent"], "Made of random numbers.");
    assert_eq!(problem(post()).2, ["voiceModelId exists"]);
}

/// A server into which a content encoder was imported that `write` has written.
pub(super) fn server_with(write: fn(&Path)) -> Server {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path());
    let models = repository("models");
    let models = models.to_str().expect("plain text");
    let source = folder.path().to_str().expect("plain text");
    let (status, said, _) = command(&server, models, &["import", source]);
    assert_eq!(status, Some(0), "{said}");
    server
}

#[test]
fn a_damaged_encoder_is_named_and_no_voice_that_needs_it_is_blamed() {
    let mut server = server_with(encoder);
    let models = repository("models");
    let models = models.to_str().expect("plain text");
    let import = |server: &Server| -> Value {
        let form = Form::new().part("modelFile", fixture(CHECKPOINT));
        let answer = server.post_to("/voice-models", form);
        assert_eq!(answer.status(), 201);
        answer.json().expect("JSON")
    };
    let earlier = import(&server);
    assert_eq!(earlier["isUsable"], true, "{earlier:#}");
    server.kill();
    let graph = server.data().join("models/test.encoder/graph.onnx");
    let mut bytes = fs::read(&graph).expect("the encoder's graph");
    bytes.reverse();
    fs::write(&graph, bytes).expect("written");
    server.start_again();

    let later = import(&server);
    let said = later["found"].to_string();
    assert!(
        said.contains("cannot be used yet: a file of the package test.encoder"),
        "{said}"
    );
    assert_damaged_encoder(&later);
    let path = format!("/voice-models/{}", earlier["id"]);
    assert_damaged_encoder(&server.get(&path));
    let number = earlier["id"].to_string();
    let (_, _, shown) = command(&server, models, &["show", &number, "--json"]);
    assert_damaged_encoder(&serde_json::from_str(&shown).expect("JSON"));
}

#[test]
fn an_encoder_that_fails_is_blamed_and_not_the_voice_that_is_imported() {
    let server = server_with(encoder_of_short_sounds);
    let form = Form::new().part("modelFile", fixture(CHECKPOINT));
    let answer = server.post_to("/voice-models", form);
    let status = answer.status();
    let voice: Value = answer.json().expect("JSON");
    assert_eq!(status, 201, "{voice:#}");
    let said = voice["found"].to_string();
    assert!(
        said.contains("cannot be used yet: model test.encoder failed"),
        "{said}"
    );
}

#[test]
fn an_encoder_that_no_voice_could_listen_with_is_not_kept() {
    let server = Server::start(&[]);
    let folder = tempfile::tempdir().expect("a temporary folder");
    encoder_with_edges(folder.path());
    let (models, source) = (repository("models"), folder.path().to_str());
    let (models, source) = (models.to_str().expect("plain"), source.expect("plain"));
    let (status, said, _) = command(&server, models, &["import", source]);
    assert_eq!(status, Some(1), "{said}");
    let wanted = "gave the shape [1, 33, 256] for 64 frames, where 32 were expected";
    assert!(said.contains(wanted), "{said}");
}

/// A voice cannot be used, and its record names the encoder.
fn assert_damaged_encoder(voice: &Value) {
    assert_eq!(voice["isUsable"], false);
    assert_eq!(
        voice["unusableReason"],
        "a file of the package test.encoder is not what its manifest says"
    );
}

/// Errors of blends know a voice by the title that it has today.
fn assert_named_as_today(server: &Server, voice: &Value) {
    let path = format!("/voice-models/{}", voice["id"]);
    let renamed = server.request(Method::PATCH, &path);
    let renamed = renamed.json(&json!({ "title": "Berta" })).send();
    assert_eq!(renamed.expect("it answers").status(), 200);
    let starter = server.get("/voice-models?q=amber")["data"][0]["id"].clone();
    let blend = json!({ "modelId1": starter, "modelId2": voice["id"], "alpha": 0.5 });
    let blend = server.request(Method::POST, "/voice-blender").json(&blend);
    let refused: Value = blend.send().expect("it answers").json().expect("JSON");
    let said = refused["errors"][0]["message"].to_string();
    assert!(said.contains("Berta") && !said.contains("Anna"), "{said}");
}

/// What `vocalhost models` says with these arguments: its status, its errors and its output.
fn command(server: &Server, models: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let arguments = [&["models"], arguments, &["--models-dir", models]].concat();
    let output = vocalhost(server.data(), &arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code(),
        text(&output.stderr),
        text(&output.stdout),
    )
}

/// Whoever takes the encoder away is told first who needs it.
fn remove_encoder(server: &Server, models: &str) {
    let needed = |said: &str| said.contains("needed by 1 model: Berta");
    let remove = |query: &str| {
        let path = format!("/admin/packages/test.encoder{query}");
        server.request(Method::DELETE, &path).send()
    };
    let refused: Value = remove("?force=0")
        .expect("it answers")
        .json()
        .expect("JSON");
    assert_eq!(
        (&refused["status"], &refused["code"]),
        (&json!(409), &json!("E_MODEL_NEEDED"))
    );
    assert!(needed(&refused["detail"].to_string()), "{refused:#}");
    assert_eq!(
        problem(remove("?force=x").expect("it answers")).2,
        ["force boolean"]
    );
    let (status, said, _) = command(server, models, &["remove", "test.encoder"]);
    assert_eq!(status, Some(1), "{said}");
    assert!(needed(&said) && said.contains("--force"), "{said}");
    let (status, said, _) = command(server, models, &["remove", "test.encoder", "--force"]);
    assert_eq!(status, Some(0), "{said}");
}

/// The command line knows that the voice waits again, before the server was asked anything.
fn assert_shown(server: &Server, models: &str, voice: &Value) {
    let (_, _, listed) = command(server, models, &["voices"]);
    let line = listed
        .lines()
        .find(|line| line.ends_with("layer 9 in 256 channels (HuBERT base or ContentVec as ONNX)"));
    let line = line.unwrap_or_else(|| panic!("{listed}"));
    assert!(
        line.contains("unusable  Berta: no content encoder"),
        "{line}"
    );
    let (_, _, shown) = command(
        server,
        models,
        &["show", &voice["id"].to_string(), "--json"],
    );
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert_waits_for_encoder(&shown);
    assert_eq!(
        (&shown["package"]["family"], &shown["package"]["consent"]),
        (&json!("rvc"), &json!("Made of random numbers."))
    );
    assert!(shown["package"]["license"].is_string(), "{shown:#}");
    let (_, _, shown) = command(server, models, &["show", &voice["id"].to_string()]);
    assert!(
        shown.contains("\n  consent        Made of random"),
        "{shown}"
    );
}

/// A voice cannot be used, and its record says that an encoder is missing.
fn assert_waits_for_encoder(voice: &Value) {
    assert_eq!(voice["isUsable"], false);
    let reason = voice["unusableReason"].as_str().unwrap_or_default();
    assert!(
        reason.starts_with("no content encoder is installed"),
        "{voice:#}"
    );
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

    let form = Form::new()
        .part("modelFile", fixture(CHECKPOINT))
        .text("answers[f0]", "vocalhost.amber-5");
    let (status, _, mistakes) = problem(server.post_to("/voice-models", form));
    let wanted = vec!["answers[f0] answer".to_owned()];
    assert_eq!((status, mistakes), (422, wanted), "that is a voice");
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

/// The record of a voice of one's own that is made of a checkpoint.
fn made(server: &Server, checkpoint: &str, answers: &[(&'static str, &'static str)]) -> Value {
    let form = Form::new().part("modelFile", fixture(checkpoint));
    let form = answers
        .iter()
        .fold(form, |form, (name, said)| form.text(*name, *said));
    let answer = server.post_to("/voice-models", form);
    let status = answer.status();
    let voice: Value = answer.json().expect("JSON");
    assert_eq!(status, 201, "{voice:#}");
    voice
}

#[test]
fn weights_with_and_without_their_norm_blend_and_what_cannot_blend_makes_no_job() {
    let server = server_with(encoder);
    let folded = "tests/fixtures/checkpoints/rvc-v1-48k-f0-folded.pth";
    let (own, other) = (made(&server, CHECKPOINT, &[]), made(&server, folded, &[]));
    let blend = |other: &Value| {
        let body = json!({ "modelId1": own["id"], "modelId2": other["id"], "alpha": 0.5 });
        let request = server.request(Method::POST, "/voice-blender").json(&body);
        request.send().expect("it answers")
    };
    let job: Value = blend(&other).json().expect("JSON");
    let done = server.ended_at(&format!("/voice-blender/{}", job["id"]));
    assert_eq!(done["status"], "success", "{done:#}");
    for (answers, reason) in [
        (
            &[
                ("answers[encoder]", "spin"),
                ("answers[content]", "test.encoder"),
            ][..],
            "trained on the content encoder contentvec against spin",
        ),
        (
            &[("answers[profile]", "rvc-2.3")],
            "pipeline rvc-2.2 against rvc-2.3",
        ),
    ] {
        let other = made(&server, folded, answers);
        let refused: Value = blend(&other).json().expect("JSON");
        let mistake = &refused["errors"][0];
        assert_eq!(
            (&mistake["field"], &mistake["rule"]),
            (&json!("modelId2"), &json!("family"))
        );
        let said = mistake["message"].as_str().expect("a message");
        assert!(said.contains(reason), "{said}");
    }
    assert_eq!(server.get("/voice-blender")["meta"]["total"], 1);
}
