//! Content encoders and estimators of pitch from files of weights, over HTTP.

use reqwest::blocking::multipart::Form;
use serde_json::json;

use super::harness::{Server, problem};
use super::model_imports::fixture;
use super::models::read;

const WEIGHTS: &str = "tests/fixtures/encoders/contentvec/model.safetensors";
const SETTINGS: &str = "tests/fixtures/encoders/contentvec/config.json";

#[test]
fn weights_with_their_settings_beside_them_become_an_encoder() {
    let server = Server::start(&[]);
    let form = || {
        Form::new()
            .part("modelFile", fixture(WEIGHTS))
            .part("modelFile2", fixture(SETTINGS))
            .text("title", "ContentVec")
            .text("packageId", "test.contentvec")
    };
    let none = Form::new().part("modelFile", fixture(WEIGHTS));
    let refused = problem(server.post_to("/voice-models", none));
    assert_eq!(refused.2, ["modelFile kind"]);
    let record = read(server.post_to("/admin/models", form()), 201);
    let vectors = json!([
        { "channels": 6, "layer": 9 },
        { "channels": 6, "layer": 12 },
        { "channels": 16, "layer": 12 },
    ]);
    assert_eq!(record["contentVectors"], vectors, "{record:#}");
    let found = record["found"].to_string();
    assert!(found.contains("It is the encoder contentvec"), "{found}");
}

#[test]
fn an_estimator_of_torch_is_found_by_its_weights_alone() {
    let server = Server::start(&[]);
    let form = Form::new()
        .part("modelFile", fixture("tests/fixtures/estimators/rmvpe.pt"))
        .text("title", "RMVPE")
        .text("packageId", "test.rmvpe");
    let record = read(server.post_to("/admin/models", form), 201);
    assert_eq!(record["kind"], json!("f0"), "{record:#}");
    let found = record["found"].to_string();
    assert!(found.contains("RMVPE, from spectrograms"), "{found}");
}
