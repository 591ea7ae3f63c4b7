//! How far each part of a spectrum is turned when its frames are moved apart.

use std::f64::consts::TAU;
use vocalhost_effect::dsp::Spectrum;

/// Bins on each side of a peak that are softer than it: half the width of what one tone
/// occupies under the window.
const PEAK_REACH: usize = 2;

/// The phases of a vocoder with identity phase locking (J. Laroche and M. Dolson,
/// "Improved Phase Vocoder Time-Scale Modification of Audio", IEEE Trans. Speech Audio
/// Process. 7 (3), 1999).
///
/// Every peak goes on with the frequency that its phase shows since the frame before; the
/// bins around it are turned with it. All channels are turned by the same angles, taken
/// from the channel that is loudest there, so that the stereo image stays.
#[derive(Clone, Debug)]
pub struct Rotation {
    size: usize,
    angles: Vec<f64>,
    peaks: Vec<usize>,
}

/// How far apart two frames were taken, and how far apart they are put, in samples.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    pub taken: f64,
    pub put: f64,
}

impl Rotation {
    pub fn new(size: usize) -> Self {
        Self {
            size,
            angles: vec![0.0; size / 2 + 1],
            peaks: Vec::with_capacity(size / 2),
        }
    }

    /// Finds the angles of this frame from the last one's; `powers` is the sum over the
    /// channels, whose spectra are given as (now, before).
    pub fn advance(&mut self, powers: &[f32], channels: &[(&Spectrum, &Spectrum)], steps: Steps) {
        self.find_peaks(powers);
        if self.peaks.is_empty() {
            return;
        }
        let turned: Vec<f64> = self
            .peaks
            .iter()
            .map(|&bin| self.turned(bin, channels, steps))
            .collect();
        let mut start = 0;
        for (index, angle) in turned.into_iter().enumerate() {
            // Half-way to the next peak its influence begins.
            let end = self.peaks.get(index + 1).map_or(self.angles.len(), |next| {
                (self.peaks[index] + next).div_ceil(2)
            });
            self.angles[start..end].fill(angle);
            start = end;
        }
    }

    /// Turns the spectrum of one channel.
    pub fn apply(&self, spectrum: &mut Spectrum) {
        let (mut last, mut sin, mut cos) = (f64::NAN, 0.0, 0.0);
        for (bin, &angle) in self.angles.iter().enumerate() {
            if angle.to_bits() != last.to_bits() {
                let both = angle.sin_cos();
                (sin, cos) = (both.0 as f32, both.1 as f32);
                last = angle;
            }
            let (re, im) = (spectrum.re[bin], spectrum.im[bin]);
            spectrum.re[bin] = re * cos - im * sin;
            spectrum.im[bin] = re * sin + im * cos;
        }
    }

    pub fn forget(&mut self) {
        self.angles.fill(0.0);
    }

    fn find_peaks(&mut self, powers: &[f32]) {
        self.peaks.clear();
        for bin in 0..powers.len() {
            let around = bin.saturating_sub(PEAK_REACH)..(bin + PEAK_REACH + 1).min(powers.len());
            let power = powers[bin];
            // Of equal neighbours the first one counts.
            let highest =
                |other: usize| power > powers[other] || (other >= bin && power >= powers[other]);
            if power > 0.0 && around.into_iter().all(highest) {
                self.peaks.push(bin);
            }
        }
    }

    /// The new angle of a peak.
    fn turned(&self, bin: usize, channels: &[(&Spectrum, &Spectrum)], steps: Steps) -> f64 {
        let power = |spectrum: &Spectrum| spectrum.re[bin].powi(2) + spectrum.im[bin].powi(2);
        let loudest = channels.iter().reduce(|most, one| {
            if power(one.0) > power(most.0) {
                one
            } else {
                most
            }
        });
        let Some((now, before)) = loudest else {
            return 0.0;
        };
        let now = (f64::from(now.re[bin]), f64::from(now.im[bin]));
        let before = (f64::from(before.re[bin]), f64::from(before.im[bin]));
        let moved =
            (now.1 * before.0 - now.0 * before.1).atan2(now.0 * before.0 + now.1 * before.1);
        let expected = TAU * bin as f64 / self.size as f64 * steps.taken;
        let deviation = wrapped(moved - expected);
        wrapped(self.angles[bin] + (expected + deviation) * (steps.put / steps.taken) - moved)
    }
}

/// The same angle between −π and π.
fn wrapped(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}
