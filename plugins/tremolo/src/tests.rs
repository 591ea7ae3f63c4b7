use crate::Tremolo;
use vocalhost_effect::Config;
use vocalhost_effect::testing::{assert_conforms, config, noise, render};

fn shaped(sample_rate_hz: u32, channels: u32, shape: &str, numbers: &[(&str, f64)]) -> Config {
    config(sample_rate_hz, channels, numbers).set("shape", shape)
}

/// The gain at every frame.
fn gains(config: &Config, frames: usize) -> Vec<Vec<f32>> {
    let ones = vec![vec![1.0; frames]; config.layout.inputs as usize];
    render::<Tremolo>(config, &ones, &[999])
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    for shape in ["sine", "triangle", "square", "fading", "swelling"] {
        let fastest = [
            ("rate_hz", 40.0),
            ("depth", 1.0),
            ("stereo_phase_deg", 90.0),
        ];
        assert_conforms::<Tremolo>(&shaped(8_000, 2, shape, &fastest));
        assert_conforms::<Tremolo>(&shaped(192_000, 3, shape, &[("rate_hz", 0.05)]));
        assert_conforms::<Tremolo>(&shaped(44_100, 1, shape, &[]));
    }
}

#[test]
fn a_depth_of_0_changes_nothing_to_the_bit() {
    let input = [noise(1, 5_000)];
    for shape in ["sine", "square", "fading"] {
        let config = shaped(48_000, 1, shape, &[("depth", 0.0), ("rate_hz", 13.0)]);
        assert!(render::<Tremolo>(&config, &input, &[4096]) == input);
    }
}

#[test]
fn the_gain_moves_between_1_and_1_less_depth() {
    for shape in ["sine", "triangle", "square", "fading", "swelling"] {
        for depth in [0.25_f32, 0.5, 1.0] {
            let settings = [("depth", f64::from(depth)), ("rate_hz", 7.0)];
            let gains = gains(&shaped(48_000, 1, shape, &settings), 48_000).remove(0);
            let low = gains.iter().fold(9.0_f32, |low, &gain| low.min(gain));
            let high = gains.iter().fold(0.0_f32, |high, &gain| high.max(gain));
            assert!((low - (1.0 - depth)).abs() < 0.01, "{shape} {depth}: {low}");
            assert!((high - 1.0).abs() < 0.01, "{shape} {depth}: {high}");
        }
    }
}

#[test]
fn it_swells_as_often_as_asked() {
    for (shape, rate_hz) in [
        ("sine", 5.0),
        ("square", 8.0),
        ("fading", 1.0),
        ("sine", 40.0),
    ] {
        let settings = [("depth", 1.0), ("rate_hz", rate_hz)];
        let gains = gains(&shaped(8_000, 1, shape, &settings), 80_000).remove(0);
        let risings = gains
            .windows(2)
            .filter(|pair| pair[0] < 0.5 && pair[1] >= 0.5)
            .count();
        let expected = rate_hz * 10.0;
        assert!(
            (risings as f64 - expected).abs() <= 1.0,
            "{shape}: {risings}"
        );
    }
}

#[test]
fn a_sine_at_every_frame_is_where_the_formula_says_even_after_minutes() {
    let settings = [("depth", 0.8), ("rate_hz", 3.3)];
    let gains = gains(&config(8_000, 1, &settings), 8_000 * 200).remove(0);
    for frame in (0..gains.len()).rev().step_by(1_001) {
        let angle = std::f64::consts::TAU * 3.3 * frame as f64 / 8_000.0;
        let expected = 1.0 - 0.8 * (0.5 - 0.5 * angle.cos());
        assert!((f64::from(gains[frame]) - expected).abs() < 1e-5, "{frame}");
    }
}

#[test]
fn the_right_channel_lags_by_the_stereo_phase() {
    let settings = [("rate_hz", 2.0), ("stereo_phase_deg", 90.0), ("depth", 1.0)];
    let both = gains(&config(48_000, 2, &settings), 48_000);
    // A quarter of the period of 24,000 frames.
    for (left, right) in both[0].iter().zip(&both[1][6_000..]).step_by(100) {
        assert!((left - right).abs() < 1e-5);
    }
    let opposite = [
        ("rate_hz", 2.0),
        ("stereo_phase_deg", 180.0),
        ("depth", 1.0),
    ];
    let both = gains(&config(48_000, 2, &opposite), 48_000);
    for (left, right) in both[0].iter().zip(&both[1]) {
        assert!((left + right - 1.0).abs() < 1e-5);
    }
}

#[test]
fn without_a_stereo_phase_all_channels_move_together() {
    let all = gains(&config(48_000, 3, &[]), 9_000);
    assert!(all[0] == all[1] && all[1] == all[2]);
}
