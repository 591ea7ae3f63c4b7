use crate::audio::{BLOCK_FRAMES, Block, Spool};

use super::super::lanes::side_by_side;
use super::super::{ModelError, Package, Runtime};
use super::check::residual;
use super::network::Network;
use super::overlap::Overlap;
use super::pieces::{Cutter, Piece};
use super::sections::{LevelNormalization, SeparatorFacts};

/// What keeps a standard deviation from being zero, as in Demucs.
const LEAST_DEVIATION: f64 = 1e-8;

/// A separator, loaded and ready.
///
/// It estimates all stems of its task but one: the residual is what the others leave of the recording, and who has the
/// recording takes the difference. A recording is worked on in overlapping pieces of fixed length, so memory does not
/// depend on how long it is. Pieces that are digitally silent are not shown to the graph: their stems are silent.
pub struct Separator {
    id: String,
    facts: SeparatorFacts,
    sample_rate_hz: u32,
    estimated: Vec<&'static str>,
    residual: &'static str,
    network: Network,
    cutter: Cutter,
    threads: usize,
    runtime: Runtime,
}

/// What a recording's level is brought to before the graph hears it: `(x - offset) / scale`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Level {
    offset: f32,
    scale: f32,
}

impl Separator {
    /// Loads a separator. `separate` works on `threads` pieces side by side, and memory grows with their number; the
    /// samples do not depend on it.
    pub fn load(runtime: &Runtime, package: &Package, threads: usize) -> Result<Self, ModelError> {
        let manifest = package.manifest();
        let missing = |key: &'static str| ModelError::Dependency {
            path: package.folder().to_owned(),
            key,
            reason: "is missing: this package is no separator".to_owned(),
        };
        let facts = manifest.separator.ok_or_else(|| missing("separator"))?;
        let stems = manifest.stems.as_ref().ok_or_else(|| missing("stems"))?;
        let chunk = manifest.chunk.ok_or_else(|| missing("chunk"))?;
        let samples = chunk
            .piece_samples(manifest.stft.as_ref())
            .ok_or_else(|| missing("chunk.samples"))?;
        let step = chunk
            .step_samples(samples)
            .ok_or_else(|| missing("chunk.step"))?;
        let left = residual(stems, facts.task);
        let (residuals, estimated): (Vec<&str>, Vec<&str>) =
            facts.task.stems().iter().partition(|stem| **stem == left);
        let wanted = estimated
            .iter()
            .filter_map(|stem| stems.names.iter().position(|name| name == stem));
        Ok(Self {
            id: manifest.id.clone(),
            facts,
            sample_rate_hz: manifest.audio.sample_rate_hz,
            network: Network::load(runtime, package, samples, wanted.collect(), threads)?,
            cutter: Cutter::new(&chunk, samples, step),
            residual: residuals
                .first()
                .copied()
                .ok_or_else(|| missing("stems.residual"))?,
            estimated,
            threads: threads.max(1),
            runtime: runtime.clone(),
        })
    }

    /// The package's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The rate that `separate` wants its source at.
    #[must_use]
    pub fn sample_rate_hz(&self) -> u32 {
        self.sample_rate_hz
    }

    /// The stems that are estimated, in the order in which `separate` gives them.
    #[must_use]
    pub fn estimated(&self) -> &[&'static str] {
        &self.estimated
    }

    /// The stem that the others leave of the recording.
    #[must_use]
    pub fn residual(&self) -> &'static str {
        self.residual
    }

    /// What the graph ran on, such as `cpu` or `cuda+cpu`; before it ran, what it is to run on.
    #[must_use]
    pub fn provider(&self) -> String {
        self.runtime.ran_on()
    }

    /// Separates a recording of one or two channels. `sink` gets a block of each estimated stem at a time, with the
    /// source's channels; together they have the source's frames, aligned to it. A mono source is heard on both sides, and
    /// the two sides of a stem are folded to their mean. `progress` is told the share that is done.
    ///
    /// # Panics
    /// When the source has another rate than [`Separator::sample_rate_hz`], or more than two channels.
    pub fn separate<E: From<ModelError>>(
        &self,
        source: &Spool,
        sink: &mut dyn FnMut(Vec<Block>) -> Result<(), E>,
        progress: &mut dyn FnMut(f64),
    ) -> Result<(), E> {
        assert_eq!(
            source.sample_rate_hz(),
            self.sample_rate_hz,
            "the rate fits"
        );
        assert!((1..=2).contains(&source.channels()), "one or two channels");
        let level = self.level(source)?;
        let rows = self.estimated.len() * source.channels();
        let mut overlap = Overlap::new(&self.cutter, rows, source.frames());
        let mut pieces = self.cutter.pieces(source.frames()).peekable();
        while pieces.peek().is_some() {
            let batch: Vec<Piece> = pieces.by_ref().take(self.threads).collect();
            let estimates = side_by_side(&batch, |piece| self.estimate(source, piece, level))?;
            for (piece, estimate) in batch.iter().zip(&estimates) {
                overlap.add(&self.cutter, piece, estimate.as_deref());
            }
            let settled = pieces.peek().map_or(i64::MAX, |next| next.counted.start);
            let (frames, ready) = overlap.take_until(settled);
            pass_on(&ready, frames, source.channels(), sink)?;
            let done = settled.clamp(0, source.frames() as i64);
            progress(done as f64 / source.frames() as f64);
        }
        Ok(())
    }

    /// Every channel of every estimated stem of a piece, or none when it is silent.
    fn estimate(
        &self,
        source: &Spool,
        piece: &Piece,
        level: Level,
    ) -> Result<Option<Vec<f32>>, ModelError> {
        let mut sound = self.hear(source, piece)?;
        if sound.iter().all(|sample| *sample == 0.0) {
            return Ok(None);
        }
        for sample in &mut sound {
            *sample = (*sample - level.offset) / level.scale;
        }
        let mut estimate = match (source.channels(), self.network.channels()) {
            (1, 2) => {
                let both = [&sound[..], &sound[..]].concat();
                fold(&self.ask(&both)?, self.cutter.samples)
            }
            (2, 1) => {
                let (left, right) = sound.split_at(self.cutter.samples);
                interleave(&self.ask(left)?, &self.ask(right)?, self.cutter.samples)
            }
            _ => self.ask(&sound)?,
        };
        let scale = level.scale * self.facts.compensate as f32;
        for sample in &mut estimate {
            *sample = *sample * scale + level.offset;
        }
        Ok(Some(estimate))
    }

    fn ask(&self, sound: &[f32]) -> Result<Vec<f32>, ModelError> {
        let mut estimate = self.network.estimate(sound)?;
        if self.facts.denoise {
            let turned: Vec<f32> = sound.iter().map(|sample| -sample).collect();
            for (sample, turned) in estimate.iter_mut().zip(self.network.estimate(&turned)?) {
                *sample = 0.5 * (*sample - turned);
            }
        }
        Ok(estimate)
    }

    /// The sound of a piece, channel after channel.
    fn hear(&self, source: &Spool, piece: &Piece) -> Result<Vec<f32>, ModelError> {
        let samples = self.cutter.samples;
        let end = piece.heard_from + samples as i64;
        if piece.heard_from >= 0 && end <= source.frames() as i64 {
            return Ok(source.read(piece.heard_from, samples)?.into_planar());
        }
        let places: Vec<Option<u64>> = self.cutter.places(piece, source.frames()).collect();
        let inside = || places.iter().flatten();
        let (Some(low), Some(high)) = (inside().min(), inside().max()) else {
            return Ok(vec![0.0; samples * source.channels()]);
        };
        let read = source.read(*low as i64, (high - low + 1) as usize)?;
        let mut sound = Vec::with_capacity(samples * source.channels());
        for channel in 0..source.channels() {
            let channel = read.channel(channel);
            let sample = |place: &Option<u64>| place.map_or(0.0, |at| channel[(at - low) as usize]);
            sound.extend(places.iter().map(sample));
        }
        Ok(sound)
    }

    fn level(&self, source: &Spool) -> Result<Level, ModelError> {
        match self.facts.normalize {
            LevelNormalization::None => Ok(Level {
                offset: 0.0,
                scale: 1.0,
            }),
            LevelNormalization::MeanStdMono => Ok(mono_level(source)?),
        }
    }
}

/// Mean and standard deviation of the mono mix; sums in f64, two passes, so that a long recording loses nothing.
fn mono_level(source: &Spool) -> std::io::Result<Level> {
    let over_all = |value: &dyn Fn(f64) -> f64| -> std::io::Result<f64> {
        let mut sum = 0.0;
        for block in source.blocks() {
            let block = block?;
            for frame in 0..block.frames() {
                let channels = (0..block.channels()).map(|at| f64::from(block.channel(at)[frame]));
                sum += value(channels.sum::<f64>() / block.channels() as f64);
            }
        }
        Ok(sum)
    };
    let frames = source.frames() as f64;
    let mean = over_all(&|sample| sample)? / frames.max(1.0);
    let squares = over_all(&|sample| (sample - mean).powi(2))?;
    let deviation = (squares / (frames - 1.0).max(1.0)).sqrt();
    Ok(Level {
        offset: mean as f32,
        scale: (deviation + LEAST_DEVIATION) as f32,
    })
}

/// The mean of both channels of every stem.
fn fold(estimate: &[f32], samples: usize) -> Vec<f32> {
    let mut folded = Vec::with_capacity(estimate.len() / 2);
    for stem in estimate.chunks_exact(2 * samples) {
        let (left, right) = stem.split_at(samples);
        folded.extend(
            left.iter()
                .zip(right)
                .map(|(left, right)| 0.5 * (left + right)),
        );
    }
    folded
}

/// Left and right of every stem next to each other, of channels that were asked about one by one.
fn interleave(left: &[f32], right: &[f32], samples: usize) -> Vec<f32> {
    let stems = left.chunks_exact(samples).zip(right.chunks_exact(samples));
    stems
        .flat_map(|(left, right)| [left, right])
        .flatten()
        .copied()
        .collect()
}

fn pass_on<E>(
    rows: &[Vec<f32>],
    frames: usize,
    channels: usize,
    sink: &mut dyn FnMut(Vec<Block>) -> Result<(), E>,
) -> Result<(), E> {
    for start in (0..frames).step_by(BLOCK_FRAMES) {
        let end = (start + BLOCK_FRAMES).min(frames);
        let block = |stem: &[Vec<f32>]| {
            let sides = stem.iter().flat_map(|side| &side[start..end]);
            Block::from_planar(channels, sides.copied().collect())
        };
        sink(rows.chunks_exact(channels).map(block).collect())?;
    }
    Ok(())
}
