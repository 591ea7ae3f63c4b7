use crate::NoiseGate;
use vocalhost_effect::testing::{assert_conforms, assert_golden, config, noise, render};

/// The gain, in decibels, on a steady level once the envelope has settled.
fn static_gain_db(threshold_db: f64, ratio: f64, level_db: f64) -> f64 {
    let config = config(
        48_000,
        1,
        &[("threshold_db", threshold_db), ("ratio", ratio)],
    );
    let level = 10_f64.powf(level_db / 20.0) as f32;
    let output = render::<NoiseGate>(&config, &[vec![level; 9_600]], &[4096]);
    20.0 * f64::from(output[0][9_599] / level).log10()
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    let slow = [
        ("threshold_db", 0.0),
        ("ratio", 1.0),
        ("attack_ms", 5e3),
        ("release_ms", 5e3),
    ];
    let instant = [
        ("threshold_db", -10.0),
        ("ratio", 100.0),
        ("attack_ms", 0.0),
        ("release_ms", 0.0),
    ];
    assert_conforms::<NoiseGate>(&config(8_000, 1, &slow));
    assert_conforms::<NoiseGate>(&config(192_000, 3, &instant));
    assert_conforms::<NoiseGate>(&config(
        48_000,
        2,
        &[("threshold_db", -15.0), ("ratio", 3.0)],
    ));
}

#[test]
fn it_sounds_like_the_reference() {
    assert_golden::<NoiseGate>(include_str!("../golden.txt"), -90.0);
}

#[test]
fn below_the_threshold_one_decibel_becomes_ratio_decibels() {
    for (ratio, level_db) in [(2.0, -50.0), (4.0, -45.0), (10.0, -42.0)] {
        let expected_db = (level_db + 40.0) * (ratio - 1.0);
        let gain_db = static_gain_db(-40.0, ratio, level_db);
        assert!((gain_db - expected_db).abs() < 0.001, "{ratio}: {gain_db}");
    }
}

#[test]
fn above_the_threshold_nothing_changes() {
    assert!(static_gain_db(-40.0, 10.0, -39.0).abs() < 1e-12);
}

#[test]
fn the_defaults_leave_all_but_the_faintest_sound_alone() {
    let input = noise(1, 5_000);
    let output = render::<NoiseGate>(
        &config(48_000, 1, &[]),
        std::slice::from_ref(&input),
        &[999],
    );
    assert!(output[0] == input);
}

#[test]
fn a_pause_after_loud_sound_is_closed_by_release_and_mean_only() {
    let settings = [
        ("threshold_db", -30.0),
        ("ratio", 10.0),
        ("release_ms", 100.0),
    ];
    let mut input = vec![0.5; 4_800];
    input.resize(28_800, 0.003);
    let output = render::<NoiseGate>(&config(48_000, 1, &settings), &[input], &[4096]);
    assert!(
        output[0][4_900] > 0.002_999,
        "still open just after the sound"
    );
    assert!(
        output[0][28_000] < 0.003 * 1e-6,
        "closed after half a second"
    );
}

#[test]
fn channels_do_not_influence_each_other() {
    let config = |channels| config(48_000, channels, &[("threshold_db", -20.0), ("ratio", 3.0)]);
    let (loud, soft) = (noise(1, 3_000), vec![0.01; 3_000]);
    let both = render::<NoiseGate>(&config(2), &[loud.clone(), soft.clone()], &[4096]);
    assert!(both[0] == render::<NoiseGate>(&config(1), &[loud], &[4096])[0]);
    assert!(both[1] == render::<NoiseGate>(&config(1), &[soft], &[4096])[0]);
}
