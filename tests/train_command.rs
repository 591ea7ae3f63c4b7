//! `vocalhost train`, as a person calls it. What comes of a training is shown where voices are trained.

use std::path::Path;
use std::process::{Command, Output};

use vocalhost_audio::{Block, WavSamples, WavWriter};
use vocalhost_job::Consent;
use vocalhost_testing::repository;

const RATE_HZ: u32 = 16_000;

/// Two seconds of a tone.
fn recording(path: &Path) {
    let tone = |n: u32| 0.2 * (f64::from(n) * 0.08).sin() as f32;
    let block = Block::from_planar(1, (0..2 * RATE_HZ).map(tone).collect());
    let mut writer =
        WavWriter::create_as(WavSamples::Float32, path, 1, RATE_HZ).expect("a recording");
    writer.write(&block).expect("written");
    writer.finish().expect("finished");
}

fn train(recording: &Path, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_vocalhost"))
        .arg("train")
        .arg(recording)
        .args(["--title", "Mine", "--models-dir"])
        .arg(repository("models"))
        .args(more)
        .output()
        .expect("the program starts")
}

#[test]
fn nothing_is_trained_before_somebody_declares_who_agreed() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let said = place.path().join("said.wav");
    recording(&said);
    let out = place.path().join("voice");
    let refused = train(&said, &["--out", &out.to_string_lossy()]);
    assert_eq!(refused.status.code(), Some(2));
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(text.contains(Consent::STATEMENT), "{text}");
    assert!(!out.exists());
    let missing = train(&place.path().join("none.wav"), &["--consent", "self"]);
    assert_eq!(missing.status.code(), Some(1));
}

#[test]
fn all_that_is_wrong_with_the_recordings_is_printed() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let said = place.path().join("said.wav");
    recording(&said);
    let out = place.path().join("voice");
    let out_path = out.to_string_lossy();
    let refused = train(
        &said,
        &[
            "--consent",
            "licence",
            "--base",
            "vocalhost.oak-4",
            "--out",
            &out_path,
        ],
    );
    assert_eq!(refused.status.code(), Some(1));
    let text = String::from_utf8_lossy(&refused.stderr);
    for wanted in [
        "2.0 s of sound are too little",
        "with a pitch are too little",
        "said.wav: it has nothing above",
    ] {
        assert!(text.contains(wanted), "{wanted} is not in {text}");
    }
    assert!(!out.exists());
}
