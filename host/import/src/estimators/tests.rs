//! Estimators that their programs wrote, imported and run: the same salience as torch's own run of the same weights.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::ImportError;
use crate::testing::{imported, refusal};
use crate::torch::testing::Pickle;
use crate::torch::testing::archive;
use vocalhost_model::once::{Given, run_once};
use vocalhost_model::{Family, Kind, Package, Runtime, TensorRole, try_graph};
use vocalhost_testing::repository;

fn fixture(name: &str) -> PathBuf {
    repository("tests/fixtures/estimators").join(name)
}

/// What `tests/parity/listeners/golden.py` wrote down.
fn golden() -> Value {
    let text = fs::read_to_string(fixture("golden.json")).expect("the fixture is there");
    serde_json::from_str(&text).expect("the fixture is JSON")
}

fn numbers(count: usize, of: impl Fn(f64) -> f64) -> Given {
    Given::Singles((0..count).map(|n| of(n as f64) as f32).collect())
}

/// What `tests/parity/listeners/waves.py` has the networks hear.
fn input(axes: &str, frames: usize) -> (TensorRole, Vec<usize>, Given) {
    let mel = || {
        numbers(frames * 128, |n| {
            -3.0 + 2.0 * (0.37 * n).sin() * (0.011 * n).cos()
        })
    };
    match axes {
        "bands" => (TensorRole::Mel, vec![1, 128, frames], mel()),
        "frames" => (TensorRole::Mel, vec![1, frames, 128], mel()),
        _ => {
            let wave = numbers(frames * 1_024, |n| {
                0.3 * (0.07 * n).sin() * (0.0031 * n).cos()
            });
            (TensorRole::Frames, vec![frames, 1_024], wave)
        }
    }
}

#[test]
fn every_estimator_gives_the_salience_that_torch_gives() {
    let golden = golden();
    for (name, variant) in golden["variants"].as_object().expect("the variants") {
        let text = |key: &str| variant[key].as_str().expect("a text");
        let (result, target) = imported(&[fixture(text("file"))], None);
        let imported = result.expect("it is an estimator");
        let package = Package::open(target.path()).expect("a package");
        package.verify().expect("its files are what it says");
        let family = match text("axes") {
            "sound" => Family::FramesF0,
            _ => Family::SalienceF0,
        };
        assert_eq!(imported.family, family, "{name}");
        let runtime = Runtime::load(None).expect("the library");
        try_graph(&runtime, &package).expect("it does what an import asks of it");
        let kind = name.split(',').next().expect("a name");
        assert!(imported.found[0].contains(kind), "{:?}", imported.found);
        for run in variant["runs"].as_array().expect("the runs") {
            let number = |key: &str| run[key].as_u64().expect("a number") as usize;
            let given = run_once(&package, vec![input(text("axes"), number("frames"))]);
            let given = given.expect("the graph runs");
            assert_eq!(given.len(), number("frames") * 360, "{name}");
            let expected = run["salience"].as_array().expect("the salience").iter();
            let expected = expected.map(|value| value.as_f64().expect("a number") as f32);
            let pairs = given.iter().step_by(number("each")).zip(expected);
            let largest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(
                largest <= 1e-5,
                "{name}, {} frames: {largest:e}",
                number("frames")
            );
        }
    }
}

#[test]
fn an_estimator_is_one_file_and_no_voice() {
    let rmvpe = fixture("rmvpe.pt");
    let (result, _folder) = imported(std::slice::from_ref(&rmvpe), Some(Kind::Voice));
    assert!(matches!(
        result,
        Err(ImportError::NotWanted { kind: Kind::F0 })
    ));
    let index = repository("tests/fixtures/index/flat.index");
    assert!(refusal(&[rmvpe, index]).contains("one file"));
}

/// A file of torch with these words in its settings, and the beginning of a network of FCPE's.
fn fcpe_with(folder: &Path, settings: impl Fn(Pickle) -> Pickle) -> PathBuf {
    let pickle = Pickle::dict().text("config_dict").code(b"}(");
    let pickle = settings(pickle).code(b"u").text("model").code(b"}(");
    let pickle = pickle
        .text("input_stack.0.weight")
        .tensor("0", 4, &[4, 1, 1], &[1, 1, 1])
        .code(b"u")
        .end();
    let path = folder.join("fcpe.pt");
    fs::write(
        &path,
        archive(&[("data.pkl", &pickle), ("data/0", &[0, 0])]),
    )
    .expect("writable");
    path
}

#[test]
fn an_fcpe_of_other_settings_is_refused_by_the_setting() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let other_rate = fcpe_with(folder.path(), |pickle| {
        let pickle = pickle.text("mel").code(b"}(").text("sr");
        pickle
            .code(b"\x8a\x08")
            .code(&44_100_i64.to_le_bytes())
            .code(b"u")
    });
    assert!(refusal(&[other_rate]).contains("mel.sr is 44100"));
    let lacking = fcpe_with(folder.path(), |pickle| pickle.text("mel").code(b"}"));
    assert!(refusal(&[lacking]).contains("\"input_stack.0.weight\" has the shape [4, 1, 1]"));
}

#[test]
fn weights_with_any_byte_changed_are_imported_or_refused() {
    let original = fs::read(fixture("rmvpe.pt")).expect("the fixture");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("rmvpe.pt");
    let mut refused = 0;
    for at in (0..original.len()).step_by(original.len() / 60) {
        let mut bytes = original.clone();
        bytes[at] ^= 0x41;
        fs::write(&file, &bytes).expect("writable");
        refused += usize::from(imported(std::slice::from_ref(&file), None).0.is_err());
    }
    assert!(refused > 10, "{refused}");
}
