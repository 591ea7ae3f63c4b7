use std::time::Instant;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::Spread;
use crate::KitError;
use crate::settings::Settings;
use vocalhost_audio::{Block, Stage as _};
use vocalhost_effects::{Effect, EffectStage, StreamConfig};

/// Lengths of block, from a small audio buffer to more than the host hands over at once.
pub const BLOCK_LENGTHS: [usize; 5] = [64, 256, 1_024, 4_096, 16_384];
const SAMPLE_RATES_HZ: [u32; 2] = [44_100, 48_000];
const CHANNELS: [usize; 2] = [1, 2];

/// Frames that are handed over at a time between two looks at the clock.
const BATCH_FRAMES: usize = 32_768;
/// Seconds of work of one measurement at least: far above the clock's steps and a thread's turn.
const MEASURED_S: f64 = 0.03;
/// Batches of a measurement at most, for effects that cost almost nothing.
const MAX_BATCHES: usize = 64;

/// How many frames an effect makes in a second.
#[derive(Debug, Clone, PartialEq)]
pub struct Rate {
    /// Frames per second of sound.
    pub sample_rate_hz: u32,
    /// Channels.
    pub channels: usize,
    /// Frames of a block.
    pub block_frames: usize,
    /// Frames per second of work.
    pub frames_per_s: Spread,
}

impl Rate {
    /// Seconds of sound per second of work.
    #[must_use]
    pub fn times_real_time(&self) -> f64 {
        self.frames_per_s.median / f64::from(self.sample_rate_hz)
    }
}

/// What silence after sound costs, against sound, in stereo at 48 kHz.
#[derive(Debug, Clone, PartialEq)]
pub struct SilenceCost {
    /// Time per frame of silence over time per frame of sound: about 1 or less is right.
    pub ratio: Spread,
}

pub(super) fn measure_rates(
    effect: &Effect,
    settings: &Settings,
    rounds: usize,
) -> Result<Vec<Rate>, KitError> {
    let mut rates = Vec::new();
    for sample_rate_hz in SAMPLE_RATES_HZ {
        for channels in CHANNELS {
            rates.append(&mut measure_lengths(
                effect,
                settings,
                (sample_rate_hz, channels),
                rounds,
            )?);
        }
    }
    Ok(rates)
}

fn measure_lengths(
    effect: &Effect,
    settings: &Settings,
    (sample_rate_hz, channels): (u32, usize),
    rounds: usize,
) -> Result<Vec<Rate>, KitError> {
    let config = StreamConfig {
        sample_rate_hz,
        channels,
        settings: settings.clone(),
    };
    let mut stage = effect.start(&config)?;
    let sound = noise(channels, BATCH_FRAMES);
    // What happens once, such as filling a delay line for the first time, is not the price of a frame.
    seconds_per_frame(&mut stage, &blocks(&sound, 4_096))?;
    let mut measured = vec![Vec::new(); BLOCK_LENGTHS.len()];
    for _ in 0..rounds.max(1) {
        for (length, values) in BLOCK_LENGTHS.into_iter().zip(&mut measured) {
            values.push(1.0 / seconds_per_frame(&mut stage, &blocks(&sound, length))?);
        }
    }
    let rate = |(block_frames, values)| Rate {
        sample_rate_hz,
        channels,
        block_frames,
        frames_per_s: Spread::of(values),
    };
    Ok(BLOCK_LENGTHS.into_iter().zip(measured).map(rate).collect())
}

/// Measures silence that follows sound against that sound, and the memory of the instance afterwards.
pub(super) fn measure_silence(
    effect: &Effect,
    settings: &Settings,
    rounds: usize,
) -> Result<(SilenceCost, usize), KitError> {
    let config = StreamConfig {
        sample_rate_hz: 48_000,
        channels: 2,
        settings: settings.clone(),
    };
    let mut stage = effect.start(&config)?;
    let sound = blocks(&noise(2, BATCH_FRAMES), 4_096);
    let silence = blocks(&Block::silent(2, BATCH_FRAMES), 4_096);
    let mut ratios = Vec::new();
    for _ in 0..rounds.max(1) {
        let loud = seconds_per_frame(&mut stage, &sound)?;
        ratios.push(seconds_per_frame(&mut stage, &silence)? / loud);
    }
    let ratio = Spread::of(ratios);
    Ok((SilenceCost { ratio }, stage.memory_bytes()))
}

/// Seconds of work per frame, over the blocks again and again.
fn seconds_per_frame(stage: &mut EffectStage, blocks: &[Block]) -> Result<f64, KitError> {
    let (mut seconds, mut frames) = (0.0, 0);
    for _ in 0..MAX_BATCHES {
        // Copied before the clock starts: a job's blocks come from a decoder.
        let batch = blocks.to_vec();
        let begun = Instant::now();
        for block in batch {
            frames += block.frames();
            std::hint::black_box(stage.process(block)?);
        }
        seconds += begun.elapsed().as_secs_f64();
        if seconds >= MEASURED_S {
            break;
        }
    }
    Ok(seconds.max(1e-9) / frames as f64)
}

/// The sound in pieces of this many frames.
fn blocks(sound: &Block, frames: usize) -> Vec<Block> {
    let piece = |first: usize| {
        let range = first..sound.frames().min(first + frames);
        let channels = (0..sound.channels()).map(|channel| &sound.channel(channel)[range.clone()]);
        Block::from_planar(sound.channels(), channels.flatten().copied().collect())
    };
    (0..sound.frames()).step_by(frames).map(piece).collect()
}

/// White noise of about -20 dBFS, different in every channel: something of everything that an effect may react to.
fn noise(channels: usize, frames: usize) -> Block {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut sample = || (f64::from(random.next_u32()) / 4_294_967_296.0 - 0.5) as f32 * 0.35;
    Block::from_planar(channels, (0..channels * frames).map(|_| sample()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_together_are_the_sound() {
        let sound = noise(2, 1_000);
        let pieces = blocks(&sound, 300);
        let lengths: Vec<usize> = pieces.iter().map(Block::frames).collect();
        assert_eq!(lengths, [300, 300, 300, 100]);
        let left: Vec<f32> = pieces
            .iter()
            .flat_map(|piece| piece.channel(0).to_vec())
            .collect();
        assert_eq!(left, sound.channel(0));
    }
}
