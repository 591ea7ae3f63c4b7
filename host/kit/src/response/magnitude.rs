use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use vocalhost_fourier::num_complex::Complex;
use vocalhost_fourier::{forward_f64, inverse_f64};

use super::rig::{Rig, SAMPLE_RATE_HZ};
use crate::KitError;
use crate::levels::{FLOOR_DB, magnitude};

/// Frames after which the noise repeats: 0.68 s, so that it has a tone every 1.5 Hz.
const PERIOD_FRAMES: usize = 1 << 15;
/// Periods before measuring, 4 s: echoes and rooms have filled.
const SETTLING_PERIODS: usize = 6;
/// How many windows of two periods, each one period after the last, the measurement averages: 6 s, several turns of a
/// slow modulation.
const WINDOWS: usize = 8;
/// Root mean square of the noise: a level of speech between its loud syllables.
const NOISE_DB: f64 = -40.0;
/// The lowest tone of the noise.
const LOWEST_HZ: f64 = 10.0;
/// Points per octave; each is the mean of a band of the same width.
const POINTS_PER_OCTAVE: f64 = 20.0;

/// Where and how much louder, in Hz and dB.
type Points = Vec<(f64, f64)>;

/// Measures how much louder noise comes out than it goes in, by frequency, on the left and on the right (if there is
/// one).
///
/// The noise is pink and periodic with fixed phases. A Hann window of two periods has its zeros at every other tone, so
/// that a filter's answer is exact at each of them, whatever its phase and length; powers, not amplitudes, are averaged
/// over bands and windows, so that effects which move (chorus, pitch) show the mean of what they do. Source: J.
/// Schoukens, R. Pintelon, *System Identification: A Frequency Domain Approach*, periodic excitations.
pub(super) fn measure(rig: Rig) -> Result<(Points, Points), KitError> {
    let period = pink_period();
    let periods = SETTLING_PERIODS + WINDOWS + 1;
    let noise: Vec<f32> = period
        .iter()
        .copied()
        .cycle()
        .take(periods * PERIOD_FRAMES)
        .collect();
    let answer = rig.run(&noise)?;
    let sent = powers(&noise);
    let left = ratios(&sent, &powers(&answer.left));
    let right = if answer.right.is_empty() {
        Vec::new()
    } else {
        ratios(&sent, &powers(&answer.right))
    };
    Ok((left, right))
}

/// One period of noise that has the same power in every octave.
fn pink_period() -> Vec<f32> {
    let mut random = ChaCha8Rng::seed_from_u64(0x05ee_d0f0_0d1d);
    let inverse = inverse_f64(PERIOD_FRAMES);
    let mut spectrum = inverse.make_input_vec();
    let tones = spectrum.len() - 1;
    let tone_hz = f64::from(SAMPLE_RATE_HZ) / PERIOD_FRAMES as f64;
    for (index, tone) in spectrum.iter_mut().enumerate().take(tones) {
        let angle = std::f64::consts::TAU * f64::from(random.next_u32()) / 4_294_967_296.0;
        if index as f64 * tone_hz >= LOWEST_HZ {
            *tone = Complex::from_polar(1.0 / (index as f64).sqrt(), angle);
        }
    }
    let mut period = inverse.make_output_vec();
    inverse
        .process(&mut spectrum, &mut period)
        .expect("the buffers have the lengths of the plan");
    let squares: f64 = period.iter().map(|sample| sample * sample).sum();
    let gain = magnitude(NOISE_DB) / (squares / PERIOD_FRAMES as f64).sqrt();
    period.iter().map(|sample| (gain * sample) as f32).collect()
}

/// Mean power in each bin of a window of two periods, after settling.
fn powers(sound: &[f32]) -> Vec<f64> {
    let length = 2 * PERIOD_FRAMES;
    let fft = forward_f64(length);
    let mut windowed = fft.make_input_vec();
    let mut spectrum = fft.make_output_vec();
    let mut powers = vec![0.0; spectrum.len()];
    let turn = std::f64::consts::TAU / length as f64;
    for window in 0..WINDOWS {
        let first = (SETTLING_PERIODS + window) * PERIOD_FRAMES;
        for (frame, value) in windowed.iter_mut().enumerate() {
            let weight = 0.5 - 0.5 * (turn * frame as f64).cos();
            *value = weight * f64::from(sound[first + frame]);
        }
        fft.process(&mut windowed, &mut spectrum)
            .expect("the buffers have the lengths of the plan");
        for (power, bin) in powers.iter_mut().zip(&spectrum) {
            *power += bin.norm_sqr();
        }
    }
    powers
}

/// The ratio of powers by band, in dB, where the sent power has its centre.
fn ratios(sent: &[f64], came: &[f64]) -> Points {
    let bin_hz = f64::from(SAMPLE_RATE_HZ) / (2 * PERIOD_FRAMES) as f64;
    let highest_hz = f64::from(SAMPLE_RATE_HZ) / 2.0;
    let mut points: Points = Vec::new();
    for step in 0.. {
        let centre_hz = 20.0 * 2.0_f64.powf(f64::from(step) / POINTS_PER_OCTAVE);
        let half_band = 2.0_f64.powf(0.5 / POINTS_PER_OCTAVE);
        if centre_hz * half_band > highest_hz {
            break;
        }
        let first = (centre_hz / half_band / bin_hz).ceil() as usize;
        let last = (centre_hz * half_band / bin_hz).floor() as usize;
        // Where a band is narrower than the distance of two tones it is the nearest tone.
        let nearest = 2 * (centre_hz / bin_hz / 2.0).round() as usize;
        let bins = if last < first + 4 {
            nearest..=nearest
        } else {
            first..=last
        };
        let power: f64 = sent[bins.clone()].iter().sum();
        let moment: f64 = bins.clone().map(|bin| bin as f64 * sent[bin]).sum();
        let frequency_hz = bin_hz * moment / power;
        let ratio = came[bins].iter().sum::<f64>() / power;
        let is_new = points
            .last()
            .is_none_or(|point| point.0 < frequency_hz - 1e-9);
        if is_new {
            let decibels = if ratio > 0.0 {
                10.0 * ratio.log10()
            } else {
                FLOOR_DB
            };
            points.push((frequency_hz, decibels.max(FLOOR_DB)));
        }
    }
    points
}
