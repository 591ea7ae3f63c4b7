//! Golden vectors: sameness with a reference that the tests do not have.

use super::render::{config, level, noise, render};
use crate::Effect;

/// Frames of the golden signal.
const FRAMES: usize = 4_800;

/// One frame out of this many was written down.
const STRIDE: usize = 75;

/// Noise whose middle third is 36 dB softer; every channel has its own.
#[must_use]
pub fn golden_signal(channel: u32) -> Vec<f32> {
    let mut samples = noise(channel + 1, FRAMES);
    for sample in &mut samples[FRAMES / 3..FRAMES * 2 / 3] {
        *sample /= 64.0;
    }
    samples
}

/// Compares the effect with every case of a golden file.
///
/// A case is a line `case RATE CHANNELS [PARAMETER=NUMBER]...` and, after it, every
/// 75th sample of the reference's answer to [`golden_signal`], channel after
/// channel. Lines that start with `#` are comments. The difference may be at most
/// `limit_db` relative to the reference.
///
/// # Panics
/// When a case differs by more, or the file is not of this form.
pub fn assert_golden<E: Effect>(file: &str, limit_db: f64) {
    let text: String = file
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(|line| [line, "\n"])
        .collect();
    let cases: Vec<&str> = text.split("case ").skip(1).collect();
    assert!(!cases.is_empty(), "a golden file has cases");
    for case in cases {
        let (head, numbers) = case
            .split_once('\n')
            .expect("samples follow the head of a case");
        let expected: Vec<f32> = numbers.split_whitespace().map(parse).collect();
        let actual = answer::<E>(head);
        assert_eq!(actual.len(), expected.len(), "{head}");
        let difference: Vec<f32> = actual.iter().zip(&expected).map(|(a, b)| a - b).collect();
        let residual_db = 20.0 * (level(&difference) / level(&expected)).log10();
        assert!(
            residual_db <= limit_db,
            "{head}: {residual_db:.1} dB from the reference"
        );
    }
}

/// What the effect makes of the golden signal, thinned out like the file.
fn answer<E: Effect>(head: &str) -> Vec<f32> {
    let mut words = head.split_whitespace();
    let mut number = || {
        words
            .next()
            .map(parse::<u32>)
            .expect("a case has a rate and channels")
    };
    let (sample_rate_hz, channels) = (number(), number());
    let settings: Vec<(&str, f64)> = words
        .map(|word| word.split_once('=').expect("a setting is PARAMETER=NUMBER"))
        .map(|(id, number)| (id, parse(number)))
        .collect();
    let input: Vec<Vec<f32>> = (0..channels).map(golden_signal).collect();
    let output = render::<E>(
        &config(sample_rate_hz, channels, &settings),
        &input,
        &[4096],
    );
    let thinned = output
        .iter()
        .flat_map(|channel| channel.iter().skip(STRIDE - 1).step_by(STRIDE));
    thinned.copied().collect()
}

fn parse<T: std::str::FromStr>(word: &str) -> T {
    word.parse()
        .unwrap_or_else(|_| panic!("`{word}` is not a number"))
}
