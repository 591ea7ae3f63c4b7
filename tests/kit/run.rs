use std::path::Path;

use tempfile::TempDir;
use vocalhost_audio::{AudioInfo, AudioLimits, Decoder, probe};
use vocalhost_testing::{repository, sound};

use super::{effect, names, said};

const LIMITS: AudioLimits = AudioLimits {
    max_duration_s: 60.0,
};

/// A folder with a recording of a second, `in.wav`.
fn folder(channels: u16) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let sung = sound::sung(1.0, 22_050, 220.0);
    let file = sound::wav_of(channels, 22_050, &sung);
    std::fs::write(folder.path().join("in.wav"), file).expect("written");
    folder
}

fn info(path: &Path) -> AudioInfo {
    probe(path, &LIMITS).expect("it is a recording").info
}

fn samples(path: &Path) -> Vec<f32> {
    let mut decoder = Decoder::open(path, &LIMITS).expect("it opens");
    let mut samples = Vec::new();
    while let Some(block) = decoder.next_block().expect("it decodes") {
        samples.extend_from_slice(block.channel(0));
    }
    samples
}

#[test]
fn a_result_is_as_long_as_its_recording_and_has_a_picture_beside_it() {
    let folder = folder(2);
    let done = effect(
        folder.path(),
        &[
            "run",
            "vocalhost.gain",
            "in.wav",
            "out.wav",
            "--set",
            "gainDb=-6.0206dB",
        ],
    );
    assert!(done.status.success(), "{}", said(&done));
    assert_eq!(names(folder.path()), ["in.wav", "out.png", "out.wav"]);
    let (before, after) = (
        info(&folder.path().join("in.wav")),
        info(&folder.path().join("out.wav")),
    );
    assert_eq!(after, before);
    let (before, after) = (
        samples(&folder.path().join("in.wav")),
        samples(&folder.path().join("out.wav")),
    );
    assert!(
        before
            .iter()
            .zip(&after)
            .all(|(before, after)| (after - 0.5 * before).abs() < 1e-5)
    );
    let said = said(&done);
    for words in [
        "Gain 1.0.0",
        "gain_db -6.0206 dB",
        "latency: 0 frames",
        "times real time",
        "stereo",
    ] {
        assert!(said.contains(words), "{words} is missing: {said}");
    }
}

#[test]
fn a_flac_and_an_mp3_are_read_too_and_the_picture_can_be_left_out() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["speech.flac", "speech.mp3"] {
        let input = repository("tests/fixtures/sound").join(name);
        let input = input.to_str().expect("a plain path");
        let done = effect(
            folder.path(),
            &["run", "compressor", input, "out.wav", "--no-picture"],
        );
        assert!(done.status.success(), "{}", said(&done));
        assert_eq!(names(folder.path()), ["out.wav"]);
        let before = info(Path::new(input)).frames;
        assert_eq!(info(&folder.path().join("out.wav")).frames, before);
    }
}

#[test]
fn with_its_tail_a_result_goes_on_to_the_last_echo() {
    let folder = folder(1);
    let settings = ["--set", "delay_seconds=0.5", "--set", "mix=0.5", "--tail"];
    let arguments = [&["run", "delay", "in.wav", "out.wav"], &settings[..]].concat();
    let done = effect(folder.path(), &arguments);
    assert!(done.status.success(), "{}", said(&done));
    let frames = info(&folder.path().join("out.wav"))
        .frames
        .expect("a WAV states it");
    // The recording and one echo half a second later, to the last audible frame of it.
    assert!((33_000..=33_075).contains(&frames), "{frames}");
    assert!(said(&done).contains("tail:"));
}

#[test]
fn what_goes_wrong_leaves_nothing_behind_and_says_why() {
    let folder = folder(1);
    std::fs::write(folder.path().join("text.wav"), "no sound at all").expect("written");
    let cases: [(&[&str], i32, &str); 8] = [
        (
            &["vocalhost.gain", "in.wav", "out.wav", "--set", "loudness=1"],
            2,
            "no parameter \"loudness\"; it has gain_db",
        ),
        (
            &["vocalhost.gain", "in.wav", "out.wav", "--set", "gain_db=99"],
            2,
            "gain_db: \"99\" is out of range; it takes -100 to 60 dB",
        ),
        (
            &["vocalhost.gain", "in.wav", "out.wav", "--set", "gain_db"],
            2,
            "NAME=VALUE",
        ),
        (
            &["vocalhost.gain", "in.wav", "out.wav", "--preset", "no"],
            2,
            "no preset \"no\"; it has half",
        ),
        (&["vocalhost.gain", "in.wav", "in.wav"], 2, "own recording"),
        (
            &["vocalhost.gain", "in.wav", "out.mp3"],
            2,
            "must end in .wav",
        ),
        (&["vocalhost.gain", "text.wav", "out.wav"], 1, "text.wav"),
        (
            &["org.example.none", "in.wav", "out.wav"],
            1,
            "no file, built-in or installed effect",
        ),
    ];
    for (arguments, status, words) in cases {
        let done = effect(folder.path(), &[&["run"], arguments].concat());
        assert_eq!(done.status.code(), Some(status), "{}", said(&done));
        assert!(
            said(&done).contains(words),
            "{words:?} is missing: {}",
            said(&done)
        );
        assert_eq!(names(folder.path()), ["in.wav", "text.wav"]);
    }
}

#[test]
fn a_recording_that_breaks_off_in_damage_leaves_the_old_result_alone() {
    let folder = folder(1);
    let mut flac = std::fs::read(repository("tests/fixtures/sound/speech.flac")).expect("there");
    // So much of it that no player would make anything of it.
    let eighth = flac.len() / 8;
    flac[eighth..7 * eighth].fill(0x55);
    std::fs::write(folder.path().join("in.wav"), flac).expect("written");
    std::fs::write(folder.path().join("out.wav"), "of yesterday").expect("written");
    let done = effect(
        folder.path(),
        &["run", "vocalhost.gain", "in.wav", "out.wav"],
    );
    assert_eq!(done.status.code(), Some(1), "{}", said(&done));
    assert!(said(&done).contains("damaged"), "{}", said(&done));
    assert_eq!(names(folder.path()), ["in.wav", "out.wav"]);
    let kept = std::fs::read(folder.path().join("out.wav")).expect("there");
    assert_eq!(kept, b"of yesterday");
}
