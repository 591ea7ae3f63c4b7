//! Encoders that torch and transformers wrote, imported and run: the same vectors as torch's own run of the same weights.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::testing::{imported, refusal};
use crate::{ImportError, Imported};
use vocalhost_model::once::{Given, run_all};
use vocalhost_model::{Family, Kind, Package, Runtime, TensorRole, try_graph};
use vocalhost_testing::repository;

fn fixture(name: &str) -> PathBuf {
    repository("tests/fixtures/encoders").join(name)
}

/// What `tests/parity/listeners/golden.py` wrote down.
fn golden() -> Value {
    let text = fs::read_to_string(fixture("golden.json")).expect("the fixture is there");
    serde_json::from_str(&text).expect("the fixture is JSON")
}

fn package(files: &[PathBuf]) -> (Imported, Package, TempDir) {
    let (result, target) = imported(files, None);
    let imported = result.expect("it is an encoder");
    let package = Package::open(target.path()).expect("a package");
    package.verify().expect("its files are what it says");
    (imported, package, target)
}

/// `0.3 sin(0.07 n) cos(0.0031 n)`, as in `tests/parity/listeners/waves.py`.
fn wave(samples: usize) -> Vec<f32> {
    let numbers = (0..samples).map(|n| n as f64);
    let numbers = numbers.map(|n| (0.3 * (0.07 * n).sin() * (0.0031 * n).cos()) as f32);
    numbers.collect()
}

/// Holds every output of an encoder to what a variant of the golden file has for it.
fn hold(package: &Package, variant: &Value, name: &str) {
    let runs = variant["runs"].as_array().expect("the runs");
    assert!(!runs.is_empty());
    let tensors = package.manifest().tensors.iter();
    let outputs = tensors.filter(|tensor| tensor.role == TensorRole::Content);
    let names: Vec<&str> = outputs.map(|tensor| tensor.name.as_str()).collect();
    assert_eq!(
        names.len(),
        variant["outputs"].as_array().expect("them").len()
    );
    for run in runs {
        let samples = run["samples"].as_u64().expect("a number") as usize;
        let input = (
            TensorRole::SourceWave,
            vec![1, 1, samples],
            Given::Singles(wave(samples)),
        );
        let found = run_all(package, vec![input]).expect("the graph runs");
        for (output, values) in names.iter().zip(found) {
            let expected = run[*output].as_array().expect("its vectors").iter();
            let expected: Vec<f32> = expected
                .map(|value| value.as_f64().expect("a number") as f32)
                .collect();
            let each = run["each"].as_u64().expect("a number") as usize;
            let kept: Vec<f32> = values.into_iter().step_by(each).collect();
            assert_eq!(kept.len(), expected.len(), "{name}, {output}");
            let pairs = kept.iter().zip(&expected);
            let largest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(
                largest <= 1e-5,
                "{name}, {samples} samples, {output}: {largest:e}"
            );
        }
    }
}

#[test]
fn every_form_gives_the_vectors_that_torch_gives() {
    let golden = golden();
    for (name, variant) in golden["variants"].as_object().expect("the variants") {
        let files = variant["files"].as_array().expect("the files").iter();
        let files: Vec<PathBuf> = files
            .map(|file| fixture(file.as_str().expect("a name")))
            .collect();
        let (imported, package, _folder) = package(&files);
        assert_eq!(imported.family, Family::WaveContent);
        let runtime = Runtime::load(None).expect("the library");
        try_graph(&runtime, &package).expect("it does what an import asks of it");
        hold(&package, variant, name);
    }
}

#[test]
fn a_package_says_which_layers_it_gives_and_which_encoder_it_is() {
    let (imported, package, _folder) = package(&[
        fixture("contentvec/model.safetensors"),
        fixture("contentvec/config.json"),
    ]);
    let manifest = package.manifest();
    assert_eq!(manifest.name, "contentvec");
    let content = manifest.content.as_ref().expect("an encoder");
    assert_eq!(content.identity.as_deref(), Some("contentvec"));
    let layers = content.outputs.iter();
    let layers: Vec<_> = layers
        .map(|output| (output.tensor.as_str(), output.layer, output.projected))
        .collect();
    assert_eq!(
        layers,
        [
            ("units9", Some(9), true),
            ("units12", Some(12), true),
            ("unit12", Some(12), false)
        ]
    );
    assert!(
        imported.found[0].contains("layer 9 in 6 channels, projected"),
        "{:?}",
        imported.found
    );
    // Without the last projection there is nothing but the last layer.
    let (_, package, _folder) = self::package(&[
        fixture("japanese-hubert-base/pytorch_model.bin"),
        fixture("japanese-hubert-base/config.json"),
    ]);
    let content = package.manifest().content.clone().expect("an encoder");
    assert_eq!((content.layer, content.outputs.len()), (Some(12), 0));
    assert_eq!(content.identity.as_deref(), Some("japanese-hubert-base"));
}

#[test]
fn an_encoder_is_no_voice() {
    let files = [fixture("hubert_base.pt")];
    let (result, target) = imported(&files, Some(Kind::Voice));
    assert!(matches!(
        result,
        Err(ImportError::NotWanted {
            kind: Kind::Content
        })
    ));
    assert!(fs::read_dir(target.path()).expect("there").next().is_none());
}

fn config_with(folder: &Path, key: &str, value: Value) -> PathBuf {
    let text = fs::read_to_string(fixture("contentvec/config.json")).expect("the fixture");
    let mut config: Value = serde_json::from_str(&text).expect("JSON");
    config[key] = value;
    let path = folder.join("config.json");
    fs::write(&path, config.to_string()).expect("writable");
    path
}

#[test]
fn encoders_of_another_build_are_refused_by_what_makes_them_one() {
    let weights = fixture("contentvec/model.safetensors");
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (key, value) in [
        ("model_type", json!("wavlm")),
        ("do_stable_layer_norm", json!(true)),
        ("feat_extract_norm", json!("layer")),
        ("hidden_act", json!("relu")),
        ("conv_stride", json!([5, 2, 2, 2, 2, 2, 1])),
    ] {
        let reason = refusal(&[weights.clone(), config_with(folder.path(), key, value)]);
        assert!(reason.contains(key), "{key}: {reason}");
    }
    for (key, value, expected) in [
        ("num_attention_heads", json!(3), "in how many heads"),
        ("num_attention_heads", json!(0), "in how many heads"),
        ("layer_norm_eps", json!(7), "layer_norm_eps"),
    ] {
        let reason = refusal(&[weights.clone(), config_with(folder.path(), key, value)]);
        assert!(reason.contains(expected), "{key}: {reason}");
    }
    // So few channels as these have no heads of the usual width.
    assert!(refusal(std::slice::from_ref(&weights)).contains("give its config.json"));
}

#[test]
fn what_does_not_belong_beside_an_encoder_is_pointed_out() {
    let weights = fixture("contentvec/model.safetensors");
    let config = fixture("contentvec/config.json");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = folder.path().join("readme.txt");
    fs::write(&text, "credit: somebody").expect("writable");
    assert!(refusal(&[weights.clone(), text.clone()]).contains("config.json"));
    assert!(refusal(&[weights.clone(), config.clone(), text]).contains("nothing else"));
    let index = repository("tests/fixtures/index/flat.index");
    assert!(refusal(&[weights.clone(), config.clone(), index]).contains("only voices"));
    let second = fixture("japanese-hubert-base/pytorch_model.bin");
    assert!(refusal(&[weights, config, second]).contains("one of several models"));
}

#[test]
fn weights_with_any_byte_changed_are_imported_or_refused() {
    let original = fs::read(fixture("hubert_base.pt")).expect("the fixture");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("hubert_base.pt");
    let mut refused = 0;
    for at in (0..original.len()).step_by(original.len() / 60) {
        let mut bytes = original.clone();
        bytes[at] ^= 0x41;
        fs::write(&file, &bytes).expect("writable");
        refused += usize::from(imported(std::slice::from_ref(&file), None).0.is_err());
        fs::write(&file, &original[..at]).expect("writable");
        assert!(
            imported(std::slice::from_ref(&file), None).0.is_err(),
            "cut at {at}"
        );
    }
    assert!(refused > 10, "{refused}");
}
