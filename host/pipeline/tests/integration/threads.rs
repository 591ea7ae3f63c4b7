//! The same files for any number of threads.

use std::fs;
use std::path::Path;

use vocalhost_job::{ChainItem, FileContent, JobResult, SeparationSpec};
use vocalhost_model::{Catalog, Runtime, VoiceConverter};
use vocalhost_pipeline::{Conversion, Separation, convert, separate};
use vocalhost_testing::job::conversion;
use vocalhost_testing::separators::write_all;
use vocalhost_testing::{repository, sound};

use super::separation::load;
use super::{EFFECTS, LIMITS, item};

const THREADS: [usize; 4] = [1, 2, 3, 16];

/// What people get: the files' names and digests, and the figures.
fn gist(result: &JobResult) -> (Vec<(String, Option<FileContent>)>, String) {
    let files = result.files.iter();
    let files = files.map(|file| (file.key.clone(), file.content.clone()));
    let figures = (&result.loudness, &result.input_loudness, result.gain_db);
    (files.collect(), format!("{figures:?}"))
}

fn recording(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("input");
    // Loud enough for the peak guard.
    let mono = sound::sung(26.0, 22_050, 210.0);
    let loud: Vec<f32> = mono
        .iter()
        .map(|sample| (3.0 * sample).clamp(-1.0, 1.0))
        .collect();
    fs::write(&path, sound::wav_of(2, 22_050, &loud)).expect("writes");
    path
}

fn effects() -> Vec<ChainItem> {
    vec![item("reverb", &[])]
}

#[test]
fn a_split_is_the_same_for_any_number_of_threads() {
    let models = tempfile::tempdir().expect("a temporary folder");
    write_all(models.path());
    let found = THREADS.map(|threads| {
        let loaded = load(models.path(), threads);
        let scratch = tempfile::tempdir().expect("a temporary folder");
        let spec = SeparationSpec {
            pre: effects(),
            ..SeparationSpec::default()
        };
        let job = Separation {
            spec: &spec,
            input: &recording(scratch.path()),
            scratch: scratch.path(),
            effects: &EFFECTS,
            separators: loaded.for_stems(),
            limits: LIMITS,
            min_free_bytes: 0,
            threads,
        };
        gist(&separate(&job, &mut |_| {}).expect("separates"))
    });
    assert_eq!(found[0].0.len(), 14, "{:?}", found[0].0);
    for (found_on, threads) in found.iter().zip(THREADS) {
        assert_eq!(*found_on, found[0], "{threads}");
    }
}

#[test]
fn a_conversion_is_the_same_for_any_number_of_threads() {
    let runtime = Runtime::load(None).expect("ONNX Runtime is installed by set-up");
    let models = Catalog::open(&[repository("models")]);
    let voice = models.voices().next().expect("the starter pack has voices");
    let found = THREADS.map(|threads| {
        let scratch = tempfile::tempdir().expect("a temporary folder");
        // A copy of every graph for each of 16 threads would take more memory than the test is worth.
        let voice = VoiceConverter::load(&runtime, voice, &models, threads.min(3));
        let mut spec = conversion();
        spec.post = effects();
        let job = Conversion {
            spec: &spec,
            input: &recording(scratch.path()),
            backing: None,
            isolating: None,
            cleaning: &[],
            scratch: scratch.path(),
            effects: &EFFECTS,
            voice: &voice.expect("the voice loads"),
            limits: LIMITS,
            min_free_bytes: 0,
            threads,
        };
        gist(&convert(&job, &mut |_| {}).expect("converts"))
    });
    for (found_on, threads) in found.iter().zip(THREADS) {
        assert_eq!(*found_on, found[0], "{threads}");
    }
}
