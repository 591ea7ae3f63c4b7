//! The effect on test signals, natively: `cargo test`.

use crate::Plugin;
use crate::dsp::{RingModulator, Shape};
use vocalhost_effect::testing::{assert_conforms, config, level, noise, render};

/// A tone of half of full scale.
fn tone(frequency_hz: f64, rate_hz: f64, frames: usize) -> Vec<f32> {
    let step = std::f64::consts::TAU * frequency_hz / rate_hz;
    let sample = |frame| (0.5 * (step * frame as f64).sin()) as f32;
    (0..frames).map(sample).collect()
}

/// How much of the frequency is in the sound: the magnitude of its Fourier coefficient.
fn amount(samples: &[f32], frequency_hz: f64, rate_hz: f64) -> f64 {
    let step = std::f64::consts::TAU * frequency_hz / rate_hz;
    let (mut real, mut imaginary) = (0.0, 0.0);
    for (frame, &sample) in samples.iter().enumerate() {
        let (sine, cosine) = (step * frame as f64).sin_cos();
        real += f64::from(sample) * cosine;
        imaginary += f64::from(sample) * sine;
    }
    2.0 * real.hypot(imaginary) / samples.len() as f64
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    // Rates, channels and settings at their edges: cuts are inaudible, a reset forgets,
    // nothing becomes infinite, the tail is as long as it says.
    let lowest = [("frequency_hz", 1.0), ("mix", 0.0)];
    let highest = [("frequency_hz", 5_000.0), ("mix", 1.0)];
    assert_conforms::<Plugin>(&config(8_000, 1, &lowest));
    assert_conforms::<Plugin>(&config(8_000, 2, &highest).set("shape", "triangle"));
    assert_conforms::<Plugin>(&config(192_000, 8, &highest));
    assert_conforms::<Plugin>(&config(44_100, 2, &[]));
}

#[test]
fn a_tone_becomes_its_sum_and_its_difference_with_the_other() {
    let stream = config(48_000, 1, &[("frequency_hz", 100.0)]);
    let output = render::<Plugin>(&stream, &[tone(1_000.0, 48_000.0, 48_000)], &[4096]);
    for (frequency_hz, expected) in [(900.0, 0.25), (1_100.0, 0.25), (1_000.0, 0.0)] {
        let found = amount(&output[0], frequency_hz, 48_000.0);
        assert!(
            (found - expected).abs() < 1e-4,
            "{frequency_hz} Hz: {found}"
        );
    }
}

#[test]
fn without_a_mix_the_sound_stays_as_it_is() {
    let input = [noise(1, 5_000), noise(2, 5_000)];
    assert!(render::<Plugin>(&config(48_000, 2, &[("mix", 0.0)]), &input, &[4096]) == input);
}

#[test]
fn both_channels_are_treated_alike() {
    let input = [noise(1, 5_000), noise(1, 5_000)];
    let output = render::<Plugin>(&config(48_000, 2, &[]), &input, &[700]);
    assert!(output[0] == output[1]);
    assert!(level(&output[0]) > 0.1);
}

#[test]
fn the_triangle_is_one() {
    let mut modulator = RingModulator::new(8.0, 1.0, 1.0, Shape::Triangle, 8);
    let expected = [0.0, 0.5, 1.0, 0.5, 0.0, -0.5, -1.0, -0.5];
    assert_eq!(modulator.next_gains(8), expected);
}
