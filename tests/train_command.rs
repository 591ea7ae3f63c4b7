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
            "vocalhost.oak-5",
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

#[test]
fn a_checkpoint_that_cannot_be_and_a_user_that_is_not_are_refused_before_anything_is_trained() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let said = place.path().join("said.wav");
    recording(&said);
    let other = place.path().join("notes.txt");
    std::fs::write(&other, "not to be lost").expect("written");
    let nowhere = place.path().join("none/checkpoint");
    let data = place.path().join("data").to_string_lossy().into_owned();
    for (more, wanted) in [
        (
            ["--checkpoint", &other.to_string_lossy()],
            "is no checkpoint",
        ),
        (
            ["--checkpoint", &nowhere.to_string_lossy()],
            "there is no folder",
        ),
        (
            ["--checkpoint", &place.path().to_string_lossy()],
            "is a folder",
        ),
        (["--user", "nobody"], "there is no database"),
    ] {
        let refused = train(
            &said,
            &[&["--consent", "self", "--data-dir", &data][..], &more].concat(),
        );
        let text = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && text.contains(wanted), "{text}");
    }
    let kept = std::fs::read_to_string(&other).expect("it is there");
    assert_eq!(kept, "not to be lost");
    assert!(!Path::new(&data).exists());
}
