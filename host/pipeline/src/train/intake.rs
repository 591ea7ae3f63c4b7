//! Recordings of a training, as far as sound alone tells of them.

use std::path::Path;

use super::super::PipelineError;
use super::super::line::Line;
use super::super::writing::content_of;
use super::Recording;
use vocalhost_audio::{AudioLimits, Block, Decoder, Mixdown, Resampler, Spool, SpoolWriter};
use vocalhost_training::{
    ANALYSIS_HOP, ANALYSIS_RATE_HZ, Bandwidth, Cut, clipped_samples, cut, signal_to_noise_db,
};

/// The rate that models listen at.
const LISTENING_RATE_HZ: u32 = 16_000;

/// A recording without its long silences.
pub struct Taken {
    /// SHA-256 of its file.
    pub sha256: String,
    /// The share of its samples that are clipped.
    pub clipped: f64,
    /// How far its sound is above its noise, in decibels; none where nothing sounds.
    pub signal_to_noise_db: Option<f64>,
    /// Up to where it has anything, in hertz.
    pub bandwidth_hz: f64,
    /// What is kept of it.
    pub cut: Cut,
    /// Whether there was more than is used.
    pub is_short: bool,
    /// What is kept, at [`ANALYSIS_RATE_HZ`].
    pub samples: Vec<f32>,
    /// The same as models hear it.
    pub heard: Spool,
}

/// Reads a recording. `most` frames of it are kept.
pub fn take(
    recording: &Recording,
    (number, most): (usize, usize),
    (scratch, limits): (&Path, AudioLimits),
) -> Result<Taken, PipelineError> {
    let named = |what: &str| scratch.join(format!("recording-{number}-{what}.f32"));
    let content = content_of(&recording.path)?;
    let (whole, clipped) = decode(&recording.path, limits, &named("whole"))?;
    let powers = powers(&whole)?;
    let kept = cut(&powers, most);
    let all = cut(&powers, usize::MAX).frames();
    let mut samples = Vec::with_capacity(kept.frames() * ANALYSIS_HOP);
    for part in &kept.kept {
        let block = whole.read(
            (part.start * ANALYSIS_HOP) as i64,
            part.len() * ANALYSIS_HOP,
        )?;
        samples.extend_from_slice(block.channel(0));
    }
    drop(whole);
    std::fs::remove_file(named("whole"))?;
    let mut bandwidth = Bandwidth::new(ANALYSIS_RATE_HZ);
    bandwidth.hear(&samples);
    Ok(Taken {
        sha256: content.sha256,
        clipped,
        signal_to_noise_db: signal_to_noise_db(&powers),
        bandwidth_hz: bandwidth.hz(),
        is_short: kept.frames() < all,
        cut: kept,
        heard: listened(&samples, &named("heard"))?,
        samples,
    })
}

/// The recording as one channel at the rate of the analysis, and the share of its samples that are clipped.
fn decode(path: &Path, limits: AudioLimits, into: &Path) -> Result<(Spool, f64), PipelineError> {
    let mut decoder = Decoder::open(path, &limits)?;
    let mut line = Line::default();
    line.push(Mixdown::to_mono());
    line.push(Resampler::new(
        1,
        decoder.info().sample_rate_hz,
        ANALYSIS_RATE_HZ,
    )?);
    let mut spool = SpoolWriter::create(into, 1, ANALYSIS_RATE_HZ)?;
    let mut keep = |block: Block| -> Result<(), PipelineError> { Ok(spool.write(&block)?) };
    let (mut clipped, mut count) = (0, 0);
    while let Some(block) = decoder.next_block()? {
        count += block.as_planar().len() as u64;
        let channels = 0..block.channels();
        clipped += channels
            .map(|channel| clipped_samples(block.channel(channel)))
            .sum::<u64>();
        line.process(block, &mut keep)?;
    }
    line.finish(&mut keep)?;
    Ok((spool.finish()?, clipped as f64 / count.max(1) as f64))
}

/// The mean square of every frame of 10 ms.
fn powers(spool: &Spool) -> Result<Vec<f64>, PipelineError> {
    /// Frames that are read at a time.
    const BLOCK: u64 = 1_000;
    let frames = spool.frames() / ANALYSIS_HOP as u64;
    let mut powers = Vec::with_capacity(frames as usize);
    for first in (0..frames).step_by(BLOCK as usize) {
        let count = BLOCK.min(frames - first) as usize * ANALYSIS_HOP;
        let block = spool.read((first * ANALYSIS_HOP as u64) as i64, count)?;
        let hops = block.channel(0).chunks_exact(ANALYSIS_HOP);
        powers.extend(hops.map(|hop| {
            let squares = hop.iter().map(|sample| f64::from(*sample).powi(2));
            squares.sum::<f64>() / ANALYSIS_HOP as f64
        }));
    }
    Ok(powers)
}

fn listened(samples: &[f32], into: &Path) -> Result<Spool, PipelineError> {
    let mut line = Line::default();
    line.push(Resampler::new(1, ANALYSIS_RATE_HZ, LISTENING_RATE_HZ)?);
    let mut spool = SpoolWriter::create(into, 1, LISTENING_RATE_HZ)?;
    let mut keep = |block: Block| -> Result<(), PipelineError> { Ok(spool.write(&block)?) };
    for piece in samples.chunks(1 << 16) {
        line.process(Block::from_planar(1, piece.to_vec()), &mut keep)?;
    }
    line.finish(&mut keep)?;
    Ok(spool.finish()?)
}
