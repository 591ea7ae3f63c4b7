use crate::Gain;
use vocalhost_effect::testing::{assert_conforms, config, gain_db, noise, render};
use vocalhost_effect::{Setting, Value};

#[test]
fn it_keeps_the_rules_of_the_interface() {
    for (rate_hz, channels, gain_db) in [(8_000, 1, -100.0), (48_000, 2, 6.0), (192_000, 8, 60.0)] {
        assert_conforms::<Gain>(&config(rate_hz, channels, &[("gain_db", gain_db)]));
    }
}

#[test]
fn every_frequency_gets_the_gain() {
    for expected_db in [-60.0, -6.0, 0.0, 24.0] {
        for frequency_hz in [0.0, 1_000.0, 23_000.0] {
            let config = config(48_000, 1, &[("gain_db", expected_db)]);
            let gain_db = gain_db::<Gain>(&config, frequency_hz);
            assert!((gain_db - expected_db).abs() < 1e-4, "{gain_db}");
        }
    }
}

#[test]
fn a_gain_of_0_changes_nothing_to_the_bit() {
    let input = noise(1, 3_000);
    let output = render::<Gain>(
        &config(48_000, 1, &[]),
        std::slice::from_ref(&input),
        &[999],
    );
    assert!(output[0] == input);
}

#[test]
fn inverted_sound_and_the_plain_sound_cancel() {
    let input = noise(1, 3_000);
    let mut config = config(48_000, 1, &[]);
    config
        .settings
        .push(Setting::new("invert_phase", Value::Toggle(true)));
    let output = render::<Gain>(&config, std::slice::from_ref(&input), &[999]);
    assert!(
        output[0]
            .iter()
            .zip(&input)
            .all(|(out, sample)| out + sample == 0.0)
    );
}

#[test]
fn muted_sound_is_silence() {
    let mut config = config(48_000, 1, &[("gain_db", 60.0)]);
    config
        .settings
        .push(Setting::new("mute", Value::Toggle(true)));
    let output = render::<Gain>(&config, &[noise(1, 3_000)], &[999]);
    assert!(output[0].iter().all(|&sample| sample == 0.0));
}
