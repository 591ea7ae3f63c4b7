//! `vocalhost separate`, as a person calls it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use vocalhost_audio::{AudioLimits, Decoder, WavSamples, WavWriter};
use vocalhost_testing::repository;
use vocalhost_testing::sound::noise;

const RATE_HZ: u32 = 8_000;

fn fixture(case: &str) -> PathBuf {
    repository("tests/fixtures/separation").join(case)
}

fn recording(path: &Path, frames: usize) -> Vec<f32> {
    let samples: Vec<f32> = (1..3).flat_map(|seed| noise(seed, frames)).collect();
    let block = vocalhost_audio::Block::from_planar(2, samples.clone());
    let mut writer =
        WavWriter::create_as(WavSamples::Float32, path, 2, RATE_HZ).expect("a recording");
    writer.write(&block).expect("written");
    writer.finish().expect("finished");
    samples
}

fn samples(path: &Path) -> Vec<f32> {
    let limits = AudioLimits {
        max_duration_s: 60.0,
    };
    let mut decoder = Decoder::open(path, &limits).expect("a WAV file");
    let mut sides = vec![Vec::new(); 2];
    while let Some(block) = decoder.next_block().expect("sound") {
        for (channel, side) in sides.iter_mut().enumerate() {
            side.extend_from_slice(block.channel(channel));
        }
    }
    sides.concat()
}

fn separate(arguments: &[&Path], more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_vocalhost"))
        .arg("separate")
        .args(arguments)
        .args(more)
        .output()
        .expect("the program starts")
}

#[test]
fn every_stem_is_written_and_together_they_are_the_recording() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (input, output) = (place.path().join("mix.wav"), place.path().join("stems"));
    let mix = recording(&input, 3_001);
    let case = fixture("mdx");
    let folder = case.join("mdx");
    let models = case.to_string_lossy();
    for named in [
        // By its folder, by its id, and as what jobs of the task would use.
        vec!["--package", folder.to_str().expect("a path")],
        vec!["--package", "parity.mdx", "--models-dir", &models],
        vec!["--task", "vocals", "--models-dir", &models],
    ] {
        let told = separate(&[&input, &output], &[&named[..], &["--json"]].concat());
        assert!(told.status.success(), "{told:?}");
        let answer: serde_json::Value = serde_json::from_slice(&told.stdout).expect("JSON");
        assert_eq!(answer["separator"], "parity.mdx");
        for part in ["loading", "separating"] {
            let seconds = answer["seconds"][part].as_f64().expect("a time");
            assert!(seconds > 0.0, "{part}: {answer}");
        }
        let files = answer["files"].as_array().expect("files");
        assert_eq!(files.len(), 2);
        let stems = ["vocals", "backing"].map(|name| samples(&output.join(format!("{name}.wav"))));
        assert!(stems[0].iter().any(|sample| sample.abs() > 0.01));
        for (place, sample) in mix.iter().enumerate() {
            let sum = stems[0][place] + stems[1][place];
            assert!((sum - sample).abs() < 1e-6, "{place}: {sum} {sample}");
        }
        std::fs::remove_dir_all(&output).expect("removed");
    }
}

#[test]
fn the_library_keeps_nothing_about_whoever_uses_it() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (input, output) = (place.path().join("mix.wav"), place.path().join("stems"));
    recording(&input, 3_001);
    let home = place.path().join("home");
    std::fs::create_dir(&home).expect("a home");
    let told = Command::new(env!("CARGO_BIN_EXE_vocalhost"))
        .env("HOME", &home)
        .env_remove("XDG_CACHE_HOME")
        .env_remove("ORT_DISABLE_TELEMETRY")
        .args(["separate".as_ref(), input.as_path(), &output])
        .arg("--package")
        .arg(fixture("mdx").join("mdx"))
        .output()
        .expect("the program starts");
    assert!(told.status.success(), "{told:?}");
    let kept = std::fs::read_dir(&home).expect("the home").count();
    assert_eq!(kept, 0);
}

#[test]
fn what_is_not_there_is_said() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (input, output) = (place.path().join("mix.wav"), place.path().join("stems"));
    recording(&input, 100);
    let case = fixture("mdx");
    let models = case.to_string_lossy();
    for (more, status, words) in [
        (vec!["--package", "parity.none"], 1, "parity.none"),
        (vec!["--task", "stems"], 1, "separator for stems"),
        (
            vec!["--task", "drums"],
            2,
            "must be one of vocals, stems, lead, karaoke",
        ),
    ] {
        let told = separate(
            &[&input, &output],
            &[&more[..], &["--models-dir", &models]].concat(),
        );
        assert_eq!(told.status.code(), Some(status), "{told:?}");
        let message = String::from_utf8_lossy(&told.stderr);
        assert!(message.contains(words), "{message}");
        assert!(!output.exists());
    }
    let told = separate(
        &[&place.path().join("none.wav"), &output],
        &["--models-dir", &models],
    );
    assert_eq!(told.status.code(), Some(1), "{told:?}");
}

#[test]
fn a_recording_that_is_cut_is_separated_as_far_as_it_goes_with_a_warning() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (input, output) = (place.path().join("mix.wav"), place.path().join("stems"));
    recording(&input, 3_001);
    let mut file = std::fs::read(&input).expect("the recording");
    file.truncate(file.len() / 2);
    std::fs::write(&input, file).expect("written");
    let folder = fixture("mdx").join("mdx");
    let folder = folder.to_str().expect("a path");
    let told = separate(&[&input, &output], &["--package", folder, "--json"]);
    assert!(told.status.success(), "{told:?}");
    let answer: serde_json::Value = serde_json::from_slice(&told.stdout).expect("JSON");
    assert_eq!(answer["warnings"][0]["code"], "input_cut", "{answer:#}");
    let at = answer["warnings"][0]["atSeconds"]
        .as_f64()
        .expect("a place");
    let heard = samples(&output.join("vocals.wav")).len() as f64 / 2.0;
    assert!(
        (at - heard / f64::from(RATE_HZ)).abs() < 1e-3,
        "{at} s, {heard} frames"
    );
    let said = String::from_utf8_lossy(&told.stderr);
    assert!(said.contains("warning: the recording, at 0."), "{said}");
    assert!(said.contains("(input_cut)"), "{said}");
}
