use crate::ParametricEq;
use vocalhost_effect::dsp::{BUTTERWORTH, Biquad};
use vocalhost_effect::testing::{assert_conforms, config, gain_db, noise, render};

fn gain_at(settings: &[(&str, f64)], frequency_hz: f64) -> f64 {
    gain_db::<ParametricEq>(&config(48_000, 1, settings), frequency_hz)
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    let mut extreme = vec![("output_gain_db", 24.0)];
    for id in ["peak_1", "peak_2", "peak_3", "peak_4"] {
        let leak = |what: &str| &*String::leak(format!("{id}_{what}"));
        extreme.push((leak("gain_db"), 24.0));
        extreme.push((leak("q"), 20.0));
        extreme.push((leak("frequency_hz"), 40_000.0));
    }
    extreme.push(("low_shelf_gain_db", -24.0));
    extreme.push(("high_shelf_gain_db", 24.0));
    assert_conforms::<ParametricEq>(&config(8_000, 1, &extreme));
    assert_conforms::<ParametricEq>(&config(192_000, 2, &extreme));
    let low = [
        ("peak_1_gain_db", 24.0),
        ("peak_1_q", 20.0),
        ("peak_1_frequency_hz", 10.0),
        ("low_shelf_gain_db", 12.0),
        ("low_shelf_frequency_hz", 10.0),
    ];
    assert_conforms::<ParametricEq>(&config(44_100, 3, &low));
}

#[test]
fn without_gains_nothing_changes_to_the_bit() {
    let input = noise(1, 3_000);
    let output = render::<ParametricEq>(
        &config(
            48_000,
            1,
            &[("peak_1_q", 9.0), ("low_shelf_frequency_hz", 999.0)],
        ),
        std::slice::from_ref(&input),
        &[999],
    );
    assert!(output[0] == input);
}

#[test]
fn a_peak_has_its_gain_in_the_middle_and_half_of_it_at_its_edges() {
    // The edges of a peak, where it has half of its decibels, are f₂ − f₁ = f / Q apart
    // before the bilinear transform warps them; f₁ f₂ = f².
    let settings = [
        ("peak_2_frequency_hz", 500.0),
        ("peak_2_gain_db", 12.0),
        ("peak_2_q", 2.0),
    ];
    let edge_hz = 500.0 * (0.25_f64 + (0.25_f64.powi(2) + 1.0).sqrt());
    for (frequency_hz, expected_db) in [
        (500.0, 12.0),
        (edge_hz, 6.0),
        (500.0 * 500.0 / edge_hz, 6.0),
        (20_000.0, 0.0),
    ] {
        let gain_db = gain_at(&settings, frequency_hz);
        assert!(
            (gain_db - expected_db).abs() < 0.1,
            "{frequency_hz}: {gain_db}"
        );
    }
}

#[test]
fn shelves_have_their_gain_beyond_and_half_of_it_at_their_frequency() {
    let settings = [("low_shelf_gain_db", -8.0), ("high_shelf_gain_db", 10.0)];
    for (frequency_hz, expected_db) in [
        (5.0, -8.0),
        (100.0, -4.0),
        (900.0, 0.0),
        (8_000.0, 5.0),
        (22_000.0, 10.0),
    ] {
        let gain_db = gain_at(&settings, frequency_hz);
        assert!(
            (gain_db - expected_db).abs() < 0.05,
            "{frequency_hz}: {gain_db}"
        );
    }
}

#[test]
fn all_bands_together_follow_the_formula() {
    let settings = [
        ("low_shelf_gain_db", 5.0),
        ("peak_1_gain_db", -6.0),
        ("peak_2_gain_db", 4.0),
        ("peak_3_gain_db", -3.0),
        ("peak_4_gain_db", 7.0),
        ("high_shelf_gain_db", -9.0),
        ("output_gain_db", 2.0),
    ];
    let bands = [
        Biquad::low_shelf(48_000.0, 100.0, BUTTERWORTH, 5.0),
        Biquad::peak(48_000.0, 200.0, 1.0, -6.0),
        Biquad::peak(48_000.0, 600.0, 1.0, 4.0),
        Biquad::peak(48_000.0, 2_000.0, 1.0, -3.0),
        Biquad::peak(48_000.0, 5_000.0, 1.0, 7.0),
        Biquad::high_shelf(48_000.0, 8_000.0, BUTTERWORTH, -9.0),
    ];
    for frequency_hz in [30.0, 150.0, 700.0, 3_000.0, 6_000.0, 17_000.0] {
        let product: f64 = bands
            .iter()
            .map(|band| band.magnitude(48_000.0, frequency_hz))
            .product();
        let expected_db = 2.0 + 20.0 * product.log10();
        let gain_db = gain_at(&settings, frequency_hz);
        assert!(
            (gain_db - expected_db).abs() < 0.001,
            "{frequency_hz}: {gain_db}"
        );
    }
}

#[test]
fn channels_do_not_influence_each_other() {
    let settings = [("peak_3_gain_db", 9.0), ("low_shelf_gain_db", 3.0)];
    let input = [noise(1, 2_000), noise(2, 2_000), noise(3, 2_000)];
    let together = render::<ParametricEq>(&config(48_000, 3, &settings), &input, &[300]);
    for (channel, alone) in input.iter().enumerate() {
        let one = std::slice::from_ref(alone);
        let output = render::<ParametricEq>(&config(48_000, 1, &settings), one, &[4096]);
        assert!(output[0] == together[channel]);
    }
}
