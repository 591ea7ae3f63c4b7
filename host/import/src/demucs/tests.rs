//! Demucs that its program wrote, imported and run: the same answers as the original's own network.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::testing::{imported, refusal};
use crate::torch::testing::{Pickle, archive};
use crate::{Answers, Glance, ImportError, ImportRequest, Imported, Seen, glance, import};
use vocalhost_model::once::{Given, run_all};
use vocalhost_model::{Family, Kind, Package, Runtime, TensorRole, try_graph};
use vocalhost_testing::repository;

const BINS: usize = 2_048;
const HOP: usize = 1_024;

fn fixture(name: &str) -> PathBuf {
    repository("tests/fixtures/demucs").join(name)
}

/// What `tests/parity/demucs/golden.py` wrote down.
fn golden() -> Value {
    let text = fs::read_to_string(fixture("golden.json")).expect("the fixture is there");
    serde_json::from_str(&text).expect("the fixture is JSON")
}

fn package(files: &[PathBuf]) -> (Imported, Package, TempDir) {
    let (result, target) = imported(files, None);
    let imported = result.expect("it is a Demucs");
    let package = Package::open(target.path()).expect("a package");
    package.verify().expect("its files are what it says");
    (imported, package, target)
}

fn sines(count: usize, [first, second]: [f64; 2], level: f64) -> Given {
    let numbers = (0..count).map(|n| n as f64);
    let numbers = numbers.map(|n| (level * (first * n).sin() * (second * n).cos()) as f32);
    Given::Singles(numbers.collect())
}

/// What `heard` in `tests/parity/demucs/networks.py` gives.
fn piece(samples: usize) -> Vec<(TensorRole, Vec<usize>, Given)> {
    let frames = samples.div_ceil(HOP);
    let mix = sines(2 * samples, [0.07, 0.0031], 0.3);
    let spec = sines(4 * BINS * frames, [0.37, 0.011], 1.0);
    vec![
        (TensorRole::MixWave, vec![1, 2, samples], mix),
        (TensorRole::MixSpec, vec![1, 4, BINS, frames], spec),
    ]
}

/// Holds the answers of a package's graph to those of a variant of the golden file.
fn hold(package: &Package, name: &str, variant: &Value, each: usize) {
    let samples = variant["samples"].as_u64().expect("a number") as usize;
    let found = run_all(package, piece(samples)).expect("the graph runs");
    let tensors = package.manifest().tensors.iter();
    let outputs = tensors.filter(|tensor| tensor.io == vocalhost_model::Direction::Out);
    let mut held = 0;
    for (tensor, values) in outputs.zip(found) {
        let expected = variant["answers"][&tensor.name].as_array();
        let expected = expected.expect("its answers").iter();
        let expected: Vec<f32> = expected
            .map(|value| value.as_f64().expect("a number") as f32)
            .collect();
        let kept: Vec<f32> = values.into_iter().step_by(each).collect();
        assert_eq!(kept.len(), expected.len(), "{name}, {}", tensor.name);
        let pairs = kept.iter().zip(&expected);
        let largest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(largest <= 5e-6, "{name}, {}: {largest:e}", tensor.name);
        held += 1;
    }
    assert_eq!(held, 2, "{name}");
}

#[test]
fn every_form_gives_the_answers_of_its_own_program() {
    let golden = golden();
    let each = golden["about"]["each"].as_u64().expect("a number") as usize;
    for (name, variant) in golden["variants"].as_object().expect("the variants") {
        let file = fixture(variant["file"].as_str().expect("a name"));
        let (imported, package, _folder) = package(&[file]);
        assert_eq!(imported.family, Family::DemucsSplit, "{name}");
        let manifest = package.manifest();
        let stems = variant["stems"].as_array().expect("its stems").iter();
        let stems: Vec<&str> = stems.filter_map(Value::as_str).collect();
        let named = manifest.stems.as_ref().expect("its stems");
        let named: Vec<&str> = named.names.iter().map(String::as_str).collect();
        // Of two the one that is not the vocals is all the rest.
        let stems = if stems.len() == 2 {
            vec!["vocals", "backing"]
        } else {
            stems
        };
        assert_eq!(named, stems, "{name}");
        let runtime = Runtime::load(None).expect("the library");
        try_graph(&runtime, &package).expect("it does what an import asks of it");
        hold(&package, name, variant, each);
    }
}

/// Copies of one model under two names, and a bag of them.
fn bag(folder: &Path, text: &str) -> Vec<PathBuf> {
    let names = ["04573f0d-f3cf25b2.th", "f7e0c4bc-ba3fe64a.th"];
    let mut files: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    for file in &files {
        fs::copy(fixture("955717e8-11223344.th"), file).expect("written");
    }
    let bag = folder.join("htdemucs_ft.yaml");
    fs::write(&bag, text).expect("written");
    files.push(bag);
    files
}

#[test]
fn a_bag_makes_one_package_whose_models_count_as_it_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "models: ['f7e0c4bc', '04573f0d']\nweights: [[1, 0, .5, 1], [0, 1., 0.5, 0]]\nsegment: 0.2\n";
    let files = bag(folder.path(), text);
    let (imported, package, _folder) = package(&files);
    assert!(imported.found.iter().any(|text| text.contains("2 graphs")));
    let manifest = package.manifest();
    assert_eq!(manifest.name, "htdemucs_ft");
    let bag = manifest.bag.as_ref().expect("a bag");
    assert_eq!(bag.graphs.len(), 2);
    let weights = [vec![1.0, 0.0, 0.5, 1.0], vec![0.0, 1.0, 0.5, 0.0]];
    assert_eq!(bag.weights.as_deref(), Some(&weights[..]));
    let chunk = manifest.chunk.as_ref().expect("pieces");
    assert_eq!(chunk.samples, Some(8_820));
    let runtime = Runtime::load(None).expect("the library");
    try_graph(&runtime, &package).expect("it does what an import asks of it");
}

#[test]
fn without_a_bag_several_models_are_asked_about() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = bag(folder.path(), "");
    let (result, _target) = imported(&files[..2], None);
    let Err(ImportError::Missing { questions }) = result else {
        panic!("nothing was asked: {result:?}");
    };
    assert_eq!(questions.len(), 1);
    assert_eq!(questions[0].name, "weights");
    let target = tempfile::tempdir().expect("a folder");
    let facts = [("weights".to_owned(), "equal".to_owned())];
    let said = Answers {
        facts: facts.into(),
        ..Answers::default()
    };
    let result = import(&ImportRequest {
        files: &files[..2],
        answers: &said,
        target: target.path(),
        today: "2026-11-28",
        only: Some(Kind::Separator),
        identities: &[],
    });
    assert!(result.is_ok(), "{result:?}");
}

#[test]
fn what_does_not_belong_together_is_pointed_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = bag(folder.path(), "models: ['f7e0c4bc', 'aaaaaaaa']\n");
    assert!(refusal(&files).contains("\"aaaaaaaa\""));
    assert!(refusal(&[files[0].clone(), files[2].clone()]).contains("a bag of 2 models"));
    let text = folder.path().join("readme.txt");
    fs::write(&text, "credit: somebody").expect("written");
    assert!(refusal(&[files[0].clone(), text.clone()]).contains("no list of models"));
    assert!(refusal(&[files.clone(), vec![text]].concat()).contains("nothing else"));
    let other = fixture("5c90dfd2.th");
    assert!(refusal(&[files[0].clone(), other]).contains("guitar"));
    let voice = repository("tests/fixtures/checkpoints/rvc-v1-48k-f0.pth");
    assert!(refusal(&[files[0].clone(), voice]).contains("one of several models"));
    let index = repository("tests/fixtures/index/flat.index");
    assert!(refusal(&[files[0].clone(), index]).contains("only voices"));
}

#[test]
fn a_demucs_is_a_separator_and_no_voice() {
    let file = fixture("955717e8-11223344.th");
    let (result, _folder) = imported(std::slice::from_ref(&file), Some(Kind::Voice));
    assert!(matches!(
        result,
        Err(ImportError::NotWanted {
            kind: Kind::Separator
        })
    ));
    let Glance { seen, .. } = glance(&file, &[]).expect("it is whole");
    assert!(matches!(
        seen,
        Seen::Model {
            kind: Kind::Separator,
            ..
        }
    ));
}

/// What is refused of a file that says these settings of a network, and has no weights.
fn refused_with(settings: impl Fn(Pickle) -> Pickle) -> String {
    let pickle = Pickle::dict()
        .text("klass")
        .global("demucs.htdemucs", "HTDemucs")
        .text("args")
        .code(b")")
        .text("kwargs")
        .code(b"}(")
        .text("sources")
        .code(b"](")
        .text("vocals")
        .code(b"e");
    let pickle = settings(pickle).code(b"u").text("state").code(b"}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("demucs.th");
    fs::write(&path, archive(&[("data.pkl", &pickle.end())])).expect("written");
    refusal(&[path])
}

#[test]
fn networks_of_another_build_are_refused_by_the_setting() {
    let none = |pickle: Pickle| pickle;
    assert!(
        refused_with(none).contains("0 layers"),
        "{}",
        refused_with(none)
    );
    for (key, code, wanted) in [
        ("nfft", &b"M\x00\x08"[..], "its nfft is 2048"),
        ("cac", b"\x89", "its cac is off"),
        (
            "t_sparse_self_attn",
            b"\x88",
            "its t_sparse_self_attn is on",
        ),
        ("multi_freqs", b"](K\x01e", "its multi_freqs is on"),
        ("stride", b"K\x00", "a setting stride of 0"),
        ("norm_groups", b"X\x01\0\0\0a", "a setting norm_groups"),
        ("segment", b"K\x00", "segment"),
        ("segment", b"cfractions\nFraction\n(K\x01K\x00tR", "segment"),
        (
            "segment",
            b"cfractions\nFraction\n(K\x28K\x05tR",
            "0 layers",
        ),
        ("t_emb", b"X\x04\0\0\0cape", "its t_emb is \"cape\""),
        ("sources", b"](K\x01e", "no list of short names"),
    ] {
        let reason = refused_with(|pickle| pickle.text(key).code(code));
        assert!(reason.contains(wanted), "{key}: {reason}");
    }
    let fraction =
        refused_with(|pickle| pickle.text("segment").code(b"cfractions\nFraction\n(]tR"));
    assert!(
        fraction.contains("fraction of something else"),
        "{fraction}"
    );
}

#[test]
fn a_class_is_never_made_an_object() {
    let called = refused_with(|pickle| {
        pickle
            .text("channels")
            .global("demucs.htdemucs", "HTDemucs")
            .code(b")R")
    });
    assert!(called.contains("calls a name"), "{called}");
    let older = refused_with(|pickle| pickle.text("x").global("demucs.hdemucs", "HDemucs"));
    assert!(older.contains("older build"), "{older}");
}

#[test]
fn weights_with_any_byte_changed_are_imported_or_refused() {
    let original = fs::read(fixture("plain.th")).expect("the fixture");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("plain.th");
    let mut refused = 0;
    for at in (0..original.len()).step_by(original.len() / 60) {
        let mut bytes = original.clone();
        bytes[at] ^= 0x41;
        fs::write(&file, &bytes).expect("writable");
        refused += usize::from(imported(std::slice::from_ref(&file), None).0.is_err());
    }
    assert!(refused > 10, "{refused}");
}
