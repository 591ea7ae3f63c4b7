//! The input of a training step: stretches of recordings, drawn by random numbers that depend on the step's number, so that an interrupted
//! training continues as if nothing had happened.

use std::ops::Range;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::sound::{Curves, LOWEST_GAIN, split};
use crate::{BANDS, FEATURES};

/// Length of a content vector: 64 features of what is said, and the loudness.
pub const CONTENT: usize = 65;
/// Deviation of the noise added to content, so that the same speech by other people gives similar results.
const CONTENT_NOISE: f64 = 0.04;
/// How far the level is varied, as a logarithm, and the factor from that to the loudness feature.
const LOUDER: f64 = 0.25;
const LOUDNESS_OF_GAIN: f32 = 0.22;
/// How far the pitch is varied, in octaves; the envelope stays.
const OCTAVES: f64 = 0.3;
/// Share of the stretches that are silent from some frame on.
const SILENCE_SHARE: f64 = 0.06;
/// Share of the stretches that are presented as entirely unvoiced.
const WHISPERED_SHARE: f64 = 0.03;
const BAND_COUNT: usize = BANDS as usize;

/// An analysed recording, in frames of 10 ms.
#[derive(Debug, Clone, Default)]
pub struct Take {
    /// A vector of [`CONTENT`] numbers for every two frames.
    pub content: Vec<f32>,
    /// The pitch, 0 where there is none.
    pub f0_hz: Vec<f32>,
    /// The target curves.
    pub curves: Vec<Curves>,
    /// Stretches that may be used.
    pub stretches: Vec<Range<usize>>,
}

impl Take {
    fn frames(&self) -> usize {
        self.curves
            .len()
            .min(self.f0_hz.len())
            .min(self.content.len() / CONTENT * 2)
    }
}

/// The input of a step, row-major as the graph of an [`Order`](crate::Order) takes it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    /// `[batch, 67, frames]`.
    pub features: Vec<f32>,
    /// `[batch, 64, frames]`.
    pub wanted_harmonic: Vec<f32>,
    /// `[batch, 64, frames]`.
    pub wanted_noise: Vec<f32>,
    /// `[batch, 1, frames]`.
    pub pitched: Vec<f32>,
    /// `[batch, 64, frames]`.
    pub weight: Vec<f32>,
    /// How many frames count.
    pub counted: usize,
}

/// A frame of a batch before it is placed.
struct Frame {
    content: [f32; CONTENT],
    f0_hz: f32,
    gains: [[f32; BAND_COUNT]; 2],
    counts: bool,
}

/// Draws batches from recordings.
pub struct Batches<'t> {
    takes: &'t [Take],
    silence: [f32; CONTENT],
    batch: usize,
    frames: usize,
    learned: Vec<(usize, Range<usize>)>,
    held_out: Vec<(usize, Range<usize>)>,
}

impl<'t> Batches<'t> {
    /// Batches of `batch` stretches of `frames` frames each. `silence` is the content of silence. One stretch in ten, and at least one, is
    /// held out.
    #[must_use]
    pub fn new(
        takes: &'t [Take],
        silence: [f32; CONTENT],
        (batch, frames): (usize, usize),
    ) -> Self {
        let all = takes.iter().enumerate();
        let all: Vec<(usize, Range<usize>)> = all
            .flat_map(|(number, take)| {
                let whole = take.frames();
                let cut = move |one: &Range<usize>| one.start.min(whole)..one.end.min(whole);
                take.stretches.iter().map(cut).map(move |one| (number, one))
            })
            .filter(|(_, stretch)| !stretch.is_empty())
            .collect();
        let middle = all.len() / 2;
        let is_held = |place: usize| {
            if all.len() < 10 {
                place == middle
            } else {
                place % 10 == 5
            }
        };
        let pick = |held: bool| {
            let places = (0..all.len()).filter(|place| is_held(*place) == held);
            places.map(|place| all[place].clone()).collect()
        };
        Self {
            takes,
            silence,
            batch,
            frames,
            learned: if all.len() < 2 {
                all.clone()
            } else {
                pick(false)
            },
            held_out: pick(true),
        }
    }

    /// The batch of a step. The same for the same `seed` and `step`.
    ///
    /// # Panics
    /// When there is no stretch at all.
    #[must_use]
    pub fn of_step(&self, seed: u64, step: u32) -> Batch {
        let mut random = Random(ChaCha8Rng::seed_from_u64(seed));
        random.0.set_stream(u64::from(step));
        let stretches = (0..self.batch).map(|_| self.draw(&mut random));
        placed(&stretches.collect::<Vec<_>>())
    }

    /// The held-out stretches, in at most `most` batches.
    #[must_use]
    pub fn held_out(&self, most: usize) -> Vec<Batch> {
        self.as_recorded(&self.held_out, most)
    }

    /// All stretches unchanged, the held-out ones first, in at most `most` batches.
    #[must_use]
    pub fn recorded(&self, most: usize) -> Vec<Batch> {
        let all = [&*self.held_out, &*self.learned].concat();
        self.as_recorded(&all, most)
    }

    fn as_recorded(&self, stretches: &[(usize, Range<usize>)], most: usize) -> Vec<Batch> {
        let windows = stretches.iter().flat_map(|(take, stretch)| {
            let starts = stretch.clone().step_by(self.frames);
            starts.map(move |start| (*take, start..stretch.end.min(start + self.frames)))
        });
        let windows: Vec<(usize, Range<usize>)> = windows.take(most * self.batch).collect();
        let batches = windows.chunks(self.batch).map(|windows| {
            let frames = windows.iter().map(|(take, window)| {
                let frame =
                    |place: usize| Self::frame(&self.takes[*take], window, window.start + place);
                (0..self.frames).map(frame).collect::<Vec<_>>()
            });
            let mut frames: Vec<Vec<Frame>> = frames.collect();
            while frames.len() < self.batch {
                frames.push((0..self.frames).map(|_| self.silent(false)).collect());
            }
            placed(&frames)
        });
        batches.collect()
    }

    /// An unchanged frame. One outside of its stretch does not count.
    fn frame(take: &Take, stretch: &Range<usize>, place: usize) -> Frame {
        let there = place.min(take.frames() - 1);
        let mut content = [0.0; CONTENT];
        content.copy_from_slice(&take.content[there / 2 * CONTENT..][..CONTENT]);
        let is_voiced = take.f0_hz[there] > 0.0;
        Frame {
            content,
            f0_hz: take.f0_hz[there],
            gains: split(&take.curves[there], 0.0, is_voiced, is_voiced),
            counts: stretch.contains(&place),
        }
    }

    fn silent(&self, counts: bool) -> Frame {
        Frame {
            content: self.silence,
            f0_hz: 0.0,
            gains: [[LOWEST_GAIN; BAND_COUNT]; 2],
            counts,
        }
    }

    /// A stretch as another speaker might say it: louder, higher, and with an estimator's voicing errors.
    fn draw(&self, random: &mut Random) -> Vec<Frame> {
        let (take, stretch) = self.stretch(random);
        let take = &self.takes[take];
        let most = stretch.len().saturating_sub(self.frames);
        let start = stretch.start + random.below(most + 1);
        let voiced = |place: usize| {
            let there = (start + place).min(take.frames() - 1);
            take.f0_hz[there]
        };
        let pitches: Vec<f32> = (0..self.frames).map(voiced).collect();
        let said = said(&pitches, random);
        let moved = moved(&pitches, random);
        let louder = (random.gaussian() * LOUDER) as f32;
        let quiet = if random.share() < SILENCE_SHARE {
            random.below(self.frames)
        } else {
            self.frames
        };
        let near = quiet.saturating_sub(3)..if quiet < self.frames {
            quiet + 3
        } else {
            quiet
        };
        let frames = (0..self.frames).map(|place| {
            let mut frame = Self::frame(take, &stretch, start + place);
            let noise: Vec<f64> = (0..CONTENT - 1).map(|_| random.gaussian()).collect();
            for (value, noise) in frame.content.iter_mut().zip(noise) {
                *value += (noise * CONTENT_NOISE) as f32;
            }
            frame.content[CONTENT - 1] += LOUDNESS_OF_GAIN * louder;
            let there = (start + place).min(take.frames() - 1);
            frame.gains = split(
                &take.curves[there],
                louder,
                pitches[place] > 0.0,
                said[place],
            );
            frame.f0_hz = if said[place] {
                moved[place].clamp(50.0, 1_500.0)
            } else {
                0.0
            };
            if place >= quiet {
                frame = self.silent(frame.counts);
            }
            frame.counts &= quiet >= self.frames || !near.contains(&place);
            frame
        });
        frames.collect()
    }

    /// A random stretch, weighted by length.
    fn stretch(&self, random: &mut Random) -> (usize, Range<usize>) {
        let all: usize = self.learned.iter().map(|(_, stretch)| stretch.len()).sum();
        let mut place = random.below(all.max(1));
        for (take, stretch) in &self.learned {
            if place < stretch.len() {
                return (*take, stretch.clone());
            }
            place -= stretch.len();
        }
        self.learned.last().cloned().expect("there are recordings")
    }
}

/// Puts frames into their places.
fn placed(stretches: &[Vec<Frame>]) -> Batch {
    let counted = stretches
        .iter()
        .flatten()
        .filter(|frame| frame.counts)
        .count();
    let weight = 1.0 / (counted.max(1) * BAND_COUNT) as f32;
    let mut batch = Batch {
        counted,
        ..Batch::default()
    };
    for stretch in stretches {
        for channel in 0..FEATURES as usize {
            batch.features.extend(stretch.iter().map(|frame| {
                let is_voiced = frame.f0_hz > 0.0;
                match channel {
                    channel if channel < CONTENT => frame.content[channel],
                    CONTENT if is_voiced => (frame.f0_hz.max(50.0) / 200.0).log2(),
                    CONTENT => 0.0,
                    _ => f32::from(u8::from(is_voiced)),
                }
            }));
        }
        for band in 0..BAND_COUNT {
            batch
                .wanted_harmonic
                .extend(stretch.iter().map(|frame| frame.gains[0][band]));
            batch
                .wanted_noise
                .extend(stretch.iter().map(|frame| frame.gains[1][band]));
            let weights = stretch
                .iter()
                .map(|frame| if frame.counts { weight } else { 0.0 });
            batch.weight.extend(weights);
        }
        let pitched = stretch
            .iter()
            .map(|frame| f32::from(u8::from(frame.f0_hz > 0.0)));
        batch.pitched.extend(pitched);
    }
    batch
}

/// Simulated voicing errors of an estimator: now and then a pitch where there is none, or none where there is one.
fn said(pitches: &[f32], random: &mut Random) -> Vec<bool> {
    let mut said: Vec<bool> = pitches.iter().map(|f0| *f0 > 0.0).collect();
    let slips = [0, 0, 1, 2][random.below(4)];
    for _ in 0..slips {
        let start = random.below(said.len());
        let end = (start + 1 + random.below(12)).min(said.len());
        let value = random.share() < 0.5;
        said[start..end].fill(value);
    }
    if random.share() < WHISPERED_SHARE {
        said.fill(false);
    }
    said
}

/// The pitch, shifted as a whole, and interpolated linearly where there is none.
fn moved(pitches: &[f32], random: &mut Random) -> Vec<f32> {
    let factor = (random.gaussian() * OCTAVES).exp2() as f32;
    let flat = 80.0 + 320.0 * random.share() as f32;
    let known: Vec<usize> = (0..pitches.len())
        .filter(|place| pitches[*place] > 0.0)
        .collect();
    let (Some(first), Some(last)) = (known.first(), known.last()) else {
        return vec![flat; pitches.len()];
    };
    let at = |place: usize| {
        let behind = known.partition_point(|known| *known < place);
        if place <= *first {
            return pitches[*first];
        }
        if place >= *last {
            return pitches[*last];
        }
        let (low, high) = (known[behind - 1], known[behind]);
        let share = (place - low) as f32 / (high - low) as f32;
        pitches[low] + (pitches[high] - pitches[low]) * share
    };
    (0..pitches.len()).map(|place| factor * at(place)).collect()
}

/// Random numbers.
struct Random(ChaCha8Rng);

impl Random {
    /// Uniform in 0 to below 1.
    fn share(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, count: usize) -> usize {
        ((self.share() * count as f64) as usize).min(count.saturating_sub(1))
    }

    /// Normal with deviation 1, by Box-Muller.
    fn gaussian(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.share()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.share()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take() -> Take {
        let frames = 600;
        let curve = |frame: usize| Curves {
            total: [-4.0 - frame as f32 * 1e-3; BAND_COUNT],
            rough: [0.2; BAND_COUNT],
        };
        Take {
            content: (0..frames / 2 * CONTENT)
                .map(|place| (place as f32).sin())
                .collect(),
            f0_hz: (0..frames)
                .map(|frame| if frame % 50 < 30 { 120.0 } else { 0.0 })
                .collect(),
            curves: (0..frames).map(curve).collect(),
            stretches: vec![0..200, 200..350, 350..600],
        }
    }

    #[test]
    fn a_step_is_drawn_alike_every_time_and_unlike_others() {
        let takes = [take()];
        let batches = Batches::new(&takes, [0.5; CONTENT], (4, 64));
        let one = batches.of_step(7, 3);
        assert_eq!(one, batches.of_step(7, 3));
        assert_ne!(one, batches.of_step(7, 4));
        assert_ne!(one, batches.of_step(8, 3));
        assert_eq!(one.features.len(), 4 * 67 * 64);
        assert_eq!(one.weight.len(), 4 * 64 * 64);
        let sum: f32 = one.weight.iter().sum();
        assert!((sum - 1.0).abs() < 1e-3, "{sum}");
    }

    #[test]
    fn what_is_held_out_is_not_learned_and_is_as_it_was_recorded() {
        let takes = [take()];
        let batches = Batches::new(&takes, [0.5; CONTENT], (4, 64));
        assert!(
            batches
                .learned
                .iter()
                .all(|(_, stretch)| *stretch != (200..350))
        );
        let held = batches.held_out(9);
        assert_eq!(held.len(), 1);
        assert_eq!(held[0].counted, 150);
        // The first feature of the first frame is that of the 200th.
        assert_eq!(
            held[0].features[0].to_bits(),
            takes[0].content[100 * CONTENT].to_bits()
        );
    }
}
