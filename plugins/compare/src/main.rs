//! Runs a built-in effect natively over raw samples.
//!
//! `vocalhost-compare EFFECT RATE CHANNELS [PARAMETER=NUMBER]...` reads planar
//! little-endian `f32` samples (all of channel 0, then channel 1) from standard
//! input and writes the same form to standard output. `compare.py` is its user.

use std::io::{Read, Write};

use anyhow::{Context, bail, ensure};
use vocalhost_effect::{Config, Effect, Running, testing};

/// Frames per block, none of them a round number: the cut is inaudible.
const BLOCK_FRAMES: usize = 4093;

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [effect, sample_rate_hz, channels, settings @ ..] = arguments.as_slice() else {
        bail!("usage: vocalhost-compare EFFECT RATE CHANNELS [PARAMETER=NUMBER]...");
    };
    let numbers = settings
        .iter()
        .map(|setting| {
            let (id, number) = setting
                .split_once('=')
                .context("a setting is PARAMETER=NUMBER")?;
            Ok((id, number.parse::<f64>()?))
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let config = testing::config(sample_rate_hz.parse()?, channels.parse()?, &numbers);
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let samples: Vec<f32> = bytes
        .chunks_exact(4)
        .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        .collect();
    let output = match effect.as_str() {
        "noise-gate" => run::<vocalhost_noise_gate::NoiseGate>(&config, &samples),
        "high-pass" => run::<vocalhost_high_pass::HighPass>(&config, &samples),
        "low-pass" => run::<vocalhost_low_pass::LowPass>(&config, &samples),
        "compressor" => run::<vocalhost_compressor::Compressor>(&config, &samples),
        "chorus" => run::<vocalhost_chorus::Chorus>(&config, &samples),
        "reverb" => run::<vocalhost_reverb::Reverb>(&config, &samples),
        "delay" => run::<vocalhost_delay::Delay>(&config, &samples),
        other => bail!("there is no effect `{other}`"),
    }?;
    let bytes: Vec<u8> = output
        .iter()
        .flat_map(|sample| sample.to_le_bytes())
        .collect();
    std::io::stdout().write_all(&bytes)?;
    Ok(())
}

fn run<E: Effect>(config: &Config, samples: &[f32]) -> anyhow::Result<Vec<f32>> {
    let channels = config.layout.inputs as usize;
    ensure!(
        samples.len().is_multiple_of(channels),
        "every channel has as many samples"
    );
    // Refused streams are reported here; `render` takes them for a mistake.
    Running::<E>::new(config).map_err(anyhow::Error::msg)?;
    let frames = samples.len() / channels;
    let input: Vec<Vec<f32>> = samples.chunks_exact(frames).map(<[f32]>::to_vec).collect();
    Ok(testing::render::<E>(config, &input, &[BLOCK_FRAMES]).concat())
}
