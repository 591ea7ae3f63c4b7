//! Second-order filters that split sound at a frequency.

use std::f64::consts::{PI, SQRT_2};

use super::constants::SILENCE;

/// Cut-offs are limited to this share of the sample rate: the bilinear transform has no
/// room beyond.
const HIGHEST_SHARE: f64 = 0.45;

/// A second-order Butterworth filter whose low-pass, high-pass and all-pass outputs come
/// from the same two states (A. Simper, "Linear Trapezoidal Integrated State Variable
/// Filter", Cytomic, 2013). It runs in `f64`, so that low cut-offs at high rates keep
/// their precision.
#[derive(Clone, Copy, Debug)]
pub struct StateVariable {
    first: f64,
    second: f64,
    third: f64,
    state: [f64; 2],
}

impl StateVariable {
    /// A filter at rest with its 3 dB point at `cutoff_hz`.
    #[must_use]
    pub fn new(rate_hz: f64, cutoff_hz: f64) -> Self {
        let g = (PI * limited(rate_hz, cutoff_hz) / rate_hz).tan();
        let first = 1.0 / (1.0 + g * (g + SQRT_2));
        Self {
            first,
            second: g * first,
            third: g * g * first,
            state: [0.0; 2],
        }
    }

    /// Takes the next sample and returns what lies below and above the cut-off. Low plus
    /// high is not the input; see [`Crossover`].
    #[inline]
    pub fn split(&mut self, sample: f64) -> (f64, f64) {
        let (band, low) = self.step(sample);
        (low, sample - SQRT_2 * band - low)
    }

    /// Takes the next sample and returns it with the phase that a [`Crossover`] at the
    /// same frequency gives to the sum of its bands.
    #[inline]
    pub fn turn(&mut self, sample: f64) -> f64 {
        let (band, _) = self.step(sample);
        sample - 2.0 * SQRT_2 * band
    }

    /// Back to rest.
    pub fn forget(&mut self) {
        self.state = [0.0; 2];
    }

    #[inline]
    fn step(&mut self, sample: f64) -> (f64, f64) {
        let [old_band, old_low] = self.state;
        let rest = sample - old_low;
        let band = self.first * old_band + self.second * rest;
        let low = old_low + self.second * old_band + self.third * rest;
        self.state = [2.0 * band - old_band, 2.0 * low - old_low];
        (band, low)
    }
}

/// Two bands of fourth order whose sum has the same loudness at every frequency.
///
/// Each band is a Butterworth filter twice over; both have the same phase everywhere, so
/// that their sum is the all-pass [`StateVariable::turn`] (S. H. Linkwitz and R. Riley,
/// "Active Crossover Networks for Noncoincident Drivers", J. Audio Eng. Soc. 24 (1), 1976).
#[derive(Clone, Copy, Debug)]
pub struct Crossover {
    both: StateVariable,
    low: StateVariable,
    high: StateVariable,
}

impl Crossover {
    /// A crossover at rest; both bands are 6 dB down at `frequency_hz`.
    #[must_use]
    pub fn new(rate_hz: f64, frequency_hz: f64) -> Self {
        let filter = StateVariable::new(rate_hz, frequency_hz);
        Self {
            both: filter,
            low: filter,
            high: filter,
        }
    }

    /// Takes the next sample and returns its low and high band.
    #[inline]
    pub fn split(&mut self, sample: f64) -> (f64, f64) {
        let (low, high) = self.both.split(sample);
        (self.low.split(low).0, self.high.split(high).1)
    }

    /// Back to rest.
    pub fn forget(&mut self) {
        self.both.forget();
        self.low.forget();
        self.high.forget();
    }

    /// Frames after which a crossover at `frequency_hz` has rung down by 120 dB.
    ///
    /// Its double poles decay with e^(−ωt/√2) · (1 + ωt/√2); the second factor and a
    /// second crossover in a row are covered by doubling the time.
    #[must_use]
    pub fn ringing_frames(rate_hz: f64, frequency_hz: f64) -> u64 {
        let decay_per_s = 2.0 * PI * limited(rate_hz, frequency_hz) / SQRT_2;
        (2.0 * -SILENCE.ln() / decay_per_s * rate_hz).ceil() as u64 + 64
    }
}

fn limited(rate_hz: f64, frequency_hz: f64) -> f64 {
    frequency_hz.min(HIGHEST_SHARE * rate_hz)
}

#[cfg(test)]
mod tests {
    use super::{Crossover, StateVariable};

    /// The gain of `answer`, a response to a click, at a share of the sample rate.
    fn gain(answer: &[f64], share: f64) -> f64 {
        let (mut real, mut imaginary) = (0.0, 0.0);
        for (frame, value) in answer.iter().enumerate() {
            let (sine, cosine) = (std::f64::consts::TAU * share * frame as f64).sin_cos();
            real += value * cosine;
            imaginary += value * sine;
        }
        f64::hypot(real, imaginary)
    }

    fn click(frame: usize) -> f64 {
        if frame == 0 { 1.0 } else { 0.0 }
    }

    #[test]
    fn the_bands_of_a_crossover_sum_flat_and_are_6_db_down_where_they_meet() {
        let mut crossover = Crossover::new(48_000.0, 1_000.0);
        let bands: Vec<(f64, f64)> = (0..20_000).map(|f| crossover.split(click(f))).collect();
        let low: Vec<f64> = bands.iter().map(|band| band.0).collect();
        let high: Vec<f64> = bands.iter().map(|band| band.1).collect();
        let sum: Vec<f64> = bands.iter().map(|band| band.0 + band.1).collect();
        for hz in [20.0, 300.0, 1_000.0, 3_000.0, 20_000.0] {
            assert!((gain(&sum, hz / 48_000.0) - 1.0).abs() < 1e-6, "{hz}");
        }
        assert!((gain(&low, 1.0 / 48.0) - 0.5).abs() < 1e-6);
        assert!((gain(&high, 1.0 / 48.0) - 0.5).abs() < 1e-6);
        // Two octaves away fourth order is 48 dB down.
        assert!((gain(&high, 0.25 / 48.0) - 1.0 / 256.0).abs() < 3e-4);
    }

    #[test]
    fn turning_gives_the_sum_of_the_bands() {
        let mut crossover = Crossover::new(44_100.0, 300.0);
        let mut turned = StateVariable::new(44_100.0, 300.0);
        for frame in 0..5_000 {
            let (low, high) = crossover.split(click(frame));
            assert!((turned.turn(click(frame)) - low - high).abs() < 1e-12);
        }
    }

    #[test]
    fn it_is_silent_when_the_ringing_is_over() {
        let mut crossover = Crossover::new(8_000.0, 50.0);
        let frames = Crossover::ringing_frames(8_000.0, 50.0) as usize;
        let last = (0..=frames).map(|f| crossover.split(click(f))).last();
        let (low, high) = last.expect("there are frames");
        assert!(low.abs() < 1e-6 && high.abs() < 1e-6);
    }
}
