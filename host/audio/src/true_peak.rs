//! The true peak of ITU-R BS.1770-4, annex 2: the highest value of the waveform itself, which may lie between two
//! samples.
//!
//! The waveform between samples is found by a windowed sinc of 48 taps, four times oversampled below 96 kHz and twice
//! below 192 kHz; from there on samples are close enough. This is the design of libebur128 and its relatives
//! (`h(m) = sinc(m / L) hann(m)` over 49 points), so figures agree with theirs.
//!
//! Most of a recording cannot reach its peak: where the samples times the sum of the filter's magnitudes stay below the
//! highest value so far, nothing between them can exceed it, and the filter need not run. The result is the same to the
//! bit.

use std::f64::consts::PI;

use super::Block;
use super::block::reach;

/// Taps of the whole filter, over all phases.
const TAPS: usize = 48;
/// Frames that are examined together: some 1.5 ms, over which the level of music hardly changes.
const STRETCH: usize = 64;
/// By what factor rounding may carry a filtered sample over its bound: well above 48 steps of 24 bits.
const ROUNDING: f32 = 1.0 + 1e-5;

/// Finds the true peak of sound block by block.
pub(super) struct TruePeak {
    filter: Filter,
    /// For each channel the last samples, as many as the filter reaches back.
    history: Vec<Vec<f32>>,
    /// Samples of one channel: the history, a block, and zeros up to a whole number of stretches.
    window: Vec<f32>,
    peak: f32,
}

/// The phases between two samples; the phase on a sample is the sample itself.
enum Filter {
    Four(Phases<12, 3>),
    Two(Phases<24, 1>),
    None,
}

struct Phases<const REACH: usize, const COUNT: usize> {
    /// For each phase, the factors of the samples in reach, from the oldest to the newest.
    taps: [[f32; REACH]; COUNT],
    /// No filtered sample exceeds this times the largest sample in reach.
    gain: f32,
}

impl TruePeak {
    pub(super) fn new(channels: usize, sample_rate_hz: u32) -> Self {
        let filter = match sample_rate_hz {
            0..96_000 => Filter::Four(Phases::new()),
            96_000..192_000 => Filter::Two(Phases::new()),
            _ => Filter::None,
        };
        let history = match &filter {
            Filter::Four(_) => 11,
            Filter::Two(_) => 23,
            Filter::None => 0,
        };
        Self {
            filter,
            history: vec![vec![0.0; history]; channels],
            window: Vec::new(),
            peak: 0.0,
        }
    }

    pub(super) fn listen(&mut self, block: &Block) {
        let frames = block.frames();
        for (channel, history) in self.history.iter_mut().enumerate() {
            self.window.clear();
            self.window.extend_from_slice(history);
            self.window.extend_from_slice(block.channel(channel));
            let end = self.window.len();
            history.copy_from_slice(&self.window[frames..]);
            let padding = frames.next_multiple_of(STRETCH) - frames;
            self.window.resize(end + padding, 0.0);
            self.peak = match &self.filter {
                Filter::Four(phases) => phases.highest(&self.window, frames, self.peak),
                Filter::Two(phases) => phases.highest(&self.window, frames, self.peak),
                Filter::None => self.peak.max(reach(&self.window)),
            };
        }
    }

    /// The peak of all channels so far, 1 for full scale.
    pub(super) fn highest(&self) -> f32 {
        self.peak
    }
}

impl<const REACH: usize, const COUNT: usize> Phases<REACH, COUNT> {
    fn new() -> Self {
        let factor = COUNT + 1;
        debug_assert_eq!(REACH * factor, TAPS, "every tap belongs to a phase");
        let mut taps = [[0.0; REACH]; COUNT];
        let mut gain = 1.0_f64;
        for (phase, taps) in taps.iter_mut().enumerate() {
            let mut sum = 0.0;
            for (age, tap) in taps.iter_mut().rev().enumerate() {
                let value = tap_of(age * factor + phase + 1, factor);
                *tap = value as f32;
                sum += value.abs();
            }
            gain = gain.max(sum);
        }
        Self {
            taps,
            gain: gain as f32 * ROUNDING,
        }
    }

    /// The highest of `peak` and the waveform of so many frames, whose samples follow the history in `window`.
    fn highest(&self, window: &[f32], frames: usize, mut peak: f32) -> f32 {
        let mut left = frames;
        for start in (0..frames).step_by(STRETCH) {
            let piece = &window[start..start + STRETCH + REACH - 1];
            let top = reach(piece);
            if top * self.gain > peak {
                peak = peak.max(top);
                peak = peak.max(self.between(piece, left.min(STRETCH)));
            }
            left -= left.min(STRETCH);
        }
        peak
    }

    /// The largest magnitude at the first `count` points of every phase.
    fn between(&self, piece: &[f32], count: usize) -> f32 {
        let mut top = 0.0_f32;
        for taps in &self.taps {
            let mut wave = [0.0_f32; STRETCH];
            for (offset, tap) in taps.iter().enumerate() {
                let samples = &piece[offset..offset + STRETCH];
                for (point, sample) in wave.iter_mut().zip(samples) {
                    *point += tap * sample;
                }
            }
            top = top.max(reach(&wave[..count]));
        }
        top
    }
}

/// Tap `index` of the whole filter.
fn tap_of(index: usize, factor: usize) -> f64 {
    let window = 0.5 * (1.0 - (2.0 * PI * index as f64 / TAPS as f64).cos());
    let angle = (index as f64 - TAPS as f64 / 2.0) * PI / factor as f64;
    if angle == 0.0 {
        window
    } else {
        window * angle.sin() / angle
    }
}

#[cfg(test)]
mod tests {
    use ebur128::{EbuR128, Mode};

    use super::*;

    const RATES: [u32; 5] = [8_000, 44_100, 48_000, 96_000, 192_000];

    fn noise(frames: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state as i32) as f32 / 2_147_483_648.0
        };
        (0..frames).map(|_| next()).collect()
    }

    fn tone(frames: usize, turn: f32) -> Vec<f32> {
        (0..frames).map(|at| (turn * at as f32).sin()).collect()
    }

    fn impulses(frames: usize) -> Vec<f32> {
        let mut wave = vec![0.0; frames];
        for (at, height) in [(0, 0.5), (63, -0.7), (64, 0.7), (700, 0.9), (701, 0.9)] {
            wave[at] = height;
        }
        wave
    }

    /// Feeds the sound in blocks of changing sizes, so that every seam is met.
    fn found(meter: &mut TruePeak, left: &[f32], right: &[f32]) -> f32 {
        let (mut at, mut size) = (0, 1);
        while at < left.len() {
            let end = (at + size).min(left.len());
            let planar = [&left[at..end], &right[at..end]].concat();
            meter.listen(&Block::from_planar(2, planar));
            at = end;
            size = size * 3 % 1_009;
        }
        meter.highest()
    }

    fn theirs(rate: u32, left: &[f32], right: &[f32]) -> f32 {
        let mut meter = EbuR128::new(2, rate, Mode::TRUE_PEAK).expect("begins");
        meter
            .add_frames_planar_f32(&[left, right])
            .expect("listens");
        let peak = |channel| meter.true_peak(channel).expect("measures");
        peak(0).max(peak(1)) as f32
    }

    #[test]
    fn peaks_are_those_of_another_meter() {
        for rate in RATES {
            let quiet = |wave: &[f32]| wave.iter().map(|sample| sample * 0.4).collect();
            let waves: [(&str, Vec<f32>); 4] = [
                ("noise", noise(5_000, 7)),
                ("a tone at a quarter of the rate", tone(5_000, 1.571)),
                ("a low tone", tone(5_000, 0.01)),
                ("impulses", impulses(5_000)),
            ];
            for (name, wave) in &waves {
                let other: Vec<f32> = quiet(wave);
                for (left, right) in [(wave, &other), (&other, wave)] {
                    let ours = found(&mut TruePeak::new(2, rate), left, right);
                    let theirs = theirs(rate, left, right);
                    let apart_db = 20.0 * (ours / theirs).log10();
                    assert!(apart_db.abs() < 0.001, "{name} at {rate}: {apart_db} dB");
                }
            }
        }
    }

    #[test]
    fn what_is_passed_over_changes_nothing() {
        for rate in RATES {
            // Swells and fades, so that most of it is skipped and the peak comes late.
            let swell = |(at, sample): (usize, &f32)| sample * (at as f32 * 0.001).sin();
            let wave: Vec<f32> = noise(20_000, 3).iter().enumerate().map(swell).collect();
            let fades: Vec<f32> = wave.iter().rev().copied().collect();
            let mut every = TruePeak::new(2, rate);
            match &mut every.filter {
                Filter::Four(phases) => phases.gain = f32::INFINITY,
                Filter::Two(phases) => phases.gain = f32::INFINITY,
                Filter::None => {}
            }
            let some = found(&mut TruePeak::new(2, rate), &wave, &fades);
            let all = found(&mut every, &wave, &fades);
            assert_eq!(some.to_bits(), all.to_bits(), "at {rate}");
        }
    }

    #[test]
    fn what_is_no_number_is_passed_over() {
        let mut meter = TruePeak::new(1, 48_000);
        let mut wave = vec![0.25; 200];
        wave[100] = f32::NAN;
        meter.listen(&Block::from_planar(1, wave));
        assert!(meter.highest() >= 0.25 && meter.highest() < 0.5);
    }
}
