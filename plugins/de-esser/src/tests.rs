use crate::DeEsser;
use vocalhost_effect::testing::{assert_conforms, config, gain_db, level, noise, render};
use vocalhost_effect::{Config, Setting, Value};

fn absolute(rate_hz: u32, channels: u32, numbers: &[(&str, f64)]) -> Config {
    let mut config = config(rate_hz, channels, numbers);
    let mode = Setting::new("mode", Value::Choice("absolute".to_owned()));
    config.settings.push(mode);
    config
}

/// A tone of 1 s at 48 kHz.
fn tone(frequency_hz: f64, peak: f64) -> Vec<f32> {
    let step = std::f64::consts::TAU * frequency_hz / 48_000.0;
    (0..48_000)
        .map(|at| (peak * (step * f64::from(at)).sin()) as f32)
        .collect()
}

/// How much louder a tone is at the end, in decibels.
fn settled_db(config: &Config, input: &[f32]) -> f64 {
    let output = render::<DeEsser>(config, &[input.to_vec()], &[4096]);
    20.0 * (level(&output[0][24_000..]) / level(&input[24_000..])).log10()
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    let extreme = [
        ("threshold_db", -60.0),
        ("frequency_hz", 16_000.0),
        ("range_db", 40.0),
        ("ratio", 100.0),
        ("attack_ms", 0.0),
        ("release_ms", 1.0),
    ];
    assert_conforms::<DeEsser>(&config(8_000, 1, &extreme));
    assert_conforms::<DeEsser>(&absolute(192_000, 2, &extreme));
    assert_conforms::<DeEsser>(&absolute(48_000, 3, &[("threshold_db", -30.0)]));
    assert_conforms::<DeEsser>(&config(44_100, 2, &[("frequency_hz", 1_000.0)]));
}

#[test]
fn nothing_changes_its_level_below_the_threshold() {
    // A click of 1 at any time stays far below the level that 0 dB asks for.
    let config = absolute(48_000, 1, &[("threshold_db", 0.0)]);
    for frequency_hz in [0.0, 500.0, 4_000.0, 5_000.0, 6_000.0, 20_000.0] {
        let gain_db = gain_db::<DeEsser>(&config, frequency_hz);
        assert!(gain_db.abs() < 0.01, "{frequency_hz}: {gain_db}");
    }
}

#[test]
fn far_above_the_frequency_ratio_decibels_over_the_threshold_become_one() {
    let settings = [
        ("frequency_hz", 2_000.0),
        ("threshold_db", -30.0),
        ("ratio", 4.0),
        ("range_db", 40.0),
        ("attack_ms", 0.0),
        ("release_ms", 200.0),
    ];
    // With an instant attack and a long release the level is the peak, here 20 dB over.
    let expected_db = 20.0 * (0.25 - 1.0);
    let gain_db = settled_db(&absolute(48_000, 1, &settings), &tone(13_331.0, 0.316_23));
    assert!((gain_db - expected_db).abs() < 0.2, "{gain_db}");
}

#[test]
fn the_range_is_the_most_that_is_taken_away() {
    let settings = [("threshold_db", -60.0), ("ratio", 100.0), ("range_db", 7.0)];
    let gain_db = settled_db(&absolute(48_000, 1, &settings), &tone(15_000.0, 0.5));
    assert!((gain_db + 7.0).abs() < 0.05, "{gain_db}");
}

#[test]
fn the_lower_band_is_left_alone_while_the_upper_one_is_turned_down() {
    let settings = [
        ("threshold_db", -40.0),
        ("range_db", 40.0),
        ("ratio", 100.0),
    ];
    let (voice, hiss) = (tone(300.0, 0.4), tone(12_000.0, 0.4));
    let both: Vec<f32> = voice
        .iter()
        .zip(&hiss)
        .map(|(one, two)| one + two)
        .collect();
    let output = render::<DeEsser>(&absolute(48_000, 1, &settings), &[both], &[4096]);
    let left_db = 20.0 * (level(&output[0][24_000..]) / level(&voice[24_000..])).log10();
    assert!(left_db.abs() < 0.05, "{left_db}");
}

#[test]
fn a_relative_threshold_treats_soft_and_loud_sound_alike() {
    let relative = config(48_000, 1, &[("threshold_db", -12.0)]);
    let loud_db = settled_db(&relative, &tone(9_000.0, 0.9));
    let soft_db = settled_db(&relative, &tone(9_000.0, 0.009));
    assert!(
        loud_db < -5.0 && (loud_db - soft_db).abs() < 0.01,
        "{loud_db} {soft_db}"
    );
    // A voice without sibilants is far below the threshold.
    assert!(settled_db(&relative, &tone(400.0, 0.9)).abs() < 0.001);
}

#[test]
fn the_gain_comes_down_within_the_attack() {
    let settings = [
        ("frequency_hz", 2_000.0),
        ("threshold_db", -20.0),
        ("ratio", 100.0),
        ("range_db", 40.0),
        ("attack_ms", 20.0),
        ("release_ms", 1_000.0),
    ];
    let input = tone(12_000.0, 1.0);
    let output = render::<DeEsser>(&absolute(48_000, 1, &settings), &[input], &[4096]);
    let ratio_at = |ms: usize| level(&output[0][ms * 48..ms * 48 + 48]) * std::f64::consts::SQRT_2;
    assert!(
        ratio_at(1) > 0.2 && ratio_at(60) < 0.13,
        "{} {}",
        ratio_at(1),
        ratio_at(60)
    );
}

#[test]
fn what_is_listened_to_and_what_is_left_add_up_to_the_untouched_sum_of_bands() {
    let settings = [("threshold_db", -30.0)];
    let mut listening = config(48_000, 1, &settings);
    listening
        .settings
        .push(Setting::new("listen", Value::Toggle(true)));
    let untouched = absolute(48_000, 1, &[("range_db", 0.0)]);
    let input = [noise(1, 4_000)];
    let taken = render::<DeEsser>(&listening, &input, &[4096]);
    let kept = render::<DeEsser>(&config(48_000, 1, &settings), &input, &[4096]);
    let whole = render::<DeEsser>(&untouched, &input, &[4096]);
    assert!(level(&taken[0]) > 0.01);
    for ((taken, kept), whole) in taken[0].iter().zip(&kept[0]).zip(&whole[0]) {
        assert!((taken + kept - whole).abs() < 1e-6);
    }
}

#[test]
fn the_loudest_channel_turns_down_all_of_them() {
    let settings = [
        ("frequency_hz", 2_000.0),
        ("threshold_db", -40.0),
        ("range_db", 12.0),
    ];
    let (loud, soft) = (tone(12_000.0, 0.5), tone(12_000.0, 0.000_1));
    let input = [loud, soft.clone()];
    let output = render::<DeEsser>(&absolute(48_000, 2, &settings), &input, &[4096]);
    let gain_db = 20.0 * (level(&output[1][24_000..]) / level(&soft[24_000..])).log10();
    assert!((gain_db + 12.0).abs() < 0.1, "{gain_db}");
}
