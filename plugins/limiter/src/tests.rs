use crate::{Limiter, TruePeak};
use vocalhost_effect::dsp::STRETCH_FRAMES;
use vocalhost_effect::testing::{assert_conforms, config, continue_render, noise, render};
use vocalhost_effect::{Config, Running};

/// The true peak of a signal, in dBTP.
fn true_peak_db(signal: &[f32]) -> f64 {
    let mut meter = TruePeak::default();
    let mut loudest = 0.0_f32;
    for stretch in signal.chunks(STRETCH_FRAMES) {
        let mut peaks = [0.0; STRETCH_FRAMES];
        meter.raise(&mut peaks[..stretch.len()], stretch);
        loudest = peaks.into_iter().fold(loudest, f32::max);
    }
    20.0 * f64::from(loudest).log10()
}

fn latency(config: &Config) -> usize {
    let running = Running::<Limiter>::new(config).expect("it runs");
    running.latency() as usize
}

/// Signals that limiters find hard, `rate_hz` frames of each.
fn hard_signals(rate_hz: usize) -> Vec<Vec<f32>> {
    let whole = noise(3, rate_hz);
    let bursts = |frame: usize| {
        if (frame / 997).is_multiple_of(3) {
            8.0
        } else {
            0.3
        }
    };
    let alternating = (0..rate_hz)
        .map(|at| {
            if (at / 2).is_multiple_of(2) {
                4.0
            } else {
                -4.0
            }
        })
        .collect();
    let clicks = (0..rate_hz)
        .map(|at| if at.is_multiple_of(1_009) { 30.0 } else { 0.1 })
        .collect();
    let sweep = (0..rate_hz)
        .map(|at| {
            let seconds = at as f64 / rate_hz as f64;
            (std::f64::consts::PI * 0.45 * seconds * at as f64).sin() as f32 * 3.0
        })
        .collect();
    vec![
        whole.iter().map(|sample| sample * 20.0).collect(),
        whole
            .iter()
            .enumerate()
            .map(|(at, sample)| sample * bursts(at))
            .collect(),
        alternating,
        clicks,
        sweep,
    ]
}

#[test]
fn it_keeps_the_rules_of_the_interface() {
    let extreme = [
        ("ceiling_dbtp", -30.0),
        ("input_gain_db", 36.0),
        ("release_ms", 1.0),
        ("lookahead_ms", 1.0),
    ];
    assert_conforms::<Limiter>(&config(8_000, 1, &extreme));
    assert_conforms::<Limiter>(&config(48_000, 3, &extreme));
    let slow = [
        ("release_ms", 2_000.0),
        ("lookahead_ms", 20.0),
        ("input_gain_db", 20.0),
    ];
    assert_conforms::<Limiter>(&config(192_000, 2, &slow));
}

#[test]
fn no_true_peak_is_above_the_ceiling() {
    for (rate_hz, ceiling_db, release_ms, lookahead_ms) in [
        (8_000, -1.0, 1.0, 1.0),
        (48_000, -1.0, 1.0, 1.0),
        (48_000, -1.0, 100.0, 4.0),
        (48_000, -12.0, 20.0, 2.0),
        (96_000, -0.5, 50.0, 4.0),
    ] {
        let settings = [
            ("ceiling_dbtp", ceiling_db),
            ("release_ms", release_ms),
            ("lookahead_ms", lookahead_ms),
        ];
        for (index, signal) in hard_signals(rate_hz as usize).into_iter().enumerate() {
            let output = render::<Limiter>(&config(rate_hz, 1, &settings), &[signal], &[4096]);
            let over_db = true_peak_db(&output[0]) - ceiling_db;
            assert!(over_db < 0.1, "{rate_hz} {ceiling_db} {index}: {over_db}");
        }
    }
}

#[test]
fn a_steady_tone_comes_out_at_the_ceiling() {
    let tone: Vec<f32> = (0..48_000)
        .map(|at| (std::f64::consts::TAU * 997.0 * f64::from(at) / 48_000.0).sin() as f32 * 4.0)
        .collect();
    let output = render::<Limiter>(&config(48_000, 1, &[]), &[tone], &[4096]);
    let peak_db = true_peak_db(&output[0][24_000..]);
    assert!((peak_db + 1.0).abs() < 0.1, "{peak_db}");
}

#[test]
fn sound_below_the_ceiling_is_only_delayed_by_the_latency() {
    for rate_hz in [8_000, 48_000, 192_000] {
        let config = config(rate_hz, 1, &[]);
        let input: Vec<f32> = noise(1, 20_000).iter().map(|sample| sample * 0.5).collect();
        let output = render::<Limiter>(&config, std::slice::from_ref(&input), &[777]);
        let latency = latency(&config);
        assert!(output[0][..latency].iter().all(|&sample| sample == 0.0));
        assert!(output[0][latency..] == input[..20_000 - latency]);
    }
}

#[test]
fn the_loudest_channel_turns_down_all_of_them() {
    let (loud, soft) = (vec![2.0; 9_600], vec![0.1; 9_600]);
    let output = render::<Limiter>(&config(48_000, 2, &[]), &[loud, soft], &[4096]);
    assert!((output[0][9_599] / output[1][9_599] - 20.0).abs() < 1e-4);
}

#[test]
fn the_gain_recovers_with_the_time_constant_of_the_release() {
    let settings = [("release_ms", 100.0), ("ceiling_dbtp", 0.0)];
    let config = config(48_000, 1, &settings);
    let mut running = Running::<Limiter>::new(&config).expect("it runs");
    let _loud = continue_render(&mut running, &config, &[vec![2.0; 9_600]], &[4096]);
    let soft = continue_render(&mut running, &config, &[vec![0.5; 48_000]], &[4096]);
    // The gain rises from ½ towards 1; its hold and smoothing take up to 10 ms more.
    let gain = |at_ms: usize| f64::from(soft[0][at_ms * 48]) / 0.5;
    let (early, late) = (1.0 - gain(50), 1.0 - gain(150));
    assert!(
        (late / early / (-1.0_f64).exp() - 1.0).abs() < 0.01,
        "{late} of {early}"
    );
    assert!(gain(999) > 0.999);
}
