use crate::LowPass;
use vocalhost_effect::testing::{assert_conforms, assert_golden, config, gain_db};

fn gain_at(cutoff_hz: f64, frequency_hz: f64) -> f64 {
    let config = config(48_000, 1, &[("cutoff_frequency_hz", cutoff_hz)]);
    gain_db::<LowPass>(&config, frequency_hz)
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    for (rate_hz, cutoff_hz) in [
        (8_000, 50.0),
        (48_000, 1.0),
        (192_000, 99_999.0),
        (44_100, 0.0),
    ] {
        assert_conforms::<LowPass>(&config(rate_hz, 3, &[("cutoff_frequency_hz", cutoff_hz)]));
    }
}

#[test]
fn it_sounds_like_the_reference() {
    assert_golden::<LowPass>(include_str!("../golden.txt"), -90.0);
}

#[test]
fn a_tone_at_the_cut_off_is_3_db_softer() {
    for cutoff_hz in [50.0, 1_000.0, 12_000.0] {
        let gain_db = gain_at(cutoff_hz, cutoff_hz);
        assert!((gain_db + 3.0103).abs() < 0.01, "{cutoff_hz}: {gain_db}");
    }
}

#[test]
fn above_the_cut_off_it_falls_by_6_db_per_octave() {
    let octave_db = gain_at(50.0, 500.0) - gain_at(50.0, 1_000.0);
    assert!((octave_db - 6.0).abs() < 0.05, "{octave_db}");
    assert!(gain_at(50.0, 24_000.0) < -80.0);
}

#[test]
fn far_below_the_cut_off_nothing_changes() {
    assert!(gain_at(12_000.0, 50.0).abs() < 0.001);
}

#[test]
fn a_cut_off_beyond_half_the_rate_is_limited_to_just_under_it() {
    assert!(gain_at(99_999.0, 20_000.0).abs() < 0.01);
}

#[test]
fn a_cut_off_of_0_hz_lets_nothing_pass() {
    assert!(gain_at(0.0, 10.0) < -200.0);
}
