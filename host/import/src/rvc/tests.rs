//! Checkpoints that torch wrote, imported and run: the same sound as torch's own run of the same weights.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::torch::testing::{Pickle, archive, as_safetensors, with_words};
use crate::{Answers, ImportError, ImportRequest, Imported, Why, import};
use vocalhost_model::{Family, Package, RvcVersion};
use vocalhost_testing::repository;

use super::testing::largest_difference;

fn folder() -> PathBuf {
    repository("tests/fixtures/checkpoints")
}

/// What `tests/parity/checkpoints/golden.py` wrote down.
fn golden() -> Value {
    let text = fs::read_to_string(folder().join("golden.json")).expect("the fixture is there");
    serde_json::from_str(&text).expect("the fixture is JSON")
}

struct Import {
    result: Result<Imported, ImportError>,
    target: tempfile::TempDir,
}

fn imported_with(file: &Path, facts: &[(&str, &str)]) -> Import {
    let target = tempfile::tempdir().expect("a temporary folder");
    let facts = facts
        .iter()
        .map(|(name, fact)| ((*name).to_owned(), (*fact).to_owned()));
    let answers = Answers {
        license: Some("MIT".to_owned()),
        facts: facts.collect::<BTreeMap<_, _>>(),
        ..Answers::default()
    };
    let result = import(&ImportRequest {
        files: &[file.to_owned()],
        answers: &answers,
        target: target.path(),
        today: "2026-11-21",
        only: None,
        identities: &[],
    });
    Import { result, target }
}

fn package(name: &str) -> (Imported, Package, tempfile::TempDir) {
    let import = imported_with(&folder().join(format!("{name}.pth")), &[]);
    let imported = import.result.expect("the checkpoint is a voice");
    let package = Package::open(import.target.path()).expect("a package");
    package.verify().expect("its files are what it says");
    (imported, package, import.target)
}

#[test]
fn every_variant_sounds_as_torch_says() {
    let golden = golden();
    for name in golden["variants"].as_object().expect("the variants").keys() {
        let (_, package, _folder) = package(name);
        let largest = largest_difference(&package, &golden, name);
        assert!(largest <= 1e-5, "{name}: {largest:e}");
    }
}

#[test]
fn a_package_says_what_the_checkpoint_is() {
    let (imported, package, _folder) = package("applio-v2-48k-f0");
    assert_eq!(imported.family, Family::Rvc);
    let manifest = package.manifest();
    assert_eq!(
        (manifest.name.as_str(), manifest.attribution.as_str()),
        ("A Voice", "Somebody")
    );
    assert_eq!(
        (manifest.license.as_str(), manifest.audio.sample_rate_hz),
        ("MIT", 48_000)
    );
    let voice = manifest.voice.as_ref().expect("a voice");
    assert_eq!(
        (voice.upp, voice.content_dim, voice.content.as_deref()),
        (480, 768, None)
    );
    assert!((voice.noise_scale - 0.666_66).abs() < 1e-9);
    let rvc = manifest.rvc.as_ref().expect("a voice of RVC");
    assert_eq!(
        (rvc.version, rvc.f0, rvc.content_layer),
        (RvcVersion::V2, true, 12)
    );
    assert!(
        imported.found[0].contains("v2, 48000 Hz, with F0"),
        "{:?}",
        imported.found
    );
    let (imported, package, _folder) = self::package("rvc-v2-40k");
    let rvc = package.manifest().rvc.as_ref().expect("a voice of RVC");
    assert!(!rvc.f0 && imported.found[0].contains("without F0"));
    let (imported, package, _folder) = self::package("rvc-v1-48k-f0");
    let rvc = package.manifest().rvc.as_ref().expect("a voice of RVC");
    assert_eq!(
        (rvc.version, rvc.content_layer, rvc.content_dim),
        (RvcVersion::V1, 9, 256)
    );
    assert!(
        imported.found[1].contains("200epoch"),
        "{:?}",
        imported.found
    );
}

#[test]
fn voices_of_other_decoders_are_told_by_their_weights_and_must_say_the_same() {
    for (name, decoder, rate) in [
        ("mrf-v2-24k-f0", "MRF HiFi-GAN", 24_000),
        ("refinegan-v2-32k-f0", "RefineGAN", 32_000),
    ] {
        let (imported, package, _folder) = package(name);
        assert_eq!(package.manifest().audio.sample_rate_hz, rate, "{name}");
        let said = &imported.found[0];
        assert!(said.contains(decoder), "{name}: {said}");
    }
    // A voice that calls its decoder what its weights are not.
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let original = folder().join("rvc-v1-48k-f0.pth");
    fs::write(
        file.path(),
        with_words(&original, &[("vocoder", "RefineGAN")]),
    )
    .expect("writable");
    let reason = reason(imported_with(file.path(), &[]).result);
    assert!(
        reason.contains("\"RefineGAN\", and its weights are those of HiFi-GAN"),
        "{reason}"
    );
}

#[test]
fn weights_keep_their_names_and_their_precision() {
    let (_, package, _folder) = package("rvc-v2-40k");
    let graph = fs::read(package.folder().join("voice.onnx")).expect("the graph");
    let checkpoint = fs::metadata(folder().join("rvc-v2-40k.pth"))
        .expect("there")
        .len();
    // As halves the weights are no larger than they were.
    assert!((graph.len() as u64) < checkpoint);
    for name in [
        "enc_p.emb_phone.weight",
        "dec.ups.0.weight_g",
        "flow.flows.2.post.bias",
        "emb_g.weight",
    ] {
        let found = graph
            .windows(name.len())
            .any(|window| window == name.as_bytes());
        assert!(found, "{name}");
    }
}

#[test]
fn the_same_file_gives_the_same_package() {
    let (first, a, _folder) = package("rvc-v2-40k");
    let (second, b, _other) = package("rvc-v2-40k");
    assert_eq!(first.id, second.id);
    let manifest = |package: &Package| fs::read(package.folder().join("package.toml")).expect("it");
    assert_eq!(manifest(&a), manifest(&b));
}

#[test]
fn a_voice_in_safetensors_has_the_graph_of_its_checkpoint() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let weights = as_safetensors(&folder().join("rvc-v2-40k.pth"), "weight");
    fs::write(file.path(), weights).expect("writable");
    let import = imported_with(file.path(), &[]);
    let imported = import.result.expect("it is a voice");
    assert!(
        imported.found[0].starts_with("A checkpoint of RVC: v2"),
        "{:?}",
        imported.found
    );
    let (_, package, _folder) = package("rvc-v2-40k");
    let graph = |folder: &Path| fs::read(folder.join("voice.onnx")).expect("the graph");
    assert_eq!(graph(import.target.path()), graph(package.folder()));
}

#[test]
fn the_speaker_can_be_said_and_a_slip_is_pointed_out() {
    let file = folder().join("rvc-v2-40k.pth");
    let import = imported_with(&file, &[("speaker", "2")]);
    import.result.expect("a voice");
    let package = Package::open(import.target.path()).expect("a package");
    assert_eq!(
        package.manifest().voice.as_ref().expect("a voice").speaker,
        2
    );
    let import = imported_with(&file, &[("speaker", "3")]);
    let Err(ImportError::Missing { questions }) = import.result else {
        panic!("there are three speakers");
    };
    assert_eq!(questions[0].why, Why::Wrong);
    assert!(
        questions[0].text.contains("3 speakers, 0 to 2"),
        "{questions:?}"
    );
    assert!(
        fs::read_dir(import.target.path())
            .expect("there")
            .next()
            .is_none()
    );
}

/// A checkpoint of `entries` and nothing else, imported.
fn crafted(pickle: &[u8], entries: &[(&str, &[u8])]) -> Result<Imported, ImportError> {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let all: Vec<(&str, &[u8])> = [("data.pkl", pickle)]
        .into_iter()
        .chain(entries.iter().copied())
        .collect();
    fs::write(file.path(), archive(&all)).expect("writable");
    let import = imported_with(file.path(), &[]);
    let left = fs::read_dir(import.target.path()).expect("there").next();
    assert!(left.is_none(), "nothing is left behind");
    import.result
}

fn reason(result: Result<Imported, ImportError>) -> String {
    match result {
        Err(ImportError::Refused { reason, .. }) => reason,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn what_is_no_id_of_a_package_is_no_encoder_and_no_estimator() {
    let file = folder().join("rvc-v1-48k-f0.pth");
    for name in ["content", "f0"] {
        let import = imported_with(&file, &[(name, "../../x")]);
        let Err(ImportError::Missing { questions }) = import.result else {
            panic!("it is a path");
        };
        assert_eq!(
            (questions[0].name.as_str(), questions[0].why),
            (name, Why::Wrong)
        );
    }
}

#[test]
fn a_first_generation_voice_listens_to_the_layer_that_its_program_trains_on() {
    let original = folder().join("rvc-v1-48k-f0.pth");
    let encoder = ("embedder_model", "contentvec_base");
    for (words, layer) in [
        (&[][..], 9),
        (&[encoder, ("vocoder", "HiFi-GAN")], 12),
        (&[encoder, ("vocoder", "Default")], 9),
    ] {
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(file.path(), with_words(&original, words)).expect("writable");
        let import = imported_with(file.path(), &[]);
        let imported = import.result.expect("the checkpoint is a voice");
        let package = Package::open(import.target.path()).expect("a package");
        let rvc = package.manifest().rvc.as_ref().expect("a voice of RVC");
        assert_eq!((rvc.version, rvc.content_layer), (RvcVersion::V1, layer));
        let is_said = imported.found.iter().any(|said| said.contains("layer 12"));
        assert_eq!(is_said, layer == 12, "{:?}", imported.found);
    }
}

#[test]
fn what_is_no_voice_is_refused_with_the_reason() {
    let word = |key: &str, value: &str| {
        Pickle::dict()
            .text("weight")
            .code(b"}")
            .text(key)
            .text(value)
            .end()
    };
    for (pickle, expected) in [
        (
            Pickle::dict().text("state_dict").code(b"}").end(),
            "no voice of RVC",
        ),
        (word("vocoder", "BigVGAN"), "BigVGAN"),
        (word("vocoder", "RefineGAN2"), "RefineGAN2"),
        (word("embedder_name", "hubert"), "fork"),
        (word("version", "voras_beta"), "voras_beta"),
        (
            Pickle::dict()
                .text("weight")
                .code(b"}")
                .text("config")
                .code(b"]")
                .end(),
            "fork",
        ),
        (
            Pickle::dict().text("weight").code(b"}").end(),
            "enc_p.emb_phone.weight",
        ),
    ] {
        let reason = reason(crafted(&pickle, &[]));
        assert!(reason.contains(expected), "{expected}: {reason}");
    }
    let discriminator = Pickle::dict()
        .text("model")
        .code(b"}(")
        .text("discriminators.0.convs.0.weight")
        .tensor("0", 1, &[1], &[1])
        .code(b"u")
        .end();
    assert!(reason(crafted(&discriminator, &[])).contains("discriminator"));
}

#[test]
fn shapes_that_no_file_can_have_are_refused_before_anything_is_made() {
    let huge = 1_i64 << 40;
    let pickle = Pickle::dict()
        .text("weight")
        .code(b"}(")
        .text("enc_p.emb_phone.weight")
        .tensor("0", huge, &[huge / 256, 256], &[256, 1])
        .code(b"u")
        .end();
    assert!(
        reason(crafted(&pickle, &[("data/0", b"")])).contains("cannot be in a file of this length")
    );
}

#[test]
fn a_checkpoint_with_any_byte_changed_is_imported_or_refused() {
    let original = fs::read(folder().join("rvc-v2-40k.pth")).expect("the fixture");
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut refused = 0;
    // The pickle is looked at closely by its own tests; these go over the whole archive.
    for at in (0..original.len()).step_by(original.len() / 150) {
        let mut bytes = original.clone();
        bytes[at] ^= 0x41;
        fs::write(file.path(), bytes).expect("writable");
        refused += usize::from(imported_with(file.path(), &[]).result.is_err());
    }
    assert!(refused > 50, "{refused}");
}
