//! Voices of RVC through the pipeline that they were made for, held to the numbers of `tests/parity/rvc_pipeline`.

use std::f64::consts::TAU;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;
use vocalhost_audio::Block;
use vocalhost_model::{Catalog, ConversionParameters, ModelError, Runtime, VoiceConverter};
use vocalhost_testing::repository;

use super::sound::{models_folder, spool, voice_from};

/// The largest difference from the reference, in shares of full scale.
const LIMIT: f32 = 1e-4;

fn folder() -> PathBuf {
    repository("tests/fixtures/rvc")
}

/// The recording that the reference works on.
fn recording(samples: usize) -> Vec<f32> {
    (0..samples)
        .map(|n| {
            let n = n as f64;
            let sweep = (TAU * (140.0 * n / 16_000.0 + 30.0 * (n / 9_000.0).sin())).sin();
            let tone = (TAU * 1_234.5 * n / 16_000.0 + 1.0).sin();
            let rumble = (TAU * 7.0 * n / 16_000.0).sin();
            let loudness = 0.05 + 0.95 * (n * 0.000_23).sin().abs();
            ((0.6 * sweep + 0.35 * tone + 0.15 * rumble) * loudness) as f32
        })
        .collect()
}

/// The voice's own sound at its own rate.
fn speak(voice: &VoiceConverter, source: &[f32], parameters: &ConversionParameters) -> Vec<f32> {
    let mut sound = Vec::new();
    let mut last = 0.0;
    let mut sink = |block: Block| -> Result<(), ModelError> {
        sound.extend_from_slice(block.channel(0));
        Ok(())
    };
    let mut progress = |share: f64| {
        assert!(share >= last, "progress goes back");
        last = share;
    };
    voice
        .convert(&spool(source), parameters, &mut sink, &mut progress)
        .expect("converts");
    sound
}

fn parameters(case: &Value) -> ConversionParameters {
    let number = |key: &str| case[key].as_f64().expect("a number");
    ConversionParameters {
        conversion_strength: number("conversion_strength"),
        model_volume_mix: number("model_volume_mix"),
        pitch_shift: number("pitch_shift"),
        auto_pitch: false,
        seed: case["seed"].as_u64().expect("a seed"),
    }
}

fn worst(found: &[f32], expected: &[f32]) -> f32 {
    let pairs = found.iter().zip(expected);
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// A copy of the packages whose files may be changed.
pub(super) fn copy() -> TempDir {
    let copy = tempfile::tempdir().expect("a temporary folder");
    for package in ["encoder", "estimator", "voice", "nono"] {
        let target = copy.path().join(package);
        fs::create_dir(&target).expect("a folder");
        for entry in fs::read_dir(folder().join(package)).expect("the package") {
            let entry = entry.expect("an entry");
            fs::copy(entry.path(), target.join(entry.file_name())).expect("a copy");
        }
    }
    copy
}

pub(super) fn edit(folder: &Path, package: &str, from: &str, to: &str) {
    let path = folder.join(package).join("package.toml");
    let text = fs::read_to_string(&path).expect("a manifest");
    assert!(text.contains(from), "{from:?} is not in {package}");
    fs::write(path, text.replacen(from, to, 1)).expect("written");
}

/// A voice that keeps in time with the recording, with or without a cross-fade.
fn exact_voice(cross_fade: bool, threads: usize) -> VoiceConverter {
    let copy = copy();
    let cross_fade = format!("cross_fade = {cross_fade}");
    edit(
        copy.path(),
        "voice",
        "exact_length = false",
        "exact_length = true",
    );
    edit(copy.path(), "voice", "cross_fade = false", &cross_fade);
    let catalog = Catalog::open(&[copy.path().to_owned()]);
    voice_from(&catalog, "test.rvc-voice", threads)
}

const PLAIN: ConversionParameters = ConversionParameters {
    conversion_strength: 0.75,
    model_volume_mix: 1.0,
    pitch_shift: 0.0,
    auto_pitch: false,
    seed: 4,
};

#[test]
fn the_pipeline_equals_the_reference_step_by_step() {
    let catalog = Catalog::open(&[folder()]);
    assert!(catalog.rejected().is_empty(), "{:?}", catalog.rejected());
    let cases = fs::read_to_string(folder().join("cases.json")).expect("the cases");
    let cases: Value = serde_json::from_str(&cases).expect("JSON");
    for (name, case) in cases.as_object().expect("cases") {
        let id = format!("test.rvc-{}", case["voice"].as_str().expect("a voice"));
        let samples = case["samples"].as_u64().expect("a number") as usize;
        let bytes = fs::read(folder().join(format!("{name}.f32"))).expect("the numbers");
        let expected: Vec<f32> = bytes
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
            .collect();
        let copy = copy();
        if let Some(profile) = case["profile"].as_str() {
            let with = format!("profile = \"{profile}\"\nexact_length");
            edit(copy.path(), "voice", "exact_length", &with);
        }
        if let Some(threshold) = case["threshold"].as_f64() {
            let with = format!("threshold = {threshold}");
            edit(copy.path(), "estimator", "threshold = 0.03", &with);
        }
        let catalog = Catalog::open(&[copy.path().to_owned()]);
        for threads in [1, 3] {
            let voice = voice_from(&catalog, &id, threads);
            let found = speak(&voice, &recording(samples), &parameters(case));
            assert_eq!(found.len(), samples.div_ceil(2), "{name}: its length");
            let (spoken, rest) = found.split_at(expected.len());
            let off = worst(spoken, &expected);
            eprintln!("{name}, {threads} threads: {off:.1e}");
            assert!(off <= LIMIT, "{name}: off by {off}");
            // The original's result is shorter; the rest is silence.
            assert!(rest.iter().all(|sample| *sample == 0.0), "{name}: its end");
        }
    }
}

#[test]
fn an_exact_result_keeps_in_time_and_sounds_to_the_end() {
    let voice = exact_voice(true, 2);
    for samples in [1, 17, 18, 19, 159, 160, 161, 4_801, 20_000, 50_001] {
        let found = speak(&voice, &recording(samples), &PLAIN);
        assert_eq!(found.len(), samples.div_ceil(2));
        let end = &found[found.len().saturating_sub(40)..];
        assert!(
            end.iter().any(|sample| *sample != 0.0),
            "{samples}: its end"
        );
    }
    assert!(speak(&voice, &[], &PLAIN).is_empty());
    // Nothing but the content of a few frames differs from the original's result where that has not lost time yet.
    let catalog = Catalog::open(&[folder()]);
    let original = voice_from(&catalog, "test.rvc-voice", 1);
    let source = recording(50_001);
    let (exact, strict) = (
        speak(&voice, &source, &PLAIN),
        speak(&original, &source, &PLAIN),
    );
    assert!(worst(&exact[..6_000], &strict[..6_000]) <= LIMIT);
    assert!(worst(&exact, &strict) > LIMIT, "the original loses no time");
}

#[test]
fn a_cross_fade_changes_only_the_seams() {
    let source = recording(50_001);
    let with = speak(&exact_voice(true, 1), &source, &PLAIN);
    let without = speak(&exact_voice(false, 1), &source, &PLAIN);
    let differing = with
        .iter()
        .zip(&without)
        .filter(|(a, b)| a.to_bits() != b.to_bits());
    let differing = differing.count();
    // Three seams of 10 ms at 8 kHz.
    assert!((1..=240).contains(&differing), "{differing} samples");
}

#[test]
fn noise_follows_the_seed_and_nothing_else() {
    let source = recording(30_000);
    let voice = exact_voice(true, 1);
    let first = speak(&voice, &source, &PLAIN);
    assert!(
        first == speak(&exact_voice(true, 3), &source, &PLAIN),
        "threads"
    );
    let other = ConversionParameters { seed: 5, ..PLAIN };
    assert!(
        first != speak(&voice, &source, &other),
        "the seed is unused"
    );
}

#[test]
fn silence_and_the_loudest_square_wave_give_finite_sound() {
    let voice = exact_voice(true, 1);
    let square: Vec<f32> = (0..20_000)
        .map(|n| if n / 50 % 2 == 0 { 1.0 } else { -1.0 })
        .collect();
    for source in [vec![0.0; 20_000], square] {
        for model_volume_mix in [0.0, 1.0] {
            let parameters = ConversionParameters {
                model_volume_mix,
                ..PLAIN
            };
            let found = speak(&voice, &source, &parameters);
            assert!(found.iter().all(|sample| sample.is_finite()));
        }
    }
}

#[test]
fn a_voice_waits_for_its_encoder_and_says_which() {
    let copy = copy();
    let encoder = copy.path().join("encoder");
    let elsewhere = tempfile::tempdir().expect("a temporary folder");
    let moved = elsewhere.path().join("encoder");
    fs::rename(&encoder, &moved).expect("moved");
    let catalog = Catalog::open(&[copy.path().to_owned(), models_folder()]);
    let package = catalog
        .find("test.rvc-voice")
        .expect("it stays in the catalog");
    let reason = catalog
        .parts(package.manifest())
        .expect_err("missing")
        .to_string();
    for word in ["content encoder", "layer 12", "16 channels"] {
        assert!(reason.contains(word), "{reason}");
    }
    let runtime = Runtime::load(None).expect("the set-up has installed the library");
    let error = VoiceConverter::load(&runtime, package, &catalog, 1).err();
    let error = error.expect("refused").to_string();
    assert!(error.contains("layer 12"), "{error}");
    let catalog = Catalog::open(&[copy.path().to_owned(), elsewhere.path().to_owned()]);
    let package = catalog.find("test.rvc-voice").expect("the voice");
    let parts = catalog.parts(package.manifest()).expect("all is there");
    assert_eq!(parts.content.manifest().id, "test.hubert");
    assert_eq!(parts.f0.expect("an estimator").manifest().id, "test.rmvpe");
}

#[test]
fn an_encoder_in_another_layout_gives_the_same_content() {
    let copy = copy();
    fs::remove_dir_all(copy.path().join("encoder")).expect("removed");
    let layouts = folder().with_file_name("rvc-layouts");
    let catalog = Catalog::open(&[copy.path().to_owned(), layouts]);
    assert!(catalog.rejected().is_empty(), "{:?}", catalog.rejected());
    let source = recording(30_000);
    let found = speak(&voice_from(&catalog, "test.rvc-voice", 1), &source, &PLAIN);
    let plain = Catalog::open(&[folder()]);
    let expected = speak(&voice_from(&plain, "test.rvc-voice", 1), &source, &PLAIN);
    assert!(worst(&found, &expected) <= 1e-5);
}

#[test]
fn an_encoder_of_another_layer_or_length_does_not_fit() {
    for (from, to) in [
        ("layer = 12", "layer = 9"),
        ("content_dim = 16", "content_dim = 8"),
    ] {
        let copy = copy();
        if from.starts_with("layer") {
            edit(copy.path(), "encoder", from, to);
        } else {
            edit(copy.path(), "voice", "[1, \"T\", 16]", "[1, \"T\", 8]");
            edit(copy.path(), "voice", from, to);
            edit(copy.path(), "voice", from, to);
            edit(copy.path(), "voice", "dim = 16\ndtype", "dim = 8\ndtype");
            edit(copy.path(), "voice", "bytes = 15768", "bytes = 7896");
        }
        let catalog = Catalog::open(&[copy.path().to_owned()]);
        let rejected = catalog.rejected();
        let Some(package) = catalog.find("test.rvc-voice") else {
            // The index file has the old length, which is found first.
            assert!(rejected[0].1.to_string().contains("bytes"), "{rejected:?}");
            continue;
        };
        assert!(catalog.parts(package.manifest()).is_err());
    }
}

#[test]
fn the_estimator_is_the_named_one_or_the_one_for_such_voices_or_none() {
    let copy = copy();
    let id = |catalog: &Catalog| {
        let package = catalog.find("test.rvc-voice").expect("the voice");
        let parts = catalog.parts(package.manifest()).expect("all is there");
        parts.f0.map(|package| package.manifest().id.clone())
    };
    let both = [copy.path().to_owned(), models_folder()];
    assert_eq!(id(&Catalog::open(&both)).as_deref(), Some("test.rmvpe"));
    let named = "content_dim = 16\nf0 = \"vocalhost.f0-3\"";
    edit(copy.path(), "voice", "content_dim = 16", named);
    assert_eq!(id(&Catalog::open(&both)).as_deref(), Some("vocalhost.f0-3"));
    edit(copy.path(), "voice", "vocalhost.f0-3", "pyin");
    assert_eq!(id(&Catalog::open(&both)), None);
    fs::remove_dir_all(copy.path().join("estimator")).expect("removed");
    edit(copy.path(), "voice", "f0 = \"pyin\"\n", "");
    let catalog = Catalog::open(&[copy.path().to_owned()]);
    assert_eq!(id(&catalog), None);
    let voice = voice_from(&catalog, "test.rvc-voice", 1);
    let found = speak(&voice, &recording(16_000), &PLAIN);
    assert!(found.iter().any(|sample| sample.abs() > 0.01));
}

#[test]
fn a_preferred_part_goes_before_a_newer_one() {
    let copy = copy();
    let older = copy.path().join("older");
    fs::create_dir(&older).expect("a folder");
    for entry in fs::read_dir(copy.path().join("encoder")).expect("the package") {
        let entry = entry.expect("an entry");
        fs::copy(entry.path(), older.join(entry.file_name())).expect("a copy");
    }
    edit(copy.path(), "older", "test.hubert", "test.older");
    edit(
        copy.path(),
        "older",
        "created = \"2026-",
        "created = \"2025-",
    );
    let ids = |catalog: &Catalog| {
        let package = catalog.find("test.rvc-voice").expect("the voice");
        let parts = catalog.parts(package.manifest()).expect("all is there");
        let id = |package: &vocalhost_model::Package| package.manifest().id.clone();
        [id(parts.content), id(parts.f0.expect("an estimator"))]
    };
    let open = || Catalog::open(&[copy.path().to_owned(), models_folder()]);
    // What is bound to no encoder keeps the first that was there.
    assert_eq!(ids(&open()), ["test.older", "test.rmvpe"]);
    let named = ["test.hubert".to_owned(), "vocalhost.f0-3".to_owned()];
    let preferring = open().preferring(&named);
    assert_eq!(ids(&preferring), ["test.hubert", "vocalhost.f0-3"]);
    // What is no encoder of such voices does not become one by being named.
    let other = ["vocalhost.content-5".to_owned()];
    assert_eq!(
        ids(&open().preferring(&other)),
        ["test.older", "test.rmvpe"]
    );

    let catalog = open();
    let [first, second] =
        ["test.rmvpe", "vocalhost.f0-3"].map(|id| catalog.find(id).expect("there"));
    assert!(
        catalog
            .without("test.rmvpe")
            .estimator_before(first)
            .is_none()
    );
    let before = catalog.estimator_before(second).expect("another");
    assert_eq!(before.manifest().id, "test.rmvpe");
    assert!(
        preferring
            .estimator_before(second)
            .is_some_and(|it| it.manifest().id == "vocalhost.f0-3")
    );
}

#[test]
fn manifests_that_contradict_themselves_are_refused_with_the_key() {
    for (package, from, to, key) in [
        ("voice", "f0 = true", "f0 = false", "rvc.f0"),
        (
            "voice",
            "content_layer = 12",
            "content_layer = 0",
            "rvc.content_layer",
        ),
        (
            "voice",
            "query_s = 0.2",
            "query_s = 0.7",
            "rvc.cuts.query_s",
        ),
        ("voice", "pad_s = 0.3", "pad_s = nan", "rvc.cuts.pad_s"),
        ("voice", "pad_s = 0.3", "pad_s = 2.1", "rvc.cuts.pad_s"),
        (
            "voice",
            "center_s = 1.0",
            "center_s = 2.0",
            "rvc.cuts.max_s",
        ),
        (
            "voice",
            "energy_channels = 0",
            "energy_channels = 1",
            "rvc.content_dim",
        ),
        ("voice", "count = 6", "count = 7", "index.f32"),
        ("voice", "probe = 1", "probe = 7", "index.cells"),
        ("voice", "probe = 1", "probe = 0", "index.cells"),
        (
            "voice",
            "[index.cells]",
            "[[index.parts]]\nrows = 240\nshare = 1.0\nk = 8\n\n[index.cells]",
            "index.cells",
        ),
        (
            "voice",
            "[index.cells]\ncount = 6\nprobe = 1",
            "[[index.parts]]\nrows = 240\nshare = 1.0\nk = 8\ncells = { count = 6, probe = 7 }",
            "index.parts.cells",
        ),
        (
            "voice",
            "[index.cells]\ncount = 6\nprobe = 1",
            "[[index.parts]]\nrows = 240\nshare = 1.0\nk = 8\ncells = { count = 7, probe = 1 }",
            "index.f32",
        ),
        (
            "voice",
            "family = \"rvc\"",
            "family = \"ddsp-rvc\"",
            "segment",
        ),
        (
            "voice",
            "role = \"source_noise\"",
            "role = \"phase\"",
            "nsf_noise",
        ),
        ("encoder", "layer = 12\n", "", "normalize"),
        (
            "estimator",
            "pad_multiple = 32",
            "pad_multiple = 0",
            "f0.pad_multiple",
        ),
        ("estimator", "mels = 128", "mels = 64", "tensor.input.shape"),
        ("estimator", "bins = 360", "bins = 0", "f0.bins"),
    ] {
        let copy = copy();
        edit(copy.path(), package, from, to);
        let catalog = Catalog::open(&[copy.path().to_owned()]);
        let reasons: Vec<String> = catalog
            .rejected()
            .iter()
            .map(|(_, error)| error.to_string())
            .collect();
        assert_eq!(reasons.len(), 1, "{to:?}: {reasons:?}");
        assert!(reasons[0].contains(key), "{to:?}: {reasons:?}");
    }
}

#[test]
fn an_index_whose_cells_do_not_add_up_is_refused() {
    let copy = copy();
    let path = copy.path().join("voice/index.f32");
    let mut bytes = fs::read(&path).expect("the index");
    let last = bytes.len() - 4;
    bytes[last..].copy_from_slice(&u32::MAX.to_le_bytes());
    fs::write(&path, &bytes).expect("written");
    let text = fs::read_to_string(copy.path().join("voice/package.toml")).expect("a manifest");
    let entry = text
        .split("[files.\"index.f32\"]")
        .nth(1)
        .expect("the entry");
    let old = entry
        .split("sha256 = \"")
        .nth(1)
        .and_then(|text| text.get(..64));
    let new = {
        use sha2::{Digest, Sha256};
        base16ct::lower::encode_string(&Sha256::digest(&bytes))
    };
    edit(copy.path(), "voice", old.expect("a digest"), &new);
    let catalog = Catalog::open(&[copy.path().to_owned()]);
    let runtime = Runtime::load(None).expect("the set-up has installed the library");
    let package = catalog.find("test.rvc-voice").expect("the voice");
    let error = VoiceConverter::load(&runtime, package, &catalog, 1).err();
    let error = error.expect("refused").to_string();
    assert!(error.contains("cells do not add up"), "{error}");
}
