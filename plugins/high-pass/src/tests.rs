use crate::HighPass;
use vocalhost_effect::testing::{assert_golden, assert_is_first_order, gain_at};

#[test]
fn it_keeps_the_rules_and_is_3_db_softer_at_the_cut_off() {
    assert_is_first_order::<HighPass>();
}

#[test]
fn it_sounds_like_the_reference() {
    assert_golden::<HighPass>(include_str!("../golden.txt"), -90.0);
}

#[test]
fn below_the_cut_off_it_falls_by_6_db_per_octave() {
    let octave_db = gain_at::<HighPass>(1_000.0, 100.0) - gain_at::<HighPass>(1_000.0, 50.0);
    assert!((octave_db - 6.0).abs() < 0.05, "{octave_db}");
    assert!(gain_at::<HighPass>(1_000.0, 0.0) < -100.0);
}

#[test]
fn far_above_the_cut_off_nothing_changes() {
    assert!(gain_at::<HighPass>(50.0, 5_000.0).abs() < 0.001);
}

#[test]
fn a_cut_off_beyond_half_the_rate_is_limited_to_just_under_it() {
    assert!(gain_at::<HighPass>(99_999.0, 1_000.0) < -60.0);
    assert!(
        (gain_at::<HighPass>(99_999.0, 1_000.0) - gain_at::<HighPass>(24_000.0, 1_000.0)).abs()
            < 1e-9
    );
}
