use crate::Chorus;
use vocalhost_effect::testing::{assert_conforms, assert_golden, config, noise, render};
use vocalhost_effect::{Running, Tail};

#[test]
fn it_keeps_the_rules_of_the_interface() {
    let extreme = [
        ("rate_hz", 100.0),
        ("depth", 1.0),
        ("centre_delay_ms", 100.0),
        ("feedback", 1.0),
        ("mix", 1.0),
    ];
    assert_conforms::<Chorus>(&config(8_000, 2, &extreme));
    assert_conforms::<Chorus>(&config(192_000, 1, &extreme));
    assert_conforms::<Chorus>(&config(48_000, 2, &[("feedback", 0.8), ("rate_hz", 3.0)]));
    assert_conforms::<Chorus>(&config(
        44_100,
        1,
        &[("rate_hz", 0.0), ("centre_delay_ms", 0.0)],
    ));
}

#[test]
fn it_sounds_like_the_reference() {
    assert_golden::<Chorus>(include_str!("../golden.txt"), -80.0);
}

#[test]
fn more_than_two_channels_are_refused() {
    assert!(Running::<Chorus>::new(&config(48_000, 3, &[])).is_err());
}

#[test]
fn a_mix_of_0_is_the_plain_sound() {
    let input = [noise(1, 3_000), noise(2, 3_000)];
    let settings = [("feedback", 0.7), ("mix", 0.0)];
    assert!(render::<Chorus>(&config(48_000, 2, &settings), &input, &[64]) == input);
}

#[test]
fn both_channels_waver_together() {
    let settings = [("rate_hz", 4.0), ("depth", 0.7), ("feedback", 0.3)];
    let mono = render::<Chorus>(&config(48_000, 1, &settings), &[noise(1, 9_000)], &[500]);
    let stereo = render::<Chorus>(
        &config(48_000, 2, &settings),
        &[noise(1, 9_000), noise(1, 9_000)],
        &[500],
    );
    assert!(stereo[0] == mono[0] && stereo[1] == mono[0]);
}

#[test]
fn the_delay_swings_around_its_centre_by_the_depth() {
    // A ramp comes out lower by its slope times the delay.
    let frames = 48_000;
    let ramp: Vec<f32> = (0..frames).map(|frame| frame as f32 / 65_536.0).collect();
    let settings = [
        ("rate_hz", 1.0),
        ("depth", 0.25),
        ("centre_delay_ms", 7.0),
        ("mix", 1.0),
    ];
    let output = render::<Chorus>(
        &config(48_000, 1, &settings),
        std::slice::from_ref(&ramp),
        &[4096],
    );
    let delay_ms = |frame: usize| (ramp[frame] - output[0][frame]) * 65_536.0 / 48.0;
    for (frame, expected_ms) in [(12_000, 4.5), (24_000, 7.0), (36_000, 9.5)] {
        assert!(
            (delay_ms(frame) - expected_ms).abs() < 0.01,
            "{frame}: {}",
            delay_ms(frame)
        );
    }
}

#[test]
fn without_feedback_the_tail_is_the_longest_delay() {
    let running = Running::<Chorus>::new(&config(48_000, 1, &[])).expect("it runs");
    assert!(matches!(running.tail(), Tail::Frames(456..=460)));
}
