use crate::Saturation;
use crate::dsp::tanh;
use std::f64::consts::TAU;
use vocalhost_effect::testing::{assert_conforms, config, render};
use vocalhost_effect::{Config, Running, Setting, Value};

fn chosen(curve: &str, oversampling: &str, rate_hz: u32, numbers: &[(&str, f64)]) -> Config {
    let mut config = config(rate_hz, 1, numbers);
    for (id, option) in [("curve", curve), ("oversampling", oversampling)] {
        let value = Value::Choice(option.to_owned());
        config.settings.push(Setting::new(id, value));
    }
    config
}

/// The peak of each wanted frequency in what becomes of a tone, both in whole hertz.
fn spectrum(config: &Config, tone_hz: u32, peak: f64, wanted_hz: &[u32]) -> Vec<f64> {
    let wave = |at: u32| peak * (TAU * f64::from(tone_hz) * f64::from(at) / 48_000.0).sin();
    let tone: Vec<f32> = (0..96_000).map(|at| wave(at) as f32).collect();
    let output = &render::<Saturation>(config, &[tone], &[4096])[0][48_000..];
    let peak_at = |frequency_hz: &u32| {
        let (mut real, mut imaginary) = (0.0, 0.0);
        for (at, &sample) in output.iter().enumerate() {
            let angle = TAU * f64::from(*frequency_hz) * at as f64 / 48_000.0;
            real += f64::from(sample) * angle.cos();
            imaginary += f64::from(sample) * angle.sin();
        }
        f64::hypot(real, imaginary) / 24_000.0
    };
    wanted_hz.iter().map(peak_at).collect()
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    let extreme = [("drive_db", 48.0), ("output_gain_db", 24.0)];
    for curve in ["tanh", "soft", "tube"] {
        assert_conforms::<Saturation>(&chosen(curve, "4", 8_000, &extreme));
        assert_conforms::<Saturation>(&chosen(curve, "2", 192_000, &extreme));
    }
    assert_conforms::<Saturation>(&config(48_000, 3, &[("mix", 0.5)]));
}

#[test]
fn the_fraction_agrees_with_the_hyperbolic_tangent() {
    for step in -1000..=1000 {
        let x = step as f32 / 100.0;
        assert!((tanh(x) - x.tanh()).abs() < 1.1e-4, "{x}");
    }
}

#[test]
fn soft_clipping_makes_the_third_harmonic_of_its_formula() {
    // sin³ = (3 sin − sin 3)/4: x − 4/27 x³ of a sine of peak 1.
    let config = chosen("soft", "4", 48_000, &[("drive_db", 0.0)]);
    let peaks = spectrum(&config, 500, 1.0, &[500, 1_000, 1_500]);
    let expected = [1.0 - 1.0 / 9.0, 0.0, 1.0 / 27.0];
    for (peak, expected) in peaks.iter().zip(expected) {
        assert!((peak - expected).abs() < 1e-4, "{peaks:?}");
    }
}

#[test]
fn the_tube_alone_makes_even_harmonics_and_no_constant() {
    let even = |curve| {
        let config = chosen(curve, "4", 48_000, &[("drive_db", 6.0)]);
        spectrum(&config, 500, 0.5, &[0, 1_000])
    };
    assert!(even("tanh")[1] < 1e-5);
    assert!(even("tube")[1] > 0.02 && even("tube")[0] < 1e-4);
}

#[test]
fn what_folds_back_is_far_below_the_tone() {
    // Harmonics 5 and 7 of 7 kHz, at 35 and 49 kHz, would fold back to 13 and 1 kHz.
    let drive = [("drive_db", 12.0)];
    for (oversampling, limit_db) in [("2", -35.0), ("4", -60.0)] {
        let config = chosen("tanh", oversampling, 48_000, &drive);
        let peaks = spectrum(&config, 7_000, 0.5, &[7_000, 1_000, 13_000]);
        let alias_db = 20.0 * (peaks[1].max(peaks[2]) / peaks[0]).log10();
        assert!(alias_db < limit_db, "{oversampling}: {alias_db}");
    }
}

#[test]
fn soft_sound_passes_flat_up_to_19_khz() {
    let config = chosen(
        "tanh",
        "4",
        48_000,
        &[("drive_db", 0.0), ("output_gain_db", 0.0)],
    );
    let peaks = [100, 1_000, 10_000, 19_000].map(|hz| spectrum(&config, hz, 0.001, &[hz])[0]);
    for peak in peaks {
        assert!((20.0 * (peak / 0.001).log10()).abs() < 0.05, "{peaks:?}");
    }
}

#[test]
fn the_plain_and_the_saturated_sound_arrive_together_at_the_declared_latency() {
    for mix in [0.0, 1.0] {
        let config = config(48_000, 1, &[("mix", mix), ("drive_db", 0.0)]);
        let latency = Running::<Saturation>::new(&config)
            .expect("it runs")
            .latency() as usize;
        let mut click = vec![0.0; 500];
        click[100] = 0.01;
        let output = &render::<Saturation>(&config, &[click], &[4096])[0];
        let loudest = (0..500).max_by(|&a, &b| output[a].abs().total_cmp(&output[b].abs()));
        assert_eq!(loudest, Some(100 + latency));
    }
    // In step, both halves of the mix add up: no comb filter.
    let half = config(48_000, 1, &[("mix", 0.5), ("drive_db", 0.0)]);
    let peak = spectrum(&half, 9_000, 0.001, &[9_000])[0];
    assert!((peak / 0.001 - 1.0).abs() < 1e-3, "{peak}");
}
