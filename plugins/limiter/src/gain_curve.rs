//! The gain over time that keeps every peak below the ceiling.

use std::collections::VecDeque;

use crate::true_peak::TAPS;

/// The gain 1 in the fixed point that the moving averages add up. Whole numbers add and
/// subtract without rounding, so that a gain of 1 comes back exactly and nothing drifts.
const ONE: u64 = 1 << 40;

/// Turns the gain that each frame asks for into a smooth one that is never above it where
/// it matters: the lowest asked for in a window, an exponential release, and two moving
/// averages in a row.
///
/// This is the look-ahead structure of P. Hämäläinen, "Smoothing of the Control Signal
/// without Clipped Output in Digital Peak Limiters", Proc. DAFx-02, 2002: a minimum over
/// at least the length of the smoothing filter, whose weights are positive and add up to
/// 1, cannot be smoothed above any of its values.
#[derive(Clone, Debug)]
pub struct GainCurve {
    /// Frames over which the lowest gain is held.
    hold_frames: u64,
    /// Frames seen since the start.
    position: u64,
    /// Frame and gain of the candidates for the lowest, both rising.
    candidates: VecDeque<(u64, f64)>,
    /// The share of its distance to 1 that the gain keeps in one frame of release.
    keep: f64,
    released: f64,
    averages: [Average; 2],
}

/// A moving average of the last values in fixed point, times its length.
#[derive(Clone, Debug)]
struct Average {
    values: Box<[u64]>,
    at: usize,
    sum: u64,
}

impl GainCurve {
    /// A curve for gains that come down within `smooth_frames` (at least 2) and recover
    /// with the time constant `release_frames`.
    #[must_use]
    pub fn new(smooth_frames: usize, release_frames: f64) -> Self {
        let first = smooth_frames / 2;
        let averages = [
            Average::new(first, ONE),
            Average::new(smooth_frames + 1 - first, ONE * first as u64),
        ];
        Self {
            hold_frames: delay_frames(smooth_frames) as u64 + 1,
            position: 0,
            candidates: VecDeque::with_capacity(delay_frames(smooth_frames) + 2),
            keep: (-1.0 / release_frames).exp(),
            released: 1.0,
            averages,
        }
    }

    /// The gain for the sound of [`delay_frames`] ago, when the current frame asks for `asked`,
    /// which is above 0 and at most 1.
    #[inline]
    pub fn next(&mut self, asked: f64) -> f64 {
        while self
            .candidates
            .back()
            .is_some_and(|&(_, gain)| gain >= asked)
        {
            self.candidates.pop_back();
        }
        self.candidates.push_back((self.position, asked));
        let lowest = loop {
            match self.candidates.front() {
                Some(&(since, _)) if since + self.hold_frames <= self.position => {
                    self.candidates.pop_front();
                }
                Some(&(_, gain)) => break gain,
                None => break asked,
            }
        };
        self.position += 1;
        let recovered = lowest + (self.released - lowest) * self.keep;
        self.released = if lowest < self.released {
            lowest
        } else {
            recovered
        };
        // Rounded down: never above what was asked for.
        let fixed = (self.released * ONE as f64) as u64;
        let [first, second] = &mut self.averages;
        let once = first.next(fixed);
        let twice = second.next(once);
        twice as f64 / (ONE * (first.values.len() * second.values.len()) as u64) as f64
    }

    /// Forgets all gains.
    pub fn forget(&mut self) {
        self.position = 0;
        self.candidates.clear();
        self.released = 1.0;
        let [first, second] = &mut self.averages;
        first.fill(ONE);
        second.fill(ONE * first.values.len() as u64);
    }
}

impl Average {
    fn new(frames: usize, value: u64) -> Self {
        let mut average = Self {
            values: vec![0; frames].into(),
            at: 0,
            sum: 0,
        };
        average.fill(value);
        average
    }

    #[inline]
    fn next(&mut self, value: u64) -> u64 {
        let oldest = std::mem::replace(&mut self.values[self.at], value);
        self.at += 1;
        if self.at == self.values.len() {
            self.at = 0;
        }
        self.sum = self.sum + value - oldest;
        self.sum
    }

    fn fill(&mut self, value: u64) {
        self.values.fill(value);
        self.at = 0;
        self.sum = value * self.values.len() as u64;
    }
}

/// By how many frames sound has to wait for its gain: for the smoothing, and until the
/// meter, which looks at [`TAPS`] frames, has seen what follows it.
#[must_use]
pub fn delay_frames(smooth_frames: usize) -> usize {
    smooth_frames + TAPS - 2
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "a gain of 1 is to come back exactly")]

    use super::{GainCurve, delay_frames};
    use crate::true_peak::TAPS;

    #[test]
    fn all_frames_that_make_a_peak_get_at_most_the_gain_it_asks_for() {
        let mut curve = GainCurve::new(40, 500.0);
        let delay = delay_frames(40);
        let gains: Vec<f64> = (0..400)
            .map(|frame| curve.next(if frame == 100 { 0.25 } else { 1.0 }))
            .collect();
        let covered = 100 + delay - (TAPS - 1)..=100 + delay;
        assert!(
            gains[covered]
                .iter()
                .all(|&gain| (0.249_999..=0.25).contains(&gain))
        );
        assert!(gains[..100].iter().all(|&gain| gain == 1.0));
    }

    #[test]
    fn the_gain_recovers_with_the_time_constant() {
        let mut curve = GainCurve::new(10, 500.0);
        let gains: Vec<f64> = (0..30_000)
            .map(|frame| curve.next(if frame < 100 { 0.5 } else { 1.0 }))
            .collect();
        // The hold ends 20 frames after the last one that asked; the averages lag by 4.5.
        let left = 1.0 - gains[100 + 20 + 4 + 500];
        assert!((left / 0.5 / (-1.0_f64).exp() - 1.0).abs() < 0.01, "{left}");
        assert!(gains[29_999] > 0.999_999);
    }
}
