//! Running an effect over whole signals.

use crate::{Config, Effect, Layout, Running, Setting, Value};

/// A stream with as many channels out as in and the given number settings. Toggles and
/// choices are added with [`Config::set`].
#[must_use]
pub fn config(sample_rate_hz: u32, channels: u32, numbers: &[(&str, f64)]) -> Config {
    Config {
        sample_rate: sample_rate_hz,
        layout: Layout {
            inputs: channels,
            outputs: channels,
        },
        max_frames: 4096,
        settings: numbers
            .iter()
            .map(|&(id, number)| Setting::new(id, Value::Number(number)))
            .collect(),
    }
}

/// White noise within ±0.5 that any language can make again: a linear
/// congruential generator (Numerical Recipes' constants 1664525 and 1013904223),
/// whose upper 24 bits become one sample.
#[must_use]
pub fn noise(seed: u32, frames: usize) -> Vec<f32> {
    let mut state = seed;
    (0..frames)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 16_777_216.0 - 0.5
        })
        .collect()
}

/// Runs channels of equal length through a fresh effect, in blocks of the sizes
/// in `cuts`, over and over.
///
/// # Panics
/// When the effect refuses the stream.
#[must_use]
pub fn render<E: Effect>(config: &Config, input: &[Vec<f32>], cuts: &[usize]) -> Vec<Vec<f32>> {
    let mut running = Running::<E>::new(config).expect("the effect accepts the stream");
    continue_render(&mut running, config, input, cuts)
}

/// Like [`render`], through an effect that already runs.
///
/// # Panics
/// Without channels, or without a cut above 0.
#[must_use]
pub fn continue_render<E: Effect>(
    running: &mut Running<E>,
    config: &Config,
    input: &[Vec<f32>],
    cuts: &[usize],
) -> Vec<Vec<f32>> {
    let frames = input[0].len();
    let mut output = vec![Vec::with_capacity(frames); config.layout.outputs as usize];
    let mut at = 0;
    for cut in cuts.iter().cycle() {
        let end = (at + cut).min(frames);
        let block: Vec<f32> = input
            .iter()
            .flat_map(|channel| &channel[at..end])
            .copied()
            .collect();
        let answer = running.process(block);
        for (channel, samples) in output.iter_mut().zip(answer.chunks_exact(end - at)) {
            channel.extend_from_slice(samples);
        }
        at = end;
        if at == frames {
            break;
        }
    }
    output
}

/// Root of the mean square.
#[must_use]
pub fn level(samples: &[f32]) -> f64 {
    let sum: f64 = samples
        .iter()
        .map(|&sample| f64::from(sample).powi(2))
        .sum();
    (sum / samples.len() as f64).sqrt()
}

/// How much louder the effect makes a tone, in decibels: the transform of its answer
/// to a click of 1 s, on channel 0. Makes sense for linear effects that have fallen
/// silent by then.
///
/// # Panics
/// When the effect refuses the stream.
#[must_use]
pub fn gain_db<E: Effect>(config: &Config, frequency_hz: f64) -> f64 {
    let mut click = vec![0.0; config.sample_rate as usize];
    click[0] = 1.0;
    let channels = vec![click; config.layout.inputs as usize];
    let answer = render::<E>(config, &channels, &[4096]);
    let step = std::f64::consts::TAU * frequency_hz / f64::from(config.sample_rate);
    let (mut real, mut imaginary) = (0.0, 0.0);
    for (frame, &sample) in answer[0].iter().enumerate() {
        let (sine, cosine) = (step * frame as f64).sin_cos();
        real += f64::from(sample) * cosine;
        imaginary -= f64::from(sample) * sine;
    }
    20.0 * f64::hypot(real, imaginary).log10()
}
