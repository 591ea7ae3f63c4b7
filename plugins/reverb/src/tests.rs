use crate::Reverb;
use vocalhost_effect::testing::{assert_conforms, assert_golden, config, level, noise, render};
use vocalhost_effect::{Running, Tail};

/// The wet answer to a click at 16 kHz, left channel first.
fn answer_to_a_click(channels: u32, settings: &[(&str, f64)], seconds: usize) -> Vec<Vec<f32>> {
    let settings: Vec<_> = [("dry_level", 0.0)]
        .iter()
        .chain(settings)
        .copied()
        .collect();
    let mut click = vec![0.0; 16_000 * seconds];
    click[0] = 1.0;
    render::<Reverb>(
        &config(16_000, channels, &settings),
        &vec![click; channels as usize],
        &[4096],
    )
}

/// Reverberation time by Schroeder's backward integration, from −5 to −35 dB.
fn decay_s(room_size: f64, damping: f64) -> f64 {
    let settings = [("room_size", room_size), ("damping", damping)];
    let answer = answer_to_a_click(1, &settings, 16).remove(0);
    let mut left: Vec<f64> = answer
        .iter()
        .rev()
        .scan(0.0, |sum, &sample| {
            *sum += f64::from(sample).powi(2);
            Some(*sum)
        })
        .collect();
    left.reverse();
    let below = |db: f64| {
        left.iter()
            .position(|&rest| 10.0 * (rest / left[0]).log10() < db)
    };
    let frames = below(-35.0).expect("it decays") - below(-5.0).expect("it decays");
    2.0 * frames as f64 / 16_000.0
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    let longest = [
        ("room_size", 1.0),
        ("damping", 0.0),
        ("wet_level", 1.0),
        ("dry_level", 1.0),
    ];
    assert_conforms::<Reverb>(&config(8_000, 2, &longest));
    assert_conforms::<Reverb>(&config(16_000, 1, &longest));
    assert_conforms::<Reverb>(&config(192_000, 2, &[("room_size", 0.0)]));
    assert_conforms::<Reverb>(&config(44_100, 2, &[("freeze_mode", 1.0)]));
    assert_conforms::<Reverb>(&config(
        48_000,
        1,
        &[("freeze_mode", 0.7), ("wet_level", 1.0)],
    ));
}

#[test]
fn it_sounds_like_the_reference() {
    assert_golden::<Reverb>(include_str!("../golden.txt"), -90.0);
}

#[test]
fn more_than_two_channels_are_refused() {
    assert!(Running::<Reverb>::new(&config(48_000, 3, &[])).is_err());
}

#[test]
fn the_decay_grows_with_the_room_and_shrinks_with_damping() {
    let times_s = [0.0, 0.5, 1.0].map(|room_size| decay_s(room_size, 0.5));
    assert!(
        times_s[0] < times_s[1] && times_s[1] < times_s[2],
        "{times_s:?}"
    );
    assert!(decay_s(0.5, 1.0) < decay_s(0.5, 0.0));
    // −60 dB after ln(10⁻³) / ln(feedback) rounds of the combs, 1116 to 1617 samples at
    // 44.1 kHz long.
    let undamped_s = decay_s(0.5, 0.0);
    let rounds = 1e-3_f64.ln() / 0.84_f64.ln();
    let between_s = rounds * 1_116.0 / 44_100.0..rounds * 1_617.0 / 44_100.0;
    assert!(
        between_s.contains(&undamped_s),
        "{undamped_s} is not in {between_s:?}"
    );
}

#[test]
fn a_width_of_0_puts_the_room_in_the_middle_and_1_spreads_it() {
    let narrow = answer_to_a_click(2, &[("width", 0.0)], 1);
    let wide = answer_to_a_click(2, &[("width", 1.0)], 1);
    let side = |stereo: &[Vec<f32>]| -> Vec<f32> {
        stereo[0]
            .iter()
            .zip(&stereo[1])
            .map(|(left, right)| left - right)
            .collect()
    };
    assert!(level(&side(&narrow)) < 1e-6 * level(&narrow[0]));
    assert!(level(&side(&wide)) > level(&wide[0]));
}

#[test]
fn the_room_answers_after_its_shortest_comb() {
    let answer = answer_to_a_click(1, &[], 1).remove(0);
    let first = answer.iter().position(|&sample| sample != 0.0);
    assert_eq!(first, Some(1_116 * 16_000 / 44_100));
}

#[test]
fn a_frozen_room_leaves_the_plain_sound_at_its_level() {
    let input = [noise(1, 5_000), noise(2, 5_000)];
    let settings = [("freeze_mode", 1.0), ("dry_level", 0.5)];
    let config = config(48_000, 2, &settings);
    assert!(render::<Reverb>(&config, &input, &[64]) == input);
    assert!(matches!(
        Running::<Reverb>::new(&config).expect("it runs").tail(),
        Tail::Frames(0)
    ));
}
