use crate::MultibandCompressor;
use vocalhost_effect::testing::{assert_conforms, config, gain_db, level, render};

fn tone(frequency_hz: f64, amplitude: f64, frames: usize) -> Vec<f32> {
    let step = std::f64::consts::TAU * frequency_hz / 48_000.0;
    let sample = |frame| (amplitude * (step * frame as f64).sin()) as f32;
    (0..frames).map(sample).collect()
}

/// How much louder a tone of half a second is in its second half.
fn tone_gain_db(settings: &[(&str, f64)], frequency_hz: f64, amplitude: f64) -> f64 {
    let input = [tone(frequency_hz, amplitude, 24_000)];
    let output = render::<MultibandCompressor>(&config(48_000, 1, settings), &input, &[4096]);
    20.0 * (level(&output[0][12_000..]) / level(&input[0][12_000..])).log10()
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    let hard = [
        ("low_crossover_hz", 1_000.0),
        ("high_crossover_hz", 16_000.0),
        ("low_threshold_db", -80.0),
        ("low_ratio", 100.0),
        ("mid_threshold_db", -60.0),
        ("mid_ratio", 100.0),
        ("high_threshold_db", -40.0),
        ("high_ratio", 20.0),
        ("low_attack_ms", 0.0),
        ("high_release_ms", 5_000.0),
        ("high_gain_db", 24.0),
    ];
    assert_conforms::<MultibandCompressor>(&config(8_000, 1, &hard));
    assert_conforms::<MultibandCompressor>(&config(192_000, 3, &hard));
    assert_conforms::<MultibandCompressor>(&config(48_000, 2, &[("low_crossover_hz", 40.0)]));
}

#[test]
fn the_bands_sum_flat_when_nothing_is_compressed() {
    for crossovers in [(200.0, 3_000.0), (1_000.0, 1_000.0), (40.0, 16_000.0)] {
        let settings = [
            ("low_crossover_hz", crossovers.0),
            ("high_crossover_hz", crossovers.1),
        ];
        for third in 0..=30 {
            let hz = 20.0 * 2_f64.powf(f64::from(third) / 3.0);
            let gain_db = gain_db::<MultibandCompressor>(&config(48_000, 1, &settings), hz);
            assert!(gain_db.abs() < 0.01, "{hz} Hz: {gain_db} dB");
        }
    }
}

#[test]
fn the_gain_of_a_band_moves_this_band_alone() {
    let settings = [("mid_gain_db", 6.0)];
    for (hz, expected_db) in [(30.0, 0.0), (800.0, 6.0), (15_000.0, 0.0)] {
        let gain_db = gain_db::<MultibandCompressor>(&config(48_000, 1, &settings), hz);
        assert!((gain_db - expected_db).abs() < 0.1, "{hz} Hz: {gain_db} dB");
    }
}

#[test]
fn each_band_is_compressed_by_its_own_settings() {
    // With attack and release alike the level of a steady tone settles at the mean of
    // its magnitude, 2/π of the amplitude.
    let bands = [("low", 40.0), ("mid", 900.0), ("high", 20_000.0)];
    for (band, own_hz) in bands {
        let ids = ["threshold_db", "ratio", "attack_ms", "release_ms"];
        let ids = ids.map(|id| format!("{band}_{id}"));
        let values = [-30.0, 4.0, 150.0, 150.0];
        let mut settings: Vec<(&str, f64)> = ids.iter().map(String::as_str).zip(values).collect();
        settings.push(("high_crossover_hz", 6_000.0));
        let level_db = 20.0 * (0.5 * std::f64::consts::FRAC_2_PI).log10();
        for (_, hz) in bands {
            let expected_db = if f64::abs(hz - own_hz) < 1.0 {
                (level_db + 30.0) * (1.0 / 4.0 - 1.0)
            } else {
                0.0
            };
            let gain_db = tone_gain_db(&settings, hz, 0.5);
            assert!(
                (gain_db - expected_db).abs() < 0.3,
                "{band} {hz}: {gain_db}"
            );
        }
    }
}

#[test]
fn a_tone_below_every_threshold_keeps_its_level() {
    let settings = [
        ("low_threshold_db", -20.0),
        ("low_ratio", 10.0),
        ("mid_threshold_db", -20.0),
        ("mid_ratio", 10.0),
    ];
    assert!(tone_gain_db(&settings, 300.0, 0.05).abs() < 0.01);
    assert!(tone_gain_db(&settings, 300.0, 0.9) < -3.0);
}

#[test]
fn the_band_comes_down_within_the_attack_and_recovers_within_the_release() {
    let settings = [
        ("mid_threshold_db", -20.0),
        ("mid_ratio", 100.0),
        ("mid_attack_ms", 20.0),
        ("mid_release_ms", 100.0),
    ];
    let mut input = tone(1_000.0, 1.0, 9_600);
    input.extend(tone(1_000.0, 0.05, 14_400));
    let config = config(48_000, 1, &settings);
    let output = render::<MultibandCompressor>(&config, std::slice::from_ref(&input), &[4096]);
    let gain_at = |frame: usize| {
        let around = frame - 48..frame + 48;
        level(&output[0][around.clone()]) / level(&input[around])
    };
    let settled = gain_at(8_000);
    assert!(gain_at(48) > 2.0 * settled && gain_at(960) < settled * 1.1);
    assert!(gain_at(9_600 + 480) < 0.7 && gain_at(9_600 + 4_800) > 0.95);
}

#[test]
fn a_loud_channel_turns_down_the_others_with_it() {
    let settings = [("mid_threshold_db", -30.0), ("mid_ratio", 4.0)];
    let input = [tone(900.0, 0.5, 24_000), tone(900.0, 0.005, 24_000)];
    let output = render::<MultibandCompressor>(&config(48_000, 2, &settings), &input, &[4096]);
    let gain =
        |channel: usize| level(&output[channel][12_000..]) / level(&input[channel][12_000..]);
    assert!((gain(0) / gain(1) - 1.0).abs() < 0.01 && gain(0) < 0.3);
}
