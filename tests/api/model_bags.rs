//! Models of several files over HTTP: a bag of Demucs with all that belongs to it.

use std::fs;

use reqwest::blocking::multipart::{Form, Part};
use serde_json::json;
use vocalhost_testing::repository;

use super::harness::{Server, problem};
use super::models::read;

/// The models of `htdemucs_ft`, as they are called where they are downloaded.
const MODELS: [&str; 4] = [
    "f7e0c4bc-ba3fe64a.th",
    "d12395a8-e57c48e6.th",
    "92cfc3b6-ef3bcb9c.th",
    "04573f0d-f3cf25b2.th",
];
const BAG: &str = "models: ['f7e0c4bc', 'd12395a8', '92cfc3b6', '04573f0d']\nweights: [\n  [1., 0., 0., 0.],\n  \
                   [0., 1., 0., 0.],\n  [0., 0., 1., 0.],\n  [0., 0., 0., 1.],\n]\n";

/// The form of a bag whose models are called so.
fn form(models: [&str; 4]) -> Form {
    let model = repository("tests/fixtures/demucs/955717e8-11223344.th");
    let model = fs::read(model).expect("the fixture");
    let fields = ["modelFile", "modelFile2", "modelFile3", "modelFile4"];
    let bag = Part::bytes(BAG.as_bytes()).file_name("htdemucs_ft.yaml");
    let form = Form::new()
        .part("modelFile5", bag)
        .text("title", "Four")
        .text("packageId", "test.four");
    fields
        .into_iter()
        .zip(models)
        .fold(form, |form, (field, name)| {
            form.part(field, Part::bytes(model.clone()).file_name(name.to_owned()))
        })
}

#[test]
fn a_bag_of_four_models_and_its_text_are_five_files() {
    let server = Server::start(&[]);
    let [first, second, third, fourth] = MODELS;
    // Called otherwise they could be mixed up.
    let refused = problem(server.post_to("/admin/models", form([first, second, third, "x.th"])));
    assert_eq!(refused.2, ["modelFile5 model"]);
    // In any order.
    let made = server.post_to("/admin/models", form([third, first, fourth, second]));
    let record = read(made, 201);
    assert_eq!(record["kind"], json!("separator"), "{record:#}");
    let found = record["found"].to_string();
    assert!(found.contains("4 graphs"), "{found}");
}
