//! Separators that torch wrote, imported and run: the same masks and spectra as torch's own run of the same weights.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::testing::{imported, refusal};
use crate::{Answers, ImportError, ImportRequest, Imported, Question, Seen, Why, glance, import};
use vocalhost_model::once::{Given, run_once};
use vocalhost_model::{
    AnalysisWindow, Kind, Package, Runtime, SpectralOutput, TensorRole, try_graph,
};
use vocalhost_testing::repository;

fn fixture(name: &str) -> PathBuf {
    repository("tests/fixtures/separators").join(name)
}

/// What `tests/parity/separator_weights/golden.py` wrote down.
fn golden() -> Value {
    let text = fs::read_to_string(fixture("golden.json")).expect("the fixture is there");
    serde_json::from_str(&text).expect("the fixture is JSON")
}

/// `sin(0.37 n) cos(0.0113 n)`, as in `tests/parity/separator_weights/waves.py`.
fn spectrum(count: usize) -> Vec<f32> {
    let places = (0..count).map(|place| place as f64);
    let values = places.map(|n| ((0.37 * n).sin() * (0.0113 * n).cos()) as f32);
    values.collect()
}

fn package(files: &[PathBuf]) -> (Imported, Package, TempDir) {
    let (result, target) = imported(files, None);
    let imported = result.expect("it is a separator");
    let package = Package::open(target.path()).expect("a package");
    package.verify().expect("its files are what it says");
    (imported, package, target)
}

/// Imports files of which a person says this.
pub(super) fn told(
    files: &[PathBuf],
    facts: &[(&str, &str)],
) -> (Result<Imported, ImportError>, TempDir) {
    let target = tempfile::tempdir().expect("a temporary folder");
    let facts = facts
        .iter()
        .map(|(name, said)| ((*name).to_owned(), (*said).to_owned()));
    let answers = Answers {
        facts: facts.collect::<BTreeMap<_, _>>(),
        ..Answers::default()
    };
    let result = import(&ImportRequest {
        files,
        answers: &answers,
        target: target.path(),
        today: "2026-11-28",
        only: None,
        identities: &[],
    });
    (result, target)
}

fn questions(files: &[PathBuf], facts: &[(&str, &str)]) -> Vec<Question> {
    match told(files, facts).0 {
        Err(ImportError::Missing { questions }) => questions,
        other => panic!("nothing is asked: {other:?}"),
    }
}

fn names(questions: &[Question]) -> Vec<&str> {
    let names = questions.iter().map(|question| question.name.as_str());
    names.collect()
}

#[test]
fn every_form_gives_what_torch_gives() {
    let golden = golden();
    for (name, variant) in golden["variants"].as_object().expect("the variants") {
        let files = variant["files"].as_array().expect("the files").iter();
        let files: Vec<PathBuf> = files
            .map(|file| fixture(file.as_str().expect("a name")))
            .collect();
        let (_, package, _folder) = package(&files);
        let shape = variant["shape"].as_array().expect("the shape").iter();
        let shape: Vec<usize> = shape
            .map(|length| length.as_u64().expect("a number") as usize)
            .collect();
        let heard = Given::Singles(spectrum(shape.iter().product()));
        let found = run_once(&package, vec![(TensorRole::MixSpec, shape, heard)]);
        let each = variant["each"].as_u64().expect("a number") as usize;
        let kept = found.expect("the graph runs").into_iter().step_by(each);
        let kept: Vec<f32> = kept.collect();
        let expected = variant["given"].as_array().expect("its numbers").iter();
        let expected: Vec<f32> = expected
            .map(|value| value.as_f64().expect("a number") as f32)
            .collect();
        assert_eq!(kept.len(), expected.len(), "{name}");
        let pairs = kept.iter().zip(&expected);
        let largest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        let peak = expected
            .iter()
            .fold(1.0_f32, |peak, one| peak.max(one.abs()));
        assert!(largest <= 1e-5 * peak, "{name}: {largest:e}, {peak}");
        let runtime = Runtime::load(None).expect("the library");
        try_graph(&runtime, &package).expect("it does what an import asks of it");
    }
}

#[test]
fn settings_beside_the_weights_say_what_these_do_not() {
    let (imported, package, _folder) = package(&[fixture("mel.ckpt"), fixture("mel.yaml")]);
    let manifest = package.manifest();
    let stems = manifest.stems.as_ref().expect("a separator");
    assert_eq!(stems.names, ["vocals"]);
    let stft = manifest.stft.expect("a transform");
    assert_eq!((stft.n_fft, stft.hop), (64, 16));
    let chunk = manifest.chunk.as_ref().expect("pieces");
    assert_eq!((chunk.samples, chunk.step), (Some(200), Some(100)));
    assert!(
        imported.found[0].contains("Mel-Band RoFormer") && imported.found[0].contains("vocals"),
        "{:?}",
        imported.found
    );
    assert!(
        imported.found[1].contains("attention"),
        "{:?}",
        imported.found
    );
    let (_, package, _folder) =
        self::package(&[fixture("bs_stems.ckpt"), fixture("bs_stems.yaml")]);
    let stems = package.manifest().stems.clone().expect("a separator");
    assert_eq!(stems.names, ["drums", "bass", "other", "vocals"]);
    let seen = glance(&fixture("bs.ckpt"), &[]).expect("it is whole").seen;
    assert!(
        matches!(seen, Seen::Model { kind: Kind::Separator, ref name, .. } if name == "bs"),
        "{seen:?}"
    );
}

#[test]
fn networks_that_give_spectra_have_their_own_pieces() {
    let (_, package, _folder) = package(&[fixture("mdx23c.ckpt"), fixture("mdx23c.yaml")]);
    let manifest = package.manifest();
    let stems = manifest.stems.as_ref().expect("a separator");
    assert_eq!(stems.names, ["vocals", "backing"]);
    assert_eq!(manifest.stft.expect("a transform").bins(), 32);
    let bare = [fixture("mdx23c.ckpt")];
    let asked = questions(&bare, &[]);
    assert_eq!(names(&asked), ["n_fft", "hop", "stems"]);
    let said = [
        ("n_fft", "64"),
        ("hop", "16"),
        ("stems", "vocals,backing"),
        ("samples", "170"),
    ];
    let asked = questions(&bare, &said);
    assert_eq!(names(&asked), ["samples"]);
    assert!(asked[0].text.contains("multiple of 4"), "{asked:?}");
}

#[test]
fn an_scnet_hears_what_its_original_hears() {
    let (imported, package, _folder) = package(&[fixture("scnet.ckpt"), fixture("scnet.yaml")]);
    let manifest = package.manifest();
    let stft = manifest.stft.expect("a transform");
    assert_eq!((stft.n_fft, stft.hop, stft.frames_of(150)), (64, 16, 12));
    assert_eq!((stft.normalized, stft.silence_behind), (true, 26));
    assert_eq!(stft.window, AnalysisWindow::Rect);
    let chunk = manifest.chunk.as_ref().expect("pieces");
    assert_eq!((chunk.samples, chunk.step), (Some(150), Some(37)));
    assert!(
        imported.found[0].contains("An SCNet"),
        "{:?}",
        imported.found
    );
    let masked = [fixture("scnet_masked.ckpt"), fixture("scnet_masked.yaml")];
    let (_, package, _folder) = self::package(&masked);
    let stft = package.manifest().stft.expect("a transform");
    assert_eq!(
        (stft.window, stft.output),
        (AnalysisWindow::HannPeriodic, SpectralOutput::Mask)
    );
}

#[test]
fn the_bands_of_an_scnet_are_not_guessed() {
    let bare = [fixture("scnet.ckpt")];
    let asked = questions(&bare, &[]);
    assert_eq!(names(&asked), ["bands", "stems"]);
    assert!(asked[0].text.contains("band_SR"), "{asked:?}");
    let said = |bands, samples| {
        [
            ("n_fft", "64"),
            ("hop", "16"),
            ("stems", "drums,bass,other,vocals"),
            ("bands", bands),
            ("samples", samples),
        ]
    };
    for (bands, samples, wanted) in [
        ("0.7,0.5", "150", "bands"),
        ("0.3", "150", "bands"),
        ("0.3,low", "150", "bands"),
        // Over four thousand frames, each of which becomes a frequency of all.
        ("0.3,0.3", "66000", "samples"),
    ] {
        let asked = questions(&bare, &said(bands, samples));
        assert_eq!((names(&asked), asked[0].why), (vec![wanted], Why::Wrong));
    }
    // Settings that say all but the shares.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = fs::read_to_string(fixture("scnet.yaml")).expect("the fixture");
    let settings = folder.path().join("scnet.yaml");
    let text = text.replace("dims:", "sizes:").replace("band_SR:", "more:");
    fs::write(&settings, text).expect("writable");
    let both = [fixture("scnet.ckpt"), settings];
    assert_eq!(names(&questions(&both, &[])), ["bands"]);
    let (result, _target) = told(&both, &[("bands", "0.3,0.3,0.4")]);
    result.expect("everything is said");
    let refused = told(&both, &[("bands", "0.001,0.01")]).0;
    let Err(ImportError::Refused { reason, .. }) = refused else {
        panic!("not refused: {refused:?}");
    };
    assert!(reason.contains("band_SR"), "{reason}");
}

#[test]
fn what_nobody_says_is_asked_for_by_name() {
    let bare = [fixture("bs.ckpt")];
    let asked = questions(&bare, &[]);
    assert_eq!(names(&asked), ["hop", "stems"]);
    assert!(asked[0].text.contains("stft_hop_length"), "{asked:?}");
    let wrong = [("stems", "vocals"), ("hop", "33"), ("samples", "2000")];
    let asked = questions(&bare, &wrong);
    assert_eq!(names(&asked), ["hop"]);
    assert!(asked[0].text.contains("1 to as many"), "{asked:?}");
    let wrong = [("stems", "vocals"), ("hop", "8"), ("samples", "9")];
    let asked = questions(&bare, &wrong);
    assert_eq!((names(&asked), asked[0].why), (vec!["samples"], Why::Wrong));
    let facts = [
        ("stems", "instrumental"),
        ("hop", "8"),
        ("samples", "96"),
        ("pieces", "4"),
    ];
    let (result, target) = told(&bare, &facts);
    result.expect("everything is said");
    let package = Package::open(target.path()).expect("a package");
    let manifest = package.manifest();
    assert_eq!(manifest.stft.expect("a transform").n_fft, 32);
    assert_eq!(manifest.chunk.as_ref().expect("pieces").step, Some(24));
    let stems = manifest.stems.as_ref().expect("a separator");
    assert_eq!(stems.residual.as_deref(), Some("vocals"));
}

/// Settings with a line changed, in a folder.
fn changed(folder: &Path, name: &str, line: &str, with: &str) -> PathBuf {
    let text = fs::read_to_string(fixture(name)).expect("the fixture");
    assert!(text.contains(line), "{line}");
    let path = folder.join("changed.yaml");
    fs::write(&path, text.replacen(line, with, 1)).expect("writable");
    path
}

#[test]
fn settings_that_cannot_be_are_refused_with_their_names() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (line, with, wanted) in [
        (
            "stft_hop_length: 8",
            "stft_hop_length: x",
            "model.stft_hop_length",
        ),
        ("stft_n_fft: 32", "stft_n_fft: 64", "64 samples"),
        ("stereo: true", "stereo: false", "two channels"),
        (
            "sample_rate: 44100",
            "sample_rate: 48000",
            "audio.sample_rate",
        ),
        ("dim: 8", "use_pope: true", "use_pope"),
        ("stereo: true", "stereo: &x true\n  dim: *x", "line"),
        (
            "instruments:",
            "instruments: [[]]\n  more:",
            "training.instruments",
        ),
    ] {
        let settings = changed(folder.path(), "bs.yaml", line, with);
        let reason = refusal(&[fixture("bs.ckpt"), settings]);
        assert!(reason.contains(wanted), "{wanted}: {reason}");
    }
    let other = folder.path().join("notes.txt");
    fs::write(&other, "Thank you!").expect("writable");
    let reason = refusal(&[fixture("bs.ckpt"), other]);
    assert!(reason.contains("(.yaml)"), "{reason}");
    let settings = changed(
        folder.path(),
        "bs.yaml",
        "chunk_size: 96",
        "chunk_size: 99999999",
    );
    let asked = questions(&[fixture("bs.ckpt"), settings], &[]);
    assert_eq!(names(&asked), ["samples"]);
}

#[test]
fn a_separator_is_no_voice_and_one_of_another_build_says_why() {
    let (result, target) = imported(&[fixture("bs.ckpt")], Some(Kind::Voice));
    assert!(matches!(
        result,
        Err(ImportError::NotWanted {
            kind: Kind::Separator
        })
    ));
    assert!(fs::read_dir(target.path()).expect("there").next().is_none());
    let whole = fs::read(fixture("mel_stems.safetensors")).expect("the fixture");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let other = folder.path().join("other.safetensors");
    let renamed = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let mut bytes = whole.clone();
        let at = bytes
            .windows(from.len())
            .position(|window| window == from.as_bytes())
            .expect("the name is there");
        bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        fs::write(&other, bytes).expect("writable");
        refusal(&[other.clone(), fixture("mel_stems.yaml")])
    };
    let reason = renamed(
        "layers.0.0.layers.0.0.to_gates.bias",
        "layers.0.0.layers.0.0.to_gates.cias",
    );
    assert!(reason.contains("lacks the weight"), "{reason}");
    let reason = renamed("\"layers.0.0.norm.gamma\"", "\"layers.0.0.form.gamma\"");
    assert!(
        reason.contains("form.gamma") && reason.contains("ONNX"),
        "{reason}"
    );
}
