//! How loud the late sound of the room is, and what gain removes it.

use crate::frames::OVERLAP;
use vocalhost_effect::Settings;

/// Time over which powers are averaged, in seconds: a few windows.
const AVERAGE_S: f64 = 0.015;

/// Share of the last window in the estimate of how far the sound is over the room
/// (Y. Ephraim and D. Malah, IEEE Trans. Acoust. Speech Signal Process. 32 (6), 1984, with
/// a smaller one than theirs, for beginnings of syllables are to come through).
const MEMORY: f32 = 0.8;

/// Largest power over the room's that is told apart: 60 dB.
const LARGEST_RATIO: f32 = 1.0e6;

/// The smallest power of a room, so that nothing is divided by 0.
const SMALLEST: f32 = 1.0e-30;

/// Gains against the late reverberation of a room that decays exponentially.
///
/// In such a room the power that is late at one moment is the power of all sound some time
/// before, lowered by the decay of that time: λ(t) = 10^(−6 T / T60) · P(t − T). The gain
/// is that of magnitude subtraction, 1 − 1/√(1 + ξ), where ξ is the power of the sound over
/// that of the room, smoothed over time by the decision-directed estimate (K. Lebart, J. M.
/// Boucher and P. N. Denbigh, "A New Method Based on Spectral Subtraction for Speech
/// Dereverberation", Acta Acustica 87, 2001).
#[derive(Clone, Debug)]
pub struct Late {
    /// Share of the averaged power that is late.
    share: f32,
    floor: f32,
    averaging: f32,
    average: Vec<f32>,
    /// Averages of the past, as far back as the late sound begins, one after the other.
    past: Vec<f32>,
    oldest: usize,
    /// Power over the room's that the last window had after its gain.
    kept: Vec<f32>,
}

impl Late {
    /// An estimate for windows of `size` frames.
    pub fn new(rate_hz: f64, settings: &Settings, size: usize) -> Self {
        let bins = size / 2 + 1;
        let hop_s = (size / OVERLAP) as f64 / rate_hz;
        let windows = (settings.number("late_after_ms") / 1000.0 / hop_s)
            .round()
            .max(1.0);
        let decay = 10_f64.powf(-6.0 * windows * hop_s / settings.number("decay_s"));
        Self {
            share: (settings.number("amount") * decay) as f32,
            floor: 10_f64.powf(settings.number("floor_db") / 20.0) as f32,
            averaging: (-hop_s / AVERAGE_S).exp() as f32,
            average: vec![0.0; bins],
            past: vec![0.0; bins * windows as usize],
            oldest: 0,
            kept: vec![0.0; bins],
        }
    }

    /// Turns the powers of the next window into gains.
    pub fn gains(&mut self, powers: &mut [f32]) {
        let bins = self.average.len();
        let past = &mut self.past[self.oldest..self.oldest + bins];
        let averages = self.average.iter_mut().zip(past).zip(&mut self.kept);
        for (power, ((average, past), kept)) in powers.iter_mut().zip(averages) {
            let late = self.share * *past;
            *average = *power + self.averaging * (*average - *power);
            *past = *average;
            // Not `f32::max` and `min`, which are calls on WebAssembly.
            let late = if late > SMALLEST { late } else { SMALLEST };
            let ratio = *power / late;
            let ratio = if ratio < LARGEST_RATIO {
                ratio
            } else {
                LARGEST_RATIO
            };
            let over = if ratio > 1.0 { ratio - 1.0 } else { 0.0 };
            let smooth = MEMORY * *kept + (1.0 - MEMORY) * over;
            let gain = 1.0 - 1.0 / (1.0 + smooth).sqrt();
            *kept = gain * gain * ratio;
            *power = if gain > self.floor { gain } else { self.floor };
        }
        self.oldest = (self.oldest + bins) % self.past.len();
    }

    pub fn forget(&mut self) {
        self.average.fill(0.0);
        self.past.fill(0.0);
        self.kept.fill(0.0);
        self.oldest = 0;
    }
}
