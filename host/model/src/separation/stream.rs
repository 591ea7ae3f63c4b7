use std::iter::Peekable;
use std::ops::ControlFlow;

use vocalhost_audio::Spool;

use super::super::ModelError;
use super::super::lanes::in_order;
use super::estimates::{Estimates, Rows};
use super::network::Network;
use super::overlap::Overlap;
use super::pieces::{Cutter, Piece};
use vocalhost_system::work::Part;

/// How a recording is normalised before the graph, `(x - offset) / scale`, and how the graph is used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Asking {
    /// The offset of each channel.
    pub(super) offsets: [f32; 2],
    /// The offset of the estimates.
    pub(super) back: f32,
    pub(super) scale: f32,
    /// Factor on the estimates.
    pub(super) compensate: f32,
    /// Whether to use half of `f(x) - f(-x)`.
    pub(super) denoise: bool,
}

/// Pieces in progress where a device runs the network: one is prepared, one runs, one is read.
const BESIDE_A_DEVICE: usize = 3;

/// A recording that passes through a network, piece after piece, several side by side.
pub(super) struct Stream<'a> {
    hearing: Hearing<'a>,
    threads: usize,
    pieces: Peekable<Box<dyn Iterator<Item = Piece> + Sync + 'a>>,
    overlap: Overlap,
}

impl<'a> Stream<'a> {
    /// The recording after `lead` samples of silence, `threads` pieces at a time. `rows` is the number of channels of all estimated stems
    /// together.
    pub(super) fn new(
        network: &'a Network,
        cutter: &'a Cutter,
        (source, lead): (&'a Spool, u64),
        asking: Asking,
        (rows, threads): (usize, usize),
    ) -> Self {
        let pieces: Box<dyn Iterator<Item = Piece> + Sync> =
            Box::new(cutter.pieces(source.frames(), lead));
        Self {
            hearing: Hearing {
                network,
                cutter,
                source,
                asking,
            },
            threads: if network.is_shared() {
                threads.max(BESIDE_A_DEVICE)
            } else {
                threads
            },
            pieces: pieces.peekable(),
            overlap: Overlap::new(cutter, rows, source.frames()),
        }
    }
}

/// The greatest magnitude that a network gets for a recording; 1 where it gets none.
pub(super) fn peak_magnitude(
    (network, cutter): (&Network, &Cutter),
    source: &Spool,
    asking: Asking,
    threads: usize,
) -> Result<f32, ModelError> {
    let hearing = Hearing {
        network,
        cutter,
        source,
        asking,
    };
    let mut greatest = 0.0_f32;
    let peak = |piece: &Piece| -> Result<f32, ModelError> {
        let sound = hearing.hear(piece)?;
        Ok(sound.map_or(0.0, |sound| network.peak(&hearing.on_both_sides(sound))))
    };
    in_order(
        threads,
        cutter.pieces(source.frames(), 0),
        peak,
        |_, peak| {
            greatest = greatest.max(peak);
            Ok::<_, ModelError>(())
        },
    )?;
    Ok(if greatest > 0.0 { greatest } else { 1.0 })
}

/// A recording as input of a network.
struct Hearing<'a> {
    network: &'a Network,
    cutter: &'a Cutter,
    source: &'a Spool,
    asking: Asking,
}

impl Hearing<'_> {
    /// Every channel of every estimated stem of a piece, or none when it is silent.
    fn estimate(&self, piece: &Piece) -> Result<Option<Vec<f32>>, ModelError> {
        let Some(sound) = self.hear(piece)? else {
            return Ok(None);
        };
        let samples = self.cutter.samples;
        let mut estimate = match (self.source.channels(), self.network.channels()) {
            (1, 2) => fold(&self.ask(&self.on_both_sides(sound))?, samples),
            (2, 1) => {
                let (left, right) = sound.split_at(samples);
                interleave(&self.ask(left)?, &self.ask(right)?, samples)
            }
            _ => self.ask(&sound)?,
        };
        let scale = self.asking.scale * self.asking.compensate;
        for sample in &mut estimate {
            *sample = *sample * scale + self.asking.back;
        }
        Ok(Some(estimate))
    }

    /// For a network of two channels, a mono recording is used for both.
    fn on_both_sides(&self, sound: Vec<f32>) -> Vec<f32> {
        match (self.source.channels(), self.network.channels()) {
            (1, 2) => [&sound[..], &sound[..]].concat(),
            _ => sound,
        }
    }

    fn ask(&self, sound: &[f32]) -> Result<Vec<f32>, ModelError> {
        let mut estimate = self.network.estimate(sound)?;
        if self.asking.denoise {
            let turned: Vec<f32> = sound.iter().map(|sample| -sample).collect();
            for (sample, turned) in estimate.iter_mut().zip(self.network.estimate(&turned)?) {
                *sample = 0.5 * (*sample - turned);
            }
        }
        Ok(estimate)
    }

    /// The sound of a piece, channel after channel, at the level that the graph expects; none where all is silent. Beyond the recording the
    /// graph gets zeros, whatever the recording's offset.
    fn hear(&self, piece: &Piece) -> Result<Option<Vec<f32>>, ModelError> {
        let (source, samples) = (self.source, self.cutter.samples);
        let level = |sample: f32, offset: f32| (sample - offset) / self.asking.scale;
        let end = piece.heard_from + samples as i64;
        if piece.heard_from >= 0 && end <= source.frames() as i64 {
            let mut sound = source.read(piece.heard_from, samples)?.into_planar();
            if is_silent(&sound) {
                return Ok(None);
            }
            for (channel, offset) in sound.chunks_exact_mut(samples).zip(self.asking.offsets) {
                for sample in channel {
                    *sample = level(*sample, offset);
                }
            }
            return Ok(Some(sound));
        }
        let places: Vec<Option<u64>> = self.cutter.places(piece, source.frames()).collect();
        let inside = || places.iter().flatten();
        let (Some(low), Some(high)) = (inside().min(), inside().max()) else {
            return Ok(None);
        };
        let read = source.read(*low as i64, (high - low + 1) as usize)?;
        if (0..source.channels()).all(|channel| is_silent(read.channel(channel))) {
            return Ok(None);
        }
        let mut sound = Vec::with_capacity(samples * source.channels());
        for (channel, offset) in (0..source.channels()).zip(self.asking.offsets) {
            let channel = read.channel(channel);
            let heard = |at: u64| level(channel[(at - low) as usize], offset);
            let sample = |place: &Option<u64>| place.map_or(0.0, heard);
            sound.extend(places.iter().map(sample));
        }
        Ok(Some(sound))
    }
}

impl Estimates for Stream<'_> {
    fn next(&mut self) -> Result<Option<Rows>, ModelError> {
        let (hearing, overlap) = (&self.hearing, &mut self.overlap);
        while self.pieces.peek().is_some() {
            let batch: Vec<Piece> = self.pieces.by_ref().take(self.threads).collect();
            let estimate = |piece: &Piece| hearing.estimate(piece);
            in_order(self.threads, batch, estimate, |piece, estimate| {
                Part::Join.count(|| overlap.add(hearing.cutter, &piece, estimate.as_deref()));
                Ok::<_, ModelError>(())
            })?;
            let next = self.pieces.peek();
            let settled = next.map_or(i64::MAX, |next| next.counted.start);
            let (frames, ready) = overlap.take_until(settled);
            if frames > 0 {
                return Ok(Some(ready));
            }
        }
        Ok(None)
    }

    /// The next pieces are estimated while `sink` takes what is ready.
    fn each(&mut self, sink: &mut dyn FnMut(Rows) -> ControlFlow<()>) -> Result<(), ModelError> {
        let (hearing, overlap) = (&self.hearing, &mut self.overlap);
        let pieces = with_next(&mut self.pieces);
        let estimate = |(piece, _): &(Piece, i64)| hearing.estimate(piece);
        let ended = in_order(
            self.threads,
            pieces,
            estimate,
            |(piece, settled), estimate| {
                Part::Join.count(|| overlap.add(hearing.cutter, &piece, estimate.as_deref()));
                let (frames, ready) = overlap.take_until(settled);
                match frames {
                    0 => Ok(()),
                    _ if sink(ready).is_break() => Err(End::Wanted),
                    _ => Ok(()),
                }
            },
        );
        match ended {
            Err(End::Failed(error)) => Err(error),
            Ok(()) | Err(End::Wanted) => Ok(()),
        }
    }
}

/// Why the pieces end before the recording does.
enum End {
    Wanted,
    Failed(ModelError),
}

impl From<ModelError> for End {
    fn from(error: ModelError) -> Self {
        Self::Failed(error)
    }
}

/// Every piece with the frame before which no later piece counts.
fn with_next(
    pieces: &mut Peekable<impl Iterator<Item = Piece>>,
) -> impl Iterator<Item = (Piece, i64)> {
    std::iter::from_fn(|| {
        let piece = pieces.next()?;
        let settled = pieces.peek().map_or(i64::MAX, |next| next.counted.start);
        Some((piece, settled))
    })
}

fn is_silent(sound: &[f32]) -> bool {
    sound.iter().all(|sample| *sample == 0.0)
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

/// Interleaves left and right of every stem, from channels that were estimated separately.
fn interleave(left: &[f32], right: &[f32], samples: usize) -> Vec<f32> {
    let stems = left.chunks_exact(samples).zip(right.chunks_exact(samples));
    stems
        .flat_map(|(left, right)| [left, right])
        .flatten()
        .copied()
        .collect()
}
