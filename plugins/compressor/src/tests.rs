use crate::Compressor;
use vocalhost_effect::testing::{assert_conforms, assert_golden, config, noise, render};

/// The gain, in decibels, on a steady level once the envelope has settled.
fn static_gain_db(threshold_db: f64, ratio: f64, level_db: f64) -> f64 {
    let config = config(
        48_000,
        1,
        &[("threshold_db", threshold_db), ("ratio", ratio)],
    );
    let level = 10_f64.powf(level_db / 20.0) as f32;
    let output = render::<Compressor>(&config, &[vec![level; 9_600]], &[4096]);
    20.0 * f64::from(output[0][9_599] / level).log10()
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    let slow = [
        ("threshold_db", -100.0),
        ("ratio", 100.0),
        ("attack_ms", 5e3),
        ("release_ms", 5e3),
    ];
    let instant = [
        ("threshold_db", -20.0),
        ("ratio", 4.0),
        ("attack_ms", 0.0),
        ("release_ms", 0.0),
    ];
    assert_conforms::<Compressor>(&config(8_000, 1, &slow));
    assert_conforms::<Compressor>(&config(192_000, 3, &instant));
    assert_conforms::<Compressor>(&config(
        48_000,
        2,
        &[("threshold_db", -30.0), ("ratio", 3.0)],
    ));
}

#[test]
fn it_sounds_like_the_reference() {
    assert_golden::<Compressor>(include_str!("../golden.txt"), -90.0);
}

#[test]
fn above_the_threshold_ratio_decibels_become_one() {
    for (ratio, level_db) in [(2.0, -10.0), (4.0, 0.0), (100.0, -6.0)] {
        let expected_db = (level_db + 20.0) * (1.0 / ratio - 1.0);
        let gain_db = static_gain_db(-20.0, ratio, level_db);
        assert!((gain_db - expected_db).abs() < 0.001, "{ratio}: {gain_db}");
    }
}

#[test]
fn below_the_threshold_nothing_changes_to_the_bit() {
    let input = noise(1, 5_000);
    let config = config(48_000, 1, &[("threshold_db", -6.0), ("ratio", 10.0)]);
    assert!(render::<Compressor>(&config, std::slice::from_ref(&input), &[999])[0] == input);
}

#[test]
fn the_defaults_change_nothing_that_is_not_over_full_scale() {
    let input = noise(1, 5_000);
    let output = render::<Compressor>(
        &config(48_000, 1, &[]),
        std::slice::from_ref(&input),
        &[999],
    );
    assert!(output[0] == input);
}

#[test]
fn the_gain_comes_down_within_the_attack_and_recovers_within_the_release() {
    let settings = [
        ("threshold_db", -20.0),
        ("ratio", 100.0),
        ("attack_ms", 10.0),
        ("release_ms", 50.0),
    ];
    let mut input = vec![1.0; 4_800];
    input.resize(14_400, 0.05);
    let output = render::<Compressor>(&config(48_000, 1, &settings), &[input], &[4096]);
    let gain = |frame: usize| output[0][frame] / if frame < 4_800 { 1.0 } else { 0.05 };
    assert!(gain(0) > 0.99 && gain(120) > 0.11);
    assert!((gain(480) - 0.1025).abs() < 0.001, "{}", gain(480));
    // The envelope falls from 1 to 0.1 as it nears 0.05: e^(−2π t/50 ms) = 0.05 / 0.95.
    let recovered =
        4_800 + (0.05_f64 * (0.95_f64 / 0.05).ln() / std::f64::consts::TAU * 48_000.0) as usize;
    assert!(gain(recovered - 50) < 0.99 && gain(recovered + 50) > 0.999_999);
}

#[test]
fn channels_do_not_influence_each_other() {
    let config = |channels| config(48_000, channels, &[("threshold_db", -30.0), ("ratio", 5.0)]);
    let (loud, soft) = (noise(1, 3_000), vec![0.01; 3_000]);
    let both = render::<Compressor>(&config(2), &[loud.clone(), soft.clone()], &[4096]);
    assert!(both[0] == render::<Compressor>(&config(1), &[loud], &[4096])[0]);
    assert!(both[1] == soft);
}
