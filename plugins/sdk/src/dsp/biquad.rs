//! Second-order filters.
//!
//! The formulas are those of R. Bristow-Johnson, "Cookbook formulae for audio
//! equalizer biquad filter coefficients" (W3C Working Group Note, 2021). Coefficients
//! and states are `f64`, because low frequencies at 192 kHz put the poles within 10⁻⁴
//! of the unit circle.

use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

use super::constants::SILENCE;

/// The highest filter frequency as a share of the sample rate: just under half.
const MAX_SHARE: f64 = 0.499;

/// The lowest filter frequency as a share of the sample rate: keeps the poles inside
/// the unit circle by far more than the rounding of `f64`.
const MIN_SHARE: f64 = 1.0e-6;

/// The quality of a second-order Butterworth filter.
pub const BUTTERWORTH: f64 = FRAC_1_SQRT_2;

/// The coefficients of H(z) = (b₀ + b₁ z⁻¹ + b₂ z⁻²) / (1 + a₁ z⁻¹ + a₂ z⁻²).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Biquad {
    b0: f64,
    b1: f64,
    b2: f64,
    a1: f64,
    a2: f64,
}

/// What a biquad remembers of one channel (transposed direct form II).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BiquadState {
    first: f64,
    second: f64,
}

/// The cosine and the cookbook's α of a frequency, which is limited to what the
/// sample rate can hold.
fn angle(rate_hz: f64, frequency_hz: f64, quality: f64) -> (f64, f64) {
    let omega = TAU * (frequency_hz / rate_hz).clamp(MIN_SHARE, MAX_SHARE);
    (omega.cos(), omega.sin() / (2.0 * quality))
}

impl Biquad {
    /// Changes nothing.
    pub const IDENTITY: Self = Self {
        b0: 1.0,
        b1: 0.0,
        b2: 0.0,
        a1: 0.0,
        a2: 0.0,
    };

    fn normalised(b: [f64; 3], a: [f64; 3]) -> Self {
        Self {
            b0: b[0] / a[0],
            b1: b[1] / a[0],
            b2: b[2] / a[0],
            a1: a[1] / a[0],
            a2: a[2] / a[0],
        }
    }

    /// Passes what is below `frequency_hz`, 12 dB per octave; the gain at `frequency_hz` is
    /// `quality`.
    #[must_use]
    pub fn low_pass(rate_hz: f64, frequency_hz: f64, quality: f64) -> Self {
        let (cosine, alpha) = angle(rate_hz, frequency_hz, quality);
        let b = (1.0 - cosine) / 2.0;
        let a = [1.0 + alpha, -2.0 * cosine, 1.0 - alpha];
        Self::normalised([b, 2.0 * b, b], a)
    }

    /// Passes what is above `frequency_hz`, 12 dB per octave; the gain at `frequency_hz` is
    /// `quality`.
    #[must_use]
    pub fn high_pass(rate_hz: f64, frequency_hz: f64, quality: f64) -> Self {
        let (cosine, alpha) = angle(rate_hz, frequency_hz, quality);
        let b = f64::midpoint(1.0, cosine);
        let a = [1.0 + alpha, -2.0 * cosine, 1.0 - alpha];
        Self::normalised([b, -2.0 * b, b], a)
    }

    /// Passes what is around `frequency_hz`, where the gain is 1.
    #[must_use]
    pub fn band_pass(rate_hz: f64, frequency_hz: f64, quality: f64) -> Self {
        let (cosine, alpha) = angle(rate_hz, frequency_hz, quality);
        let a = [1.0 + alpha, -2.0 * cosine, 1.0 - alpha];
        Self::normalised([alpha, 0.0, -alpha], a)
    }

    /// Changes the phase alone: by half a turn at `frequency_hz`.
    #[must_use]
    pub fn all_pass(rate_hz: f64, frequency_hz: f64, quality: f64) -> Self {
        let (cosine, alpha) = angle(rate_hz, frequency_hz, quality);
        let a = [1.0 + alpha, -2.0 * cosine, 1.0 - alpha];
        Self::normalised([a[2], a[1], a[0]], a)
    }

    /// Raises or lowers what is around `frequency_hz`, by `gain_db` in the middle.
    #[must_use]
    pub fn peak(rate_hz: f64, frequency_hz: f64, quality: f64, gain_db: f64) -> Self {
        let (cosine, alpha) = angle(rate_hz, frequency_hz, quality);
        let root = 10_f64.powf(gain_db / 40.0);
        Self::normalised(
            [1.0 + alpha * root, -2.0 * cosine, 1.0 - alpha * root],
            [1.0 + alpha / root, -2.0 * cosine, 1.0 - alpha / root],
        )
    }

    /// Raises or lowers what is below `frequency_hz` by `gain_db`; at `frequency_hz` by half
    /// of it.
    #[must_use]
    pub fn low_shelf(rate_hz: f64, frequency_hz: f64, quality: f64, gain_db: f64) -> Self {
        Self::shelf(rate_hz, frequency_hz, quality, (gain_db, 1.0))
    }

    /// Raises or lowers what is above `frequency_hz` by `gain_db`; at `frequency_hz` by half
    /// of it.
    #[must_use]
    pub fn high_shelf(rate_hz: f64, frequency_hz: f64, quality: f64, gain_db: f64) -> Self {
        Self::shelf(rate_hz, frequency_hz, quality, (gain_db, -1.0))
    }

    /// Both shelves: they differ in the sign `side` of every cosine.
    fn shelf(rate_hz: f64, frequency_hz: f64, quality: f64, (gain_db, side): (f64, f64)) -> Self {
        let (cosine, alpha) = angle(rate_hz, frequency_hz, quality);
        let cosine = cosine * side;
        let root = 10_f64.powf(gain_db / 40.0);
        let (plus, minus) = (root + 1.0, root - 1.0);
        let wide = 2.0 * root.sqrt() * alpha;
        Self::normalised(
            [
                root * (plus - minus * cosine + wide),
                side * 2.0 * root * (minus - plus * cosine),
                root * (plus - minus * cosine - wide),
            ],
            [
                plus + minus * cosine + wide,
                side * -2.0 * (minus + plus * cosine),
                plus + minus * cosine - wide,
            ],
        )
    }

    /// Filters one sample.
    #[inline]
    #[must_use]
    pub fn next(&self, state: &mut BiquadState, sample: f64) -> f64 {
        let out = self.b0 * sample + state.first;
        state.first = self.b1 * sample - self.a1 * out + state.second;
        state.second = self.b2 * sample - self.a2 * out;
        out
    }

    /// Filters two channels in one loop: each sample waits for the one before, so that
    /// two channels at a time cost little more than one.
    pub fn process_pairs(&self, states: &mut [BiquadState; 2], frames: &mut [[f64; 2]]) {
        let [mut one, mut two] = *states;
        for [left, right] in frames {
            *left = self.next(&mut one, *left);
            *right = self.next(&mut two, *right);
        }
        *states = [one, two];
    }

    /// The gain at `frequency_hz`, as a factor.
    #[must_use]
    pub fn magnitude(&self, rate_hz: f64, frequency_hz: f64) -> f64 {
        let omega = TAU * frequency_hz / rate_hz;
        let size = |c0: f64, c1: f64, c2: f64| {
            let real = c0 + c1 * omega.cos() + c2 * (2.0 * omega).cos();
            real.hypot(c1 * omega.sin() + c2 * (2.0 * omega).sin())
        };
        size(self.b0, self.b1, self.b2) / size(1.0, self.a1, self.a2)
    }

    /// Frames until ringing that begins at `gain` times full scale has decayed to
    /// [`SILENCE`].
    #[must_use]
    pub fn decay_frames(&self, gain: f64) -> u64 {
        let discriminant = self.a1 * self.a1 / 4.0 - self.a2;
        let radius = if discriminant > 0.0 {
            self.a1.abs() / 2.0 + discriminant.sqrt()
        } else {
            self.a2.abs().sqrt()
        };
        // Two equal poles decay like n rⁿ, for which the margin of e³ makes up.
        let wanted = (SILENCE / gain.max(1.0)).ln() - 3.0;
        (wanted / radius.clamp(SILENCE, 1.0 - f64::EPSILON).ln()).ceil() as u64 + 2
    }
}

/// The prewarped frequency tan(π f / rate) of the bilinear transform, for `frequency_hz`
/// limited to what the sample rate can hold.
#[must_use]
pub fn prewarped(rate_hz: f64, frequency_hz: f64) -> f64 {
    (PI * (frequency_hz / rate_hz).clamp(MIN_SHARE, MAX_SHARE)).tan()
}

#[cfg(test)]
mod tests {
    use super::{BUTTERWORTH, Biquad, BiquadState};

    const RATE_HZ: f64 = 48_000.0;

    fn db(factor: f64) -> f64 {
        20.0 * factor.log10()
    }

    fn gain_db(filter: &Biquad, frequency_hz: f64) -> f64 {
        db(filter.magnitude(RATE_HZ, frequency_hz))
    }

    #[test]
    fn filters_have_the_gain_that_they_are_named_for() {
        for frequency_hz in [30.0, 1_000.0, 15_000.0] {
            let low = Biquad::low_pass(RATE_HZ, frequency_hz, BUTTERWORTH);
            let high = Biquad::high_pass(RATE_HZ, frequency_hz, BUTTERWORTH);
            let band = Biquad::band_pass(RATE_HZ, frequency_hz, 2.0);
            let peak = Biquad::peak(RATE_HZ, frequency_hz, 2.0, 9.0);
            let low_shelf = Biquad::low_shelf(RATE_HZ, frequency_hz, BUTTERWORTH, 9.0);
            let high_shelf = Biquad::high_shelf(RATE_HZ, frequency_hz, BUTTERWORTH, 9.0);
            for (gain_db, expected_db) in [
                (gain_db(&low, frequency_hz), -3.0103),
                (gain_db(&low, 0.0), 0.0),
                (gain_db(&high, frequency_hz), -3.0103),
                (gain_db(&high, 24_000.0), 0.0),
                (gain_db(&band, frequency_hz), 0.0),
                (gain_db(&peak, frequency_hz), 9.0),
                (gain_db(&peak, 0.0), 0.0),
                (gain_db(&low_shelf, 0.0), 9.0),
                (gain_db(&low_shelf, frequency_hz), 4.5),
                (gain_db(&low_shelf, 24_000.0), 0.0),
                (gain_db(&high_shelf, 24_000.0), 9.0),
                (gain_db(&high_shelf, frequency_hz), 4.5),
                (gain_db(&high_shelf, 0.0), 0.0),
            ] {
                assert!((gain_db - expected_db).abs() < 1e-3, "{gain_db}");
            }
        }
    }

    #[test]
    fn a_filter_sounds_as_its_magnitude_says() {
        let filter = Biquad::peak(RATE_HZ, 2_000.0, 3.0, -12.0);
        let mut state = BiquadState::default();
        let (mut real, mut imaginary) = (0.0, 0.0);
        let step = std::f64::consts::TAU * 1_500.0 / RATE_HZ;
        for frame in 0..20_000 {
            let out = filter.next(&mut state, if frame == 0 { 1.0 } else { 0.0 });
            real += out * (step * f64::from(frame)).cos();
            imaginary += out * (step * f64::from(frame)).sin();
        }
        let magnitude = filter.magnitude(RATE_HZ, 1_500.0);
        assert!((real.hypot(imaginary) - magnitude).abs() < 1e-9);
    }

    #[test]
    fn ringing_is_over_when_the_decay_is() {
        for filter in [
            Biquad::peak(RATE_HZ, 60.0, 20.0, 24.0),
            Biquad::low_pass(RATE_HZ, 500.0, 0.5),
            Biquad::low_shelf(RATE_HZ, 100.0, 0.2, -24.0),
        ] {
            let frames = filter.decay_frames(1.0);
            let mut state = BiquadState::default();
            let mut out = filter.next(&mut state, 1.0);
            for _ in 0..frames {
                out = filter.next(&mut state, 0.0);
            }
            assert!(out.abs() < 1e-6, "{out} after {frames}");
        }
    }
}
