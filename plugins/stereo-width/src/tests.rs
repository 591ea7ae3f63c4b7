use crate::StereoWidth;
use vocalhost_effect::Running;
use vocalhost_effect::testing::{assert_conforms, config, gain_db, level, noise, render};

fn tone(frequency_hz: f64, frames: usize) -> Vec<f32> {
    let step = std::f64::consts::TAU * frequency_hz / 48_000.0;
    let sample = |frame| (0.5 * (step * frame as f64).sin()) as f32;
    (0..frames).map(sample).collect()
}

fn stereo(settings: &[(&str, f64)], input: &[Vec<f32>; 2]) -> Vec<Vec<f32>> {
    render::<StereoWidth>(&config(48_000, 2, settings), input, &[4096])
}

/// Level of a signal's second half, when filters have settled, in decibels.
fn settled_db(samples: &[f32]) -> f64 {
    20.0 * level(&samples[samples.len() / 2..]).max(1e-12).log10()
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    let widest = [("width", 2.0), ("mono_below_hz", 500.0), ("balance", 1.0)];
    assert_conforms::<StereoWidth>(&config(8_000, 2, &widest));
    assert_conforms::<StereoWidth>(&config(192_000, 2, &[("mono_below_hz", 20.0)]));
    assert_conforms::<StereoWidth>(&config(48_000, 2, &[("width", 0.3)]));
    assert_conforms::<StereoWidth>(&config(44_100, 1, &widest));
}

#[test]
fn the_defaults_change_nothing_to_the_bit() {
    let input = [noise(1, 5_000), noise(2, 5_000)];
    assert!(stereo(&[], &input) == input);
}

#[test]
fn mono_streams_stay_as_they_are_and_three_channels_are_refused() {
    let input = [noise(1, 3_000)];
    let settings = [("width", 2.0), ("mono_below_hz", 200.0)];
    assert!(render::<StereoWidth>(&config(48_000, 1, &settings), &input, &[64]) == input);
    assert!(Running::<StereoWidth>::new(&config(48_000, 3, &[])).is_err());
}

#[test]
fn a_width_of_0_is_mono() {
    let output = stereo(&[("width", 0.0)], &[noise(1, 5_000), noise(2, 5_000)]);
    for (left, right) in output[0].iter().zip(&output[1]) {
        assert!((left - right).abs() < 1e-6);
    }
}

#[test]
fn the_difference_grows_with_the_width_and_the_sum_stays() {
    let input = [noise(1, 5_000), noise(2, 5_000)];
    for width in [0.4_f32, 1.7, 2.0] {
        let output = stereo(&[("width", f64::from(width))], &input);
        for frame in 0..5_000 {
            let (l, r) = (input[0][frame], input[1][frame]);
            let (wide_l, wide_r) = (output[0][frame], output[1][frame]);
            assert!((wide_l + wide_r - l - r).abs() < 1e-6);
            assert!((wide_l - wide_r - width * (l - r)).abs() < 1e-5);
        }
    }
}

#[test]
fn below_the_crossover_one_side_comes_out_on_both() {
    let settings = [("mono_below_hz", 200.0)];
    let output = stereo(&settings, &[tone(25.0, 48_000), vec![0.0; 48_000]]);
    let apart_db = settled_db(&output[0]) - settled_db(&output[1]);
    assert!(apart_db.abs() < 0.1, "{apart_db} dB apart");
}

#[test]
fn above_the_crossover_one_side_stays_on_one_side() {
    let settings = [("mono_below_hz", 200.0)];
    let input = tone(3_000.0, 48_000);
    let output = stereo(&settings, &[input.clone(), vec![0.0; 48_000]]);
    assert!((settled_db(&output[0]) - settled_db(&input)).abs() < 0.01);
    let leak_db = settled_db(&output[1]) - settled_db(&output[0]);
    assert!(leak_db < -80.0, "{leak_db} dB on the other side");
}

#[test]
fn a_sound_in_the_middle_keeps_its_loudness_at_every_frequency() {
    let settings = [("mono_below_hz", 200.0), ("width", 2.0)];
    for hz in [30.0, 100.0, 200.0, 400.0, 2_000.0, 15_000.0] {
        let gain_db = gain_db::<StereoWidth>(&config(48_000, 2, &settings), hz);
        assert!(gain_db.abs() < 0.01, "{hz} Hz: {gain_db} dB");
    }
}

#[test]
fn the_balance_turns_one_side_down() {
    let ones = || [vec![1.0_f32; 10], vec![1.0_f32; 10]];
    for (balance, left, right) in [(-1.0, 1.0_f32, 0.0_f32), (0.25, 0.75, 1.0), (1.0, 0.0, 1.0)] {
        let output = stereo(&[("balance", balance)], &ones());
        assert!((output[0][5] - left).abs() < 1e-6 && (output[1][5] - right).abs() < 1e-6);
    }
}
