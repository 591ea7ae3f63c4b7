//! The interpolating filters of the oversampling.

use std::f64::consts::PI;

use vocalhost_effect::dsp::STRETCH_FRAMES;

/// Frames that an interpolating filter reaches to either side.
pub const REACH: usize = 24;

/// Frames that a filter looks back over: also the latency of going up and down again.
pub const MEMORY: usize = 2 * REACH;

/// The Kaiser window's parameter for 80 dB of attenuation, 0.1102 (80 − 8.7).
const KAISER_BETA: f64 = 7.857;

/// The weights of one filter, for the newest frame first.
pub type Taps = [f32; MEMORY];

/// The frames before a stretch, and the stretch.
pub type Window = [f32; MEMORY + STRETCH_FRAMES];

/// The filters for the points at 1/`factor`, 2/`factor` … of the way from one frame to
/// the next: a sinc under a Kaiser window (J. F. Kaiser, "Nonrecursive digital filter
/// design using the I0-sinh window function", IEEE ISCAS 1974). Each adds up to 1.
pub fn interpolators(factor: usize) -> Vec<Taps> {
    (1..factor)
        .map(|phase| {
            let share = phase as f64 / factor as f64;
            let mut weights = [0.0_f64; MEMORY];
            for (index, weight) in weights.iter_mut().enumerate() {
                *weight = kernel(index as f64 - REACH as f64 + share);
            }
            let sum: f64 = weights.iter().sum();
            weights.map(|weight| (weight / sum) as f32)
        })
        .collect()
}

/// Frames whose sums are kept in registers while all taps pass over them.
const TOGETHER: usize = 16;

/// Adds the filtered frames of `window`, `delay` frames (0 or 1) late, to `sums`.
pub fn add_filtered(sums: &mut [f32], window: &Window, taps: &Taps, delay: usize) {
    for (group, sums) in sums.chunks_mut(TOGETHER).enumerate() {
        // A last group that is not full also adds up what an earlier stretch left behind
        // it, which is dropped.
        let mut totals = [0.0; TOGETHER];
        totals[..sums.len()].copy_from_slice(sums);
        let newest = MEMORY - delay + group * TOGETHER;
        for (index, &weight) in taps.iter().enumerate() {
            let delayed = &window[newest - index..][..TOGETHER];
            for (total, sample) in totals.iter_mut().zip(delayed) {
                *total += weight * sample;
            }
        }
        sums.copy_from_slice(&totals[..sums.len()]);
    }
}

fn kernel(time: f64) -> f64 {
    let share = time / REACH as f64;
    let window = bessel_i0(KAISER_BETA * (1.0 - share * share).max(0.0).sqrt());
    (PI * time).sin() / (PI * time) * window / bessel_i0(KAISER_BETA)
}

/// The modified Bessel function of order 0, by its power series.
fn bessel_i0(x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for index in 1..40 {
        term *= (x / 2.0 / f64::from(index)).powi(2);
        sum += term;
    }
    sum
}
