//! A first-order filter in transposed direct form II.

use super::constants::SILENCE;
use crate::{Number, Parameter, Planar};

/// The highest cut-off as a share of the sample rate: just under half.
const MAX_CUTOFF_SHARE: f64 = 0.499_99;

/// A first-order filter over any number of channels:
/// `H(z) = b (1 + c z⁻¹) / (1 + a z⁻¹)`.
///
/// The analogue prototypes `s / (s + ω)` and `ω / (s + ω)` go through the bilinear transform,
/// with the cut-off prewarped by `n = tan(π f / rate_hz)` (Julius O. Smith, "Introduction to
/// Digital Filters", bilinear transform). The state is `f64` because at 192 kHz a cut-off of a
/// few hertz puts the pole within 10⁻⁴ of the unit circle.
#[derive(Clone, Debug)]
pub struct FirstOrder {
    feed: f64,
    zero: f64,
    feedback: f64,
    states: Vec<f64>,
}

impl FirstOrder {
    /// The id of [`FirstOrder::cutoff`].
    pub const CUTOFF: &'static str = "cutoff_frequency_hz";

    /// The parameter of an effect that is one such filter.
    #[must_use]
    pub fn cutoff() -> Parameter {
        let hertz = Number::linear(0.0, 99_999.0, 50.0).unit("Hz");
        Parameter::number(Self::CUTOFF, "Cut-off", hertz)
            .summary("Where the sound is 3 dB softer. Limited to just under half the sample rate.")
    }

    /// A high-pass that is 3 dB down at `cutoff_hz`, which is limited to just under half of
    /// `rate_hz`; at 0 Hz it lets everything pass. `b = 1 / (1 + n)`, `c = −1`,
    /// `a = (n − 1) / (n + 1)`.
    #[must_use]
    pub fn high_pass(rate_hz: f64, cutoff_hz: f64, channels: usize) -> Self {
        let n = prewarped(rate_hz, cutoff_hz);
        Self::new(1.0 / (1.0 + n), -1.0, n, channels)
    }

    /// A low-pass that is 3 dB down at `cutoff_hz`, which is limited to just under half of
    /// `rate_hz`; at 0 Hz it lets nothing pass. `b = n / (1 + n)`, `c = 1`,
    /// `a = (n − 1) / (n + 1)`.
    #[must_use]
    pub fn low_pass(rate_hz: f64, cutoff_hz: f64, channels: usize) -> Self {
        let n = prewarped(rate_hz, cutoff_hz);
        Self::new(n / (1.0 + n), 1.0, n, channels)
    }

    fn new(feed: f64, zero: f64, n: f64, channels: usize) -> Self {
        Self {
            feed,
            zero,
            feedback: (n - 1.0) / (n + 1.0),
            states: vec![0.0; channels],
        }
    }

    /// Filters the next frames of all channels in place.
    pub fn process(&mut self, sound: &mut Planar<'_>) {
        if let Some((left, right)) = sound.stereo() {
            self.process_pair(left, right);
            return;
        }
        for (index, channel) in sound.channels().enumerate() {
            self.process_channel(index, channel);
        }
    }

    fn process_channel(&mut self, index: usize, samples: &mut [f32]) {
        let mut state = self.states[index];
        for sample in samples {
            *sample = self.next(&mut state, *sample);
        }
        self.states[index] = state;
    }

    /// Filters channels 0 and 1 in one loop: each sample waits for the one before, so that
    /// two channels at a time cost little more than one.
    fn process_pair(&mut self, left: &mut [f32], right: &mut [f32]) {
        let [mut left_state, mut right_state] = [self.states[0], self.states[1]];
        for (left, right) in left.iter_mut().zip(right) {
            *left = self.next(&mut left_state, *left);
            *right = self.next(&mut right_state, *right);
        }
        self.states[..2].copy_from_slice(&[left_state, right_state]);
    }

    #[inline]
    fn next(&self, state: &mut f64, sample: f32) -> f32 {
        let fed = self.feed * f64::from(sample);
        let out = fed + *state;
        *state = self.zero * fed - self.feedback * out;
        out as f32
    }

    /// Frames until the response has decayed by 120 dB.
    #[must_use]
    pub fn tail_frames(&self) -> u64 {
        let pole = self.feedback.abs();
        if pole >= 1.0 {
            // A cut-off of 0 Hz: a high-pass's pole and zero cancel, a low-pass lets nothing in.
            return 0;
        }
        (SILENCE.ln() / pole.max(SILENCE).ln()).ceil() as u64
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        self.states.fill(0.0);
    }
}

fn prewarped(rate_hz: f64, cutoff_hz: f64) -> f64 {
    let share = (cutoff_hz / rate_hz).clamp(0.0, MAX_CUTOFF_SHARE);
    (std::f64::consts::PI * share).tan()
}
