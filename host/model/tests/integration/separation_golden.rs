//! Separations as the originals do them, with random weights: `tests/parity/separation/run.py --golden` wrote the packages
//! and what python-audio-separator 0.47.1, demucs 4.1.0 and the rules of other tools make of the same noise.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use vocalhost_model::{Catalog, Runtime, Separator};
use vocalhost_testing::repository;
use vocalhost_testing::sound::noise;

use super::separation::{separated, spool};

/// The largest difference of a sample, full scale being 1.
const MOST: f32 = 1e-4;

const RATE_HZ: u32 = 8_000;

fn folder() -> PathBuf {
    repository("tests/fixtures/separation")
}

/// The recording of the script: two channels of noise that differ, with an offset.
fn recording(length: usize) -> Vec<Vec<f32>> {
    let left = noise(1, length)
        .into_iter()
        .map(|sample| 0.8 * sample + 0.05);
    let right = noise(2, length).into_iter().map(|sample| 0.6 * sample);
    vec![left.collect(), right.collect()]
}

/// The stems of a run, by name, channel after channel.
fn expected(case: &Path, run: &Value) -> Vec<(String, Vec<f32>)> {
    let length = run["length"].as_u64().expect("a length") as usize;
    let bytes = fs::read(case.join(format!("{length}.f32"))).expect("the samples");
    let samples = bytes.chunks_exact(4);
    let samples: Vec<f32> = samples
        .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        .collect();
    let stems = run["stems"].as_array().expect("stems");
    assert_eq!(
        samples.len(),
        stems.len() * 2 * length,
        "{}",
        case.display()
    );
    let names = stems
        .iter()
        .map(|stem| stem.as_str().expect("a name").to_owned());
    names
        .zip(samples.chunks_exact(2 * length).map(<[f32]>::to_vec))
        .collect()
}

/// The largest difference over all runs of a case.
fn largest_difference(runtime: &Runtime, case: &Path, threads: usize) -> f32 {
    let note = fs::read_to_string(case.join("golden.json")).expect("a note");
    let note: Value = serde_json::from_str(&note).expect("JSON");
    let catalog = Catalog::open(&[case.to_owned()]);
    assert!(catalog.rejected().is_empty(), "{:?}", catalog.rejected());
    let package = catalog.find(note["package"].as_str().expect("an id"));
    let package = package.expect("the package is there");
    let separator = Separator::load(runtime, package, &catalog, threads).expect("loads");
    let mut largest = 0.0_f32;
    for run in note["runs"].as_array().expect("runs") {
        let length = run["length"].as_u64().expect("a length") as usize;
        let comparable = run["comparable"].as_u64().expect("a length") as usize;
        let stems = separated(&separator, &spool(RATE_HZ, &recording(length)));
        for (name, sound) in expected(case, run) {
            let place = separator.estimated().iter().position(|stem| *stem == name);
            let found = stems[place.expect("an estimated stem")].concat();
            assert_eq!(found.len(), sound.len());
            let channels = found.chunks_exact(length).zip(sound.chunks_exact(length));
            for (found, expected) in
                channels.flat_map(|(found, sound)| found.iter().zip(sound).take(comparable))
            {
                let difference = (found - expected).abs();
                assert!(difference.is_finite());
                largest = largest.max(difference);
            }
        }
    }
    largest
}

#[test]
fn every_family_and_variant_agrees_with_its_original() {
    let runtime = Runtime::load(None).expect("the set-up has installed the library");
    let mut cases: Vec<PathBuf> = fs::read_dir(folder())
        .expect("the fixtures")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    cases.sort();
    assert!(cases.len() >= 20, "{} cases", cases.len());
    for (index, case) in cases.iter().enumerate() {
        let difference = largest_difference(&runtime, case, 1 + index % 3);
        assert!(difference <= MOST, "{}: {difference}", case.display());
    }
}

#[test]
fn the_fixtures_would_show_a_wrong_rule() {
    let runtime = Runtime::load(None).expect("the set-up has installed the library");
    for (case, from, to) in [
        ("mdx-odd", "fill_to = 392", "fill_to = 200"),
        ("mdx-odd", "zero_low_bins = 3", "zero_low_bins = 2"),
        ("demucs-split", "last = \"center\"", "last = \"pad\""),
        ("demucs-split", "\"mean-std-mono\"", "\"none\""),
        ("demucs-graph-six", "shifts = 3", "shifts = 2"),
        ("mdx23c-msst", "linear-fade", "triangle"),
        ("roformer-mask", "\"align-end\"", "\"pad\""),
        ("spleeter", "border = 128", "border = 96"),
        ("ensemble-median-spectrum", "\"spectrum\"", "\"wave\""),
    ] {
        let place = tempfile::tempdir().expect("a temporary folder");
        copy(&folder().join(case), place.path());
        let manifest = place.path().join(case).join("package.toml");
        let text = fs::read_to_string(&manifest).expect("a manifest");
        assert!(text.contains(from), "{case}: {from}");
        fs::write(&manifest, text.replace(from, to)).expect("written");
        let difference = largest_difference(&runtime, place.path(), 1);
        assert!(difference > 10.0 * MOST, "{case}, {to}: {difference}");
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).expect("copied");
        }
    }
}
