use std::sync::Arc;

use vocalhost_fourier::num_complex::Complex64;
use vocalhost_fourier::{ComplexToReal, inverse_f64};

use super::spectrum::{Transform, mirror_below_fundamental, smooth};
use super::window::{Sound, Stretch, Window};

/// Sharpens what smoothing blurred (Morise 2015, section 3.3).
const RECOVERY: f64 = -0.15;
/// The pitch assumed for unvoiced frames.
const UNPITCHED_HZ: f64 = 500.0;
/// Periods that the window spans.
const PERIODS: f64 = 3.0;

/// Estimates the spectral envelope of a voice ("`CheapTrick`, a spectral envelope estimator for high-quality speech synthesis", Morise
/// 2015): a window of three periods, whose power does not depend on its position, then smoothing over two thirds of the fundamental, and
/// again on the logarithm's own spectrum.
pub(crate) struct Envelopes {
    rate_hz: f64,
    transform: Transform,
    back: Arc<dyn ComplexToReal<f64>>,
    stretch: Stretch,
    power: Vec<f64>,
    integral: Vec<f64>,
    cepstrum: Vec<Complex64>,
    logarithms: Vec<f64>,
    scratch: Vec<Complex64>,
}

impl Envelopes {
    /// For sound at a rate, with transforms of an even `length`. Pitches whose three periods exceed a transform are not followed.
    #[must_use]
    pub(crate) fn new(rate_hz: u32, length: usize) -> Self {
        let back = inverse_f64(length);
        Self {
            rate_hz: f64::from(rate_hz),
            transform: Transform::of(length),
            stretch: Stretch::default(),
            power: Vec::new(),
            integral: Vec::new(),
            cepstrum: Vec::new(),
            logarithms: back.make_output_vec(),
            scratch: back.make_scratch_vec(),
            back,
        }
    }

    /// The lowest pitch whose window fits into the transform.
    #[must_use]
    pub(crate) fn lowest_hz(&self) -> f64 {
        PERIODS * self.rate_hz / (self.transform.length() as f64 - 3.0)
    }

    /// The natural logarithms of the power density at `length / 2 + 1` bins from 0 to half of the rate, around a moment in seconds; a pitch
    /// of 0 means unvoiced.
    pub(crate) fn at(&mut self, samples: &[f32], moment_s: f64, f0_hz: f64) -> &[f64] {
        let f0_hz = if f0_hz <= self.lowest_hz() {
            UNPITCHED_HZ
        } else {
            f0_hz
        };
        let sound = Sound {
            samples,
            rate_hz: self.rate_hz,
        };
        let window = (Window::Hann(PERIODS), true);
        self.stretch.take(sound, window, moment_s, f0_hz);
        self.transform.run(self.stretch.samples.iter().copied());
        self.transform.power(&mut self.power);
        let step_hz = self.rate_hz / self.transform.length() as f64;
        mirror_below_fundamental(&mut self.power, f0_hz, step_hz);
        smooth(
            &mut self.power,
            f0_hz * 2.0 / 3.0,
            step_hz,
            &mut self.integral,
        );
        self.lifter(f0_hz);
        let bins = self.power.len();
        &self.logarithms[..bins]
    }

    /// Smooths the logarithm, and sharpens it again, by weights on its own spectrum.
    fn lifter(&mut self, f0_hz: f64) {
        let last = self.power.len() - 1;
        // Digital silence has no logarithm.
        let logarithm = |power: &f64| (power + f64::EPSILON).ln();
        let there = self.power.iter().map(logarithm);
        let back = self.power[1..last].iter().rev().map(logarithm);
        self.transform.run(there.chain(back));
        let length = self.transform.length() as f64;
        self.cepstrum.clear();
        for (place, bin) in self.transform.bins.iter().enumerate() {
            let periods = place as f64 / self.rate_hz * f0_hz;
            let angle = std::f64::consts::PI * periods;
            let smoothing = if place == 0 { 1.0 } else { angle.sin() / angle };
            let recovery = 1.0 - 2.0 * RECOVERY + 2.0 * RECOVERY * (2.0 * angle).cos();
            let value = bin.re * smoothing * recovery / length;
            self.cepstrum.push(Complex64::new(value, 0.0));
        }
        let done = self.back.process_with_scratch(
            &mut self.cepstrum,
            &mut self.logarithms,
            &mut self.scratch,
        );
        done.expect("the lengths are the plan's own, and nothing is imaginary");
    }
}
