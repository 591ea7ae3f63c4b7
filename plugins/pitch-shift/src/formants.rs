//! The envelope of a spectrum, and keeping it in place.

use vocalhost_effect::dsp::{RealFft, Spectrum};

/// Periods of voices, in seconds: 500 Hz to 70 Hz.
const PERIODS_S: (f64, f64) = (1.0 / 500.0, 1.0 / 70.0);

/// What changes faster along the spectrum than this share of the voice's period is
/// harmonics and not envelope.
const ENVELOPE_SHARE: usize = 2;

/// How often the envelope is lifted onto the harmonics.
const ROUNDS: usize = 4;

/// Depth below the loudest bin at which the envelope ends: e^(−9) is −78 dB.
const DEPTH: f32 = 9.0;

/// Largest change of a bin, as a logarithm: 30 dB.
const LARGEST_CHANGE: f32 = 3.45;

/// The true envelope of spectra of one size: a smoothed logarithm by the cepstrum, laid
/// onto the peaks by repeating with the larger of spectrum and envelope (A. Röbel and
/// X. Rodet, "Efficient Spectral Envelope Estimation and its Application to Pitch
/// Shifting and Envelope Preservation", Digital Audio Effects, 2005).
#[derive(Clone, Debug)]
pub struct Formants {
    fft: RealFft,
    /// Shortest and longest period of a voice, in samples.
    periods: (usize, usize),
    logarithms: Vec<f32>,
    work: Spectrum,
    cepstrum: Vec<f32>,
}

impl Formants {
    pub fn new(rate_hz: f64, size: usize) -> Self {
        let fft = RealFft::new(size);
        let bins = fft.bins();
        Self {
            fft,
            periods: (
                ((PERIODS_S.0 * rate_hz) as usize).max(4),
                ((PERIODS_S.1 * rate_hz) as usize).min(size / 2),
            ),
            logarithms: vec![0.0; bins],
            work: Spectrum::silent(bins),
            cepstrum: vec![0.0; size],
        }
    }

    /// Writes the gains that each bin needs so that, moved from `bin` to `bin * ratio`, it
    /// has the envelope of the place where it lands. `powers` has a sound in it.
    pub fn gains(&mut self, powers: &[f32], ratio: f64, gains: &mut [f32]) {
        for (logarithm, power) in self.logarithms.iter_mut().zip(powers) {
            *logarithm = 0.5 * power.max(f32::MIN_POSITIVE).ln();
        }
        let loudest = self
            .logarithms
            .iter()
            .fold(f32::MIN, |most, &l| most.max(l));
        for logarithm in &mut self.logarithms {
            *logarithm = logarithm.max(loudest - DEPTH);
        }
        self.work.re.copy_from_slice(&self.logarithms);
        let kept = self.period() / ENVELOPE_SHARE;
        for _ in 0..ROUNDS {
            self.smooth(kept);
            for (envelope, logarithm) in self.work.re.iter_mut().zip(&self.logarithms) {
                *envelope = envelope.max(*logarithm);
            }
        }
        self.smooth(kept);
        let envelope = &self.work.re;
        for (bin, gain) in gains.iter_mut().enumerate() {
            let place = (bin as f64 * ratio).min((envelope.len() - 1) as f64);
            let below = (place as usize).min(envelope.len() - 2);
            let share = (place - below as f64) as f32;
            let there = envelope[below] + share * (envelope[below + 1] - envelope[below]);
            let change = (there - envelope[bin]).clamp(-LARGEST_CHANGE, LARGEST_CHANGE);
            *gain = change.exp();
        }
    }

    /// The period of the voice whose logarithms lie in `work`, where the cepstrum peaks
    /// (A. M. Noll, "Cepstrum Pitch Determination", J. Acoust. Soc. Am. 41, 1967).
    fn period(&mut self) -> usize {
        self.work.im.fill(0.0);
        self.fft.inverse(&self.work, &mut self.cepstrum);
        let (shortest, longest) = self.periods;
        let highest = |best: usize, place: usize| {
            if self.cepstrum[place] > self.cepstrum[best] {
                place
            } else {
                best
            }
        };
        (shortest..longest).fold(shortest, highest)
    }

    /// Takes out of the logarithms in `work` all but the first `kept` of the cepstrum.
    fn smooth(&mut self, kept: usize) {
        self.work.im.fill(0.0);
        self.fft.inverse(&self.work, &mut self.cepstrum);
        let size = self.cepstrum.len();
        // The last of what is kept counts half, which softens the edge.
        self.cepstrum[kept] *= 0.5;
        self.cepstrum[size - kept] *= 0.5;
        self.cepstrum[kept + 1..size - kept].fill(0.0);
        self.fft.forward(&self.cepstrum, &mut self.work);
    }
}
