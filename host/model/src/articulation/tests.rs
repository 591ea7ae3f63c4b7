use std::f64::consts::TAU;

use vocalhost_audio::{Block, SpoolWriter};

use super::*;
use crate::golden;

/// As in `golden.py`: harmonics of 150 Hz whose loudness moves, each at its own pace; a pause of half a second.
fn spoken(count: usize, rate_hz: f64, hum: f64) -> Vec<f32> {
    moving(count, rate_hz, (hum, 1.3))
}

fn moving(count: usize, rate_hz: f64, (hum, pace): (f64, f64)) -> Vec<f32> {
    let sample = |index: usize| {
        let time = index as f64 / rate_hz;
        if (1.5..=2.0).contains(&time) {
            return 0.0;
        }
        let harmonics = (1..40_u32).map(|harmonic| {
            let (pace, number) = (pace * f64::from(1 + harmonic % 5), f64::from(harmonic));
            let moves = (TAU * pace * time + hum * number).sin();
            let sound = (TAU * 150.0 * number * time + number * number).sin();
            (1.5 * moves - 0.06 * number).exp() * sound
        });
        (0.02 * harmonics.sum::<f64>()) as f32
    };
    (0..count).map(sample).collect()
}

fn pitch() -> Vec<f32> {
    let has_pitch = |frame: &usize| !(150..200).contains(frame);
    (0..326)
        .map(|frame| if has_pitch(&frame) { 150.0 } else { 0.0 })
        .collect()
}

/// The articulation of a voice that comes in pieces of some samples.
fn articulated(voice: &[f32], source: &[f32], piece: usize) -> Vec<f32> {
    articulated_at(320, voice, source, piece)
}

fn articulated_at(hop_samples: usize, voice: &[f32], source: &[f32], piece: usize) -> Vec<f32> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut writer = SpoolWriter::create(&folder.path().join("spool"), 1, 16_000).expect("made");
    let block = Block::from_planar(1, source.to_vec());
    writer.write(&block).expect("written");
    let spool = writer.finish().expect("complete");
    let f0_hz = pitch();
    let mut articulation = Articulation::new(Said {
        source: &spool,
        source_rms: 0.04,
        level_rms: 0.05,
        f0_hz: &f0_hz,
        factor: 1.0,
        total_samples: voice.len() as u64,
        hop_samples,
    });
    let mut result = Vec::new();
    for piece in voice.chunks(piece) {
        result.extend(articulation.process(piece).expect("it works"));
    }
    result
}

#[test]
fn what_is_added_equals_the_reference_numbers_however_the_sound_is_cut() {
    let source = spoken(52_003, 16_000.0, 0.4);
    let voice = spoken(104_006, 32_000.0, 0.6);
    let whole = articulated(&voice, &source, voice.len());
    assert_eq!(whole.len(), voice.len());
    let before = golden::numbers("/articulation/before");
    let expected = golden::numbers("/articulation/values");
    let places = golden::numbers("/articulation/at");
    for ((at, before), expected) in places.into_iter().zip(before).zip(expected) {
        let (given, found) = (voice[at as usize], whole[at as usize]);
        assert!((f64::from(given) - before).abs() < 1e-6, "{at}");
        assert!(
            (f64::from(found) - expected).abs() < 2e-5,
            "{at}: {found} {expected}"
        );
    }
    for piece in [320, 33_333] {
        assert!(articulated(&voice, &source, piece) == whole, "in {piece}");
    }
}

#[test]
fn a_voice_that_says_what_was_said_and_one_that_is_silent_stay_as_they_are() {
    let source = spoken(52_003, 16_000.0, 0.4);
    let voice = spoken(104_006, 32_000.0, 0.4);
    let same = articulated(&voice, &source, 10_000);
    // Where the sound begins and ends abruptly, a frame of one rate hears a little more of it than one of the other.
    for steady in [3_200..44_800, 67_200..100_000] {
        let moved = same[steady.clone()].iter().zip(&voice[steady]);
        let worst = moved.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(worst < 1e-3, "{worst}");
    }
    let silent = articulated(&vec![0.0; 104_006], &source, 10_000);
    assert_eq!(silent.len(), 104_006);
    assert!(silent.iter().all(|sample| sample.abs() < 1e-12));
}

#[test]
fn voice_and_recording_stay_together_at_every_rate() {
    let source = spoken(52_003, 16_000.0, 0.4);
    for hop_samples in [221, 441, 480] {
        let samples = 325 * hop_samples;
        let voice = spoken(samples, 100.0 * hop_samples as f64, 0.4);
        let same = articulated_at(hop_samples, &voice, &source, 10_000);
        assert_eq!(same.len(), samples);
        let steady = 210 * hop_samples..310 * hop_samples;
        let moved = same[steady.clone()].iter().zip(&voice[steady]);
        let worst = moved.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(worst < 5e-3, "{worst} at {hop_samples}");
    }
    // A voice of a low rate has no bands above its own.
    let low = articulated_at(80, &spoken(26_000, 8_000.0, 0.4), &source, 999);
    assert!(low.len() == 26_000 && low.iter().all(|sample| sample.abs() < 1.0));
}

/// The same in blocks of 80 ms with 80 ms of look-ahead, of which the decoder has the last 200 ms before each again.
fn articulated_live(voice: &[f32], source: &[f32]) -> Vec<f32> {
    let mut articulation = LiveArticulation::new(320, 0.05, 0.04);
    let f0_hz = pitch();
    let mut result = Vec::new();
    let frames = voice.len() / 320;
    for start in (0..frames).step_by(8) {
        let (end, from) = ((start + 8).min(frames), start.saturating_sub(20));
        let heard_end = (end + 8).min(frames);
        let sound = &voice[320 * from..320 * heard_end];
        let spoken = articulation.articulate(
            &Spoken {
                sound,
                f0_hz: &f0_hz[from..heard_end],
                factor: 1.0,
                from,
                heard: &source[160 * from..160 * heard_end],
                heard_from: from,
                start,
                end,
            },
            160,
        );
        assert_eq!(spoken.len(), sound.len());
        result.extend(&spoken[320 * (start - from)..320 * (end - from)]);
    }
    result
}

/// How far two sounds are apart in bands, as a mean of squares of natural logarithms of power, where both are heard.
fn apart(one: &[f32], other: &[f32]) -> f64 {
    let mut heard = [one, other].map(|_| Listener::new(1_024, 32_000.0, 0.05));
    let mut squares = Vec::new();
    for start in (3_200..90_000).step_by(1_024) {
        let [one, other] = [one, other].map(|sound| &sound[start..start + 1_024]);
        let (one, other) = (heard[0].hear(one, 150.0), heard[1].hear(other, 150.0));
        if one.is_heard && other.is_heard {
            let rows = one.logs.iter().zip(&other.logs);
            squares.extend(rows.take(30).map(|(one, other)| (one - other).powi(2)));
        }
    }
    squares.iter().sum::<f64>() / squares.len() as f64
}

#[test]
fn a_voice_comes_nearer_to_what_is_said_while_it_is_heard_and_its_own_words_stay() {
    let source = spoken(52_000, 16_000.0, 0.4);
    let said = spoken(104_000, 32_000.0, 0.4);
    let same = articulated_live(&said, &source);
    assert_eq!(same.len(), said.len());
    for steady in [3_200..44_800, 67_200..100_000] {
        let moved = same[steady.clone()].iter().zip(&said[steady]);
        let worst = moved.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(worst < 2e-3, "{worst}");
    }
    let otherwise = moving(104_000, 32_000.0, (0.6, 1.9));
    let live = articulated_live(&otherwise, &source);
    let whole = articulated(&otherwise, &source, 104_000);
    let before = apart(&otherwise, &said);
    let [live, whole] = [&live, &whole].map(|sound| apart(sound, &said));
    assert!(whole < 0.8 * before, "{whole} {before}");
    assert!(live < 0.9 * before, "{live} {before}");
}
