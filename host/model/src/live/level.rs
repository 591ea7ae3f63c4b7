//! The speaker's level, estimated while they speak.

use std::collections::VecDeque;

use crate::content::CONTENT_HOP;
use crate::gate::{CLOSED_DB, HOLD_FRAMES, OPEN_DB};
use crate::level::{OFFSET_FEEDBACK, PAUSE_RATIO, SILENT_POWER};

/// Samples of a frame of 10 ms that models hear.
pub(super) const FRAME: usize = CONTENT_HOP as usize / 2;
/// How much sounding speech the level is averaged over: about as many frames, 3 s.
const REMEMBERED: f64 = 300.0;
/// The initial weight of a speaker's expected level, in frames of speech: 0.2 s. It shrinks as more is heard.
const EXPECTED: f64 = 20.0;

/// The level of a speaker over the sounding parts, as far as it is known, and the gain that brings it to the models' level.
pub(super) struct RunningLevel {
    wanted_rms: f64,
    /// The expected power.
    expected: f64,
    /// Mean power over the sounding frames, and their number, at most [`REMEMBERED`].
    power: f64,
    sounding: f64,
    gain: f64,
    /// The filter's last input and output.
    last: (f64, f64),
    /// Sum of squares in the current frame, and its number of samples.
    sum: (f64, usize),
    /// RMS of each frame at the input, from the frame `from` on.
    frames: VecDeque<f64>,
    from: usize,
}

impl RunningLevel {
    /// For models that want `wanted_rms`. A speaker of a known level is brought to it from the first sample on.
    pub(super) fn new(wanted_rms: f64, input_rms: Option<f64>) -> Self {
        let expected = input_rms.filter(|rms| *rms > 0.0).unwrap_or(wanted_rms);
        let is_known = input_rms.is_some();
        Self {
            wanted_rms,
            expected: expected * expected,
            power: if is_known { expected * expected } else { 0.0 },
            sounding: if is_known { REMEMBERED } else { 0.0 },
            gain: wanted_rms / expected,
            last: (0.0, 0.0),
            sum: (0.0, 0),
            frames: VecDeque::new(),
            from: 0,
        }
    }

    /// Appends samples to `heard` at the models' level. The gain is linear over each frame.
    pub(super) fn bring(&mut self, samples: &[f32], heard: &mut Vec<f32>) {
        for sample in samples {
            let raw = f64::from(*sample);
            let (last_in, last_out) = self.last;
            let filtered = raw - last_in + OFFSET_FEEDBACK * last_out;
            self.last = (raw, filtered);
            let (sum, count) = (self.sum.0 + filtered * filtered, self.sum.1 + 1);
            let aim = self.wanted_rms / self.rms();
            self.gain += (aim - self.gain) / FRAME as f64;
            heard.push((raw * self.gain) as f32);
            self.sum = (sum, count);
            if count == FRAME {
                self.frame_is_whole(sum / FRAME as f64);
                self.sum = (0.0, 0);
            }
        }
    }

    fn frame_is_whole(&mut self, power: f64) {
        self.frames.push_back(power.sqrt());
        if power < SILENT_POWER.max(self.power * PAUSE_RATIO) {
            return;
        }
        self.sounding = (self.sounding + 1.0).min(REMEMBERED);
        self.power += (power - self.power) / self.sounding;
    }

    /// The estimated level. It lies between the expected and the measured one on the scale of decibels, since a speaker may be far off.
    pub(super) fn rms(&self) -> f64 {
        if self.sounding == 0.0 {
            return self.expected.sqrt();
        }
        let expected = EXPECTED * (1.0 - self.sounding / REMEMBERED);
        let logs = expected * self.expected.ln() + self.sounding * self.power.ln();
        (logs / (expected + self.sounding) / 2.0).exp()
    }

    pub(super) fn input_rms(&self) -> Option<f64> {
        (self.sounding > 0.0).then(|| self.power.sqrt())
    }

    /// The RMS of a frame at the input; 0 where it is not known any more, or not yet.
    pub(super) fn frame_rms(&self, frame: usize) -> f64 {
        let place = frame.checked_sub(self.from);
        place
            .and_then(|place| self.frames.get(place))
            .copied()
            .unwrap_or(0.0)
    }

    /// Drops frames, except those that a gate still looks back at.
    pub(super) fn forget_before(&mut self, frame: usize) {
        while self.from + HOLD_FRAMES + 1 < frame && self.frames.pop_front().is_some() {
            self.from += 1;
        }
    }
}

/// The gate of a block: like that of a recording, but with the level known at that time.
pub(super) struct FrameGate<'l> {
    level: &'l RunningLevel,
    first: usize,
}

impl<'l> FrameGate<'l> {
    pub(super) fn at(level: &'l RunningLevel, first: usize) -> Self {
        Self { level, first }
    }

    fn gain(&self, frame: usize) -> f32 {
        let around = frame.saturating_sub(HOLD_FRAMES + 1)..=frame + HOLD_FRAMES;
        let loudest = around.map(|frame| self.level.frame_rms(frame));
        let loudest = loudest.fold(0.0, f64::max);
        let db = 20.0 * (loudest / self.level.rms()).log10();
        ((db - CLOSED_DB) / (OPEN_DB - CLOSED_DB)).clamp(0.0, 1.0) as f32
    }

    /// Mutes samples where the speaker is silent, `hop` samples per frame.
    pub(super) fn apply(&self, samples: &mut [f32], hop: usize) {
        for (at, frame) in samples.chunks_mut(hop).enumerate() {
            let (now, next) = (self.gain(self.first + at), self.gain(self.first + at + 1));
            for (place, sample) in frame.iter_mut().enumerate() {
                *sample *= now + (next - now) * place as f32 / hop as f32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(rms: f64, frames: usize) -> Vec<f32> {
        let sample = |at: usize| (at as f64 * 0.3).sin() * rms * std::f64::consts::SQRT_2;
        (0..frames * FRAME).map(|at| sample(at) as f32).collect()
    }

    fn rms(samples: &[f32]) -> f64 {
        let sum: f64 = samples.iter().map(|x| f64::from(*x).powi(2)).sum();
        (sum / samples.len() as f64).sqrt()
    }

    #[test]
    fn a_soft_speaker_is_brought_to_the_level_and_pauses_change_nothing() {
        let mut level = RunningLevel::new(0.06, None);
        let mut heard = Vec::new();
        level.bring(&tone(0.01, 400), &mut heard);
        let there = rms(&heard[350 * FRAME..]);
        assert!((there / 0.06 - 1.0).abs() < 0.1, "{there}");
        let before = level.rms();
        level.bring(&vec![0.0; 500 * FRAME], &mut heard);
        assert!((level.rms() - before).abs() < 1e-12);
    }

    #[test]
    fn a_level_that_is_known_holds_from_the_first_sample() {
        let mut level = RunningLevel::new(0.06, Some(0.01));
        let mut heard = Vec::new();
        level.bring(&tone(0.01, 10), &mut heard);
        assert!((rms(&heard) / 0.06 - 1.0).abs() < 0.02);
    }
}
