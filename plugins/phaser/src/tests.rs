use crate::Phaser;
use std::f64::consts::PI;
use vocalhost_effect::testing::{assert_conforms, config, gain_db, level, noise, render};
use vocalhost_effect::{Config, Setting, Value};

fn staged(stages: &str, rate_hz: u32, channels: u32, numbers: &[(&str, f64)]) -> Config {
    let mut config = config(rate_hz, channels, numbers);
    let stages = Setting::new("stages", Value::Choice(stages.to_owned()));
    config.settings.push(stages);
    config
}

/// Where notch `index` of a standing phaser lies: each of the all-passes turns by
/// 2 atan(tan(π f/rate) / tan(π centre/rate)), together by an odd number of half turns.
fn notch_hz(stages: f64, index: f64, centre_hz: f64) -> f64 {
    let share = (PI * (2.0 * index + 1.0) / (2.0 * stages)).tan();
    (share * (PI * centre_hz / 48_000.0).tan()).atan() * 48_000.0 / PI
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    let extreme = [
        ("rate_hz", 10.0),
        ("depth", 1.0),
        ("centre_frequency_hz", 8_000.0),
        ("feedback", 0.9),
        ("mix", 1.0),
    ];
    assert_conforms::<Phaser>(&staged("12", 8_000, 1, &extreme));
    assert_conforms::<Phaser>(&staged("12", 192_000, 2, &extreme));
    let low = [
        ("centre_frequency_hz", 100.0),
        ("feedback", -0.9),
        ("depth", 0.5),
    ];
    assert_conforms::<Phaser>(&staged("2", 44_100, 3, &low));
    assert_conforms::<Phaser>(&staged("8", 48_000, 2, &[("feedback", 0.5)]));
}

#[test]
fn a_standing_phaser_has_its_notches_where_the_formula_says() {
    for (stages, count) in [("2", 2.0), ("4", 4.0), ("12", 12.0)] {
        let standing = staged(stages, 48_000, 1, &[("rate_hz", 0.0)]);
        for index in 0..count as usize / 2 {
            let frequency_hz = notch_hz(count, index as f64, 1_000.0);
            let gain_db = gain_db::<Phaser>(&standing, frequency_hz);
            assert!(gain_db < -80.0, "{stages}, {frequency_hz}: {gain_db}");
        }
    }
}

#[test]
fn between_the_notches_the_sound_has_its_level() {
    // At the centre four all-passes turn by a whole turn.
    let standing = staged("4", 48_000, 1, &[("rate_hz", 0.0)]);
    for frequency_hz in [0.0, 1_000.0, 24_000.0] {
        let gain_db = gain_db::<Phaser>(&standing, frequency_hz);
        assert!(gain_db.abs() < 0.001, "{frequency_hz}: {gain_db}");
    }
}

#[test]
fn the_turned_copy_alone_keeps_every_level() {
    let standing = staged("6", 48_000, 1, &[("rate_hz", 0.0), ("mix", 1.0)]);
    for frequency_hz in [50.0, 700.0, 1_000.0, 9_000.0] {
        let gain_db = gain_db::<Phaser>(&standing, frequency_hz);
        assert!(gain_db.abs() < 0.001, "{frequency_hz}: {gain_db}");
    }
}

#[test]
fn feedback_raises_the_peaks_by_its_formula() {
    // At 0 Hz the row lets everything pass: the loop sums up to 1 / (1 − feedback).
    let standing = staged(
        "4",
        48_000,
        1,
        &[("rate_hz", 0.0), ("feedback", 0.5), ("mix", 1.0)],
    );
    let gain_db = gain_db::<Phaser>(&standing, 0.0);
    assert!((gain_db - 6.0206).abs() < 0.001, "{gain_db}");
}

#[test]
fn the_notch_is_two_octaves_up_after_a_quarter_period_and_back_after_half() {
    // A tone at the notch of the moment all but vanishes.
    let settings = [
        ("rate_hz", 1.0),
        ("centre_frequency_hz", 500.0),
        ("depth", 1.0),
    ];
    let moving = staged("2", 48_000, 1, &settings);
    for (frame, tone_hz) in [(12_000, 2_000.0), (24_000, 500.0), (36_000, 125.0)] {
        let tone: Vec<f32> = (0..48_000)
            .map(|at| (2.0 * PI * tone_hz * f64::from(at) / 48_000.0).sin() as f32)
            .collect();
        let output = render::<Phaser>(&moving, &[tone], &[4096]);
        let (here, later) = (
            level(&output[0][frame - 200..frame + 200]),
            level(&output[0]),
        );
        assert!(here < 0.1 * later, "{frame}: {here} of {later}");
    }
}

#[test]
fn a_sweep_never_adds_energy() {
    let fast = staged(
        "12",
        8_000,
        1,
        &[("rate_hz", 10.0), ("depth", 1.0), ("mix", 1.0)],
    );
    let mut input = noise(1, 8_000);
    input.resize(16_000, 0.0);
    let output = render::<Phaser>(&fast, std::slice::from_ref(&input), &[4096]);
    assert!((level(&output[0]) / level(&input) - 1.0).abs() < 1e-5);
}

#[test]
fn a_mix_of_0_is_the_plain_sound() {
    let input = [noise(1, 3_000), noise(2, 3_000)];
    let dry = config(48_000, 2, &[("mix", 0.0), ("feedback", 0.5)]);
    assert!(render::<Phaser>(&dry, &input, &[64]) == input);
}
