//! VR models that torch wrote, imported and run: the masks of their networks, and the stems that python-audio-separator makes with them.

use std::f64::consts::TAU;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::{ImportError, Imported, Question};
use vocalhost_audio::{Block, SpoolWriter};
use vocalhost_model::once::{Given, run_once};
use vocalhost_model::{Catalog, Package, Runtime, Separator, TensorRole, try_graph};
use vocalhost_testing::repository;

fn fixture(name: &str) -> PathBuf {
    repository("tests/fixtures/vr").join(name)
}

/// What `tests/parity/vr/golden.py` wrote down.
fn golden() -> Value {
    let text = fs::read_to_string(fixture("golden.json")).expect("the fixture is there");
    serde_json::from_str(&text).expect("the fixture is JSON")
}

/// What a person says of a file, as the fixture has it.
fn told(file: PathBuf, facts: &Value) -> (Result<Imported, ImportError>, TempDir) {
    let facts = facts.as_object().expect("facts").iter();
    let facts: Vec<(&str, &str)> = facts
        .map(|(name, said)| (name.as_str(), said.as_str().expect("a text")))
        .collect();
    super::super::tests::told(&[file], &facts)
}

fn package(name: &str, facts: &Value) -> (Imported, Package, TempDir) {
    let (result, target) = told(fixture(&format!("{name}.pth")), facts);
    let imported = result.expect("it is a separator");
    let package = Package::open(target.path()).expect("a package");
    package.verify().expect("its files are what it says");
    (imported, package, target)
}

fn questions(facts: &Value) -> Vec<Question> {
    match told(fixture("vr_newer.pth"), facts).0 {
        Err(ImportError::Missing { questions }) => questions,
        other => panic!("nothing is asked: {other:?}"),
    }
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

fn numbers(value: &Value) -> Vec<f32> {
    let values = value.as_array().expect("numbers").iter();
    values
        .map(|value| value.as_f64().expect("a number") as f32)
        .collect()
}

fn largest_difference(found: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let pairs = found.iter().zip(expected);
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// `recording` of `tests/parity/vr/waves.py`.
fn recording(length: usize, rate_hz: f64) -> Vec<f32> {
    let side = |side: f64| {
        (0..length).map(move |place| {
            let place = place as f64;
            let share = place / length as f64;
            let level = if (0.2..0.8).contains(&share) {
                0.3
            } else {
                0.0
            };
            let phase = TAU * (110.0 * side + 1_500.0 * side * share) * place / rate_hz;
            let sound = phase.sin() + 0.5 * (7.3 * phase).sin() + 0.25 * (29.7 * phase).sin();
            (level * sound) as f32
        })
    };
    side(1.0).chain(side(1.6)).collect()
}

#[test]
fn masks_are_those_of_torch() {
    for (name, variant) in golden()["variants"].as_object().expect("the variants") {
        let (_, package, _folder) = package(name, &variant["facts"]);
        let shape: Vec<usize> = variant["shape"]
            .as_array()
            .expect("a shape")
            .iter()
            .map(number)
            .collect();
        let places = (0..shape.iter().product()).map(|place: usize| place as f64);
        let heard = places.map(|n| ((0.37 * n).sin() * (0.0113 * n).cos()).abs() as f32);
        let given = (
            TensorRole::MixMagnitude,
            shape,
            Given::Singles(heard.collect()),
        );
        let found = run_once(&package, vec![given]).expect("the graph runs");
        let mask = &variant["mask"];
        let kept: Vec<f32> = found.into_iter().step_by(number(&mask["each"])).collect();
        let largest = largest_difference(&kept, &numbers(&mask["given"]));
        assert!(largest <= 1e-5, "{name}: {largest:e}");
        let runtime = Runtime::load(None).expect("the library");
        try_graph(&runtime, &package).expect("it does what an import asks of it");
    }
}

#[test]
fn stems_are_those_of_the_original() {
    let runtime = Runtime::load(None).expect("the library");
    for (name, variant) in golden()["variants"].as_object().expect("the variants") {
        let (_, package, _folder) = package(name, &variant["facts"]);
        let (frames, rate_hz) = (number(&variant["frames"]), number(&variant["rate"]));
        assert_eq!(package.manifest().audio.sample_rate_hz as usize, rate_hz);
        let catalog = Catalog::open(&[]);
        let separator = Separator::load(&runtime, &package, &catalog, 2).expect("it loads");
        let place = tempfile::tempdir().expect("a temporary folder");
        let path = place.path().join("spool");
        let mut writer = SpoolWriter::create(&path, 2, rate_hz as u32).expect("made");
        let sound = Block::from_planar(2, recording(frames, rate_hz as f64));
        writer.write(&sound).expect("written");
        let source = writer.finish().expect("finished");
        let mut sides = [Vec::new(), Vec::new()];
        let mut sink = |stems: Vec<Block>| {
            for (side, heard) in sides.iter_mut().enumerate() {
                heard.extend_from_slice(stems[0].channel(side));
            }
            Ok::<_, vocalhost_model::ModelError>(())
        };
        separator
            .separate(&source, &mut sink, &mut |_| {})
            .expect("it runs");
        let stem = &variant["stem"];
        let expected = stem["given"].as_array().expect("two channels");
        let mut loudest = 0.0_f32;
        for (found, expected) in sides.iter().zip(expected) {
            let found = found.iter().take(number(&stem["length"]));
            let found: Vec<f32> = found.copied().step_by(number(&stem["each"])).collect();
            let expected = numbers(expected);
            let largest = largest_difference(&found, &expected[..found.len()]);
            assert!(largest <= 1e-4, "{name}: {largest:e}");
            loudest = expected
                .iter()
                .fold(loudest, |most, sample| most.max(sample.abs()));
        }
        assert!(loudest > 0.05, "{name}: {loudest}");
    }
}

#[test]
fn what_the_weights_do_not_say_is_asked() {
    let asked = questions(&serde_json::json!({}));
    let names: Vec<&str> = asked
        .iter()
        .map(|question| question.name.as_str())
        .collect();
    assert_eq!(names, ["vr_model_param", "stems"]);
    assert!(asked[0].allowed.iter().any(|name| name == "4band_v3"));
    let wrong = serde_json::json!({"vr_model_param": "1band_sr44100_hl512", "stems": "vocals", "frames": "100", "aggression": "51"});
    let asked = questions(&wrong);
    let texts: Vec<&str> = asked
        .iter()
        .map(|question| question.text.as_str())
        .collect();
    assert!(texts[0].contains("the network hears 672 bins"), "{texts:?}");
    assert!(texts[1].contains("out of this range"), "{texts:?}");
    assert!(
        texts[2].contains("a multiple of 16, 144 to 4096"),
        "{texts:?}"
    );
}

#[test]
fn a_separator_estimates_what_is_wanted_of_it() {
    let variants = golden();
    let said = |name: &str| {
        let (imported, package, _folder) = package(name, &variants["variants"][name]["facts"]);
        let stems = package.manifest().stems.clone().expect("a separator");
        (imported.found.join(" "), stems)
    };
    // Its mask is that of the music: what it takes away are the vocals.
    let (found, stems) = said("vr_older");
    assert_eq!(
        (stems.names, stems.residual),
        (vec!["vocals".to_owned()], None)
    );
    assert!(
        found.contains("before version 5.1, bands 2band_32000"),
        "{found}"
    );
    let (found, stems) = said("vr_newer");
    assert_eq!(stems.names, ["dry"]);
    assert!(found.contains("of version 5.1, bands 4band_v3"), "{found}");
}

#[test]
fn bands_that_do_not_go_together_are_refused() {
    let variants = golden();
    let facts = &variants["variants"]["vr_newer"]["facts"];
    let (_, _, folder) = package("vr_newer", facts);
    let path = folder.path().join("package.toml");
    let manifest = fs::read_to_string(&path).expect("a manifest");
    for (from, to, key) in [
        ("hop = 160", "hop = 150", "bands.band.hop"),
        (
            "sample_rate_hz = 14700",
            "sample_rate_hz = 14701",
            "bands.band.sample_rate_hz",
        ),
        (
            "sample_rate_hz = 14700",
            "sample_rate_hz = 44101",
            "bands.band.sample_rate_hz",
        ),
        ("n_fft = 960", "n_fft = 961", "bands.band.n_fft"),
        ("n_fft = 960", "n_fft = 4000000000", "bands.band.n_fft"),
        ("[78, 383]", "[78, 482]", "bands.band.crop"),
        ("[48, 24]", "[24, 48]", "bands.band.high_pass"),
        ("[139, 210]", "[0, 210]", "bands.band.low_pass"),
        ("[668, 672]", "[668, 673]", "bands.fade"),
        ("bins = 672", "bins = 671", "bands.bins"),
        ("channels = 2", "channels = 1", "audio.channels"),
        ("family = \"band-mask\"", "family = \"mdx-net\"", "stft"),
        ("samples = 76800", "samples = 76801", "chunk.samples"),
    ] {
        assert!(manifest.contains(from), "{from}: {manifest}");
        fs::write(&path, manifest.replace(from, to)).expect("written");
        let error = Package::open(folder.path())
            .expect_err("refused")
            .to_string();
        assert!(error.contains(key), "{from} {to}: {error}");
    }
}
