//! The Fourier transform of real signals.

use std::f64::consts::TAU;

/// The lower half of the spectrum of a real signal: bins from 0 to half of the size.
///
/// Real and imaginary parts lie apart, so that loops over bins become vector code.
#[derive(Clone, Debug)]
pub struct Spectrum {
    /// Real parts.
    pub re: Vec<f32>,
    /// Imaginary parts; those of the first and last bin are 0.
    pub im: Vec<f32>,
}

impl Spectrum {
    /// `bins` empty bins.
    #[must_use]
    pub fn silent(bins: usize) -> Self {
        Self {
            re: vec![0.0; bins],
            im: vec![0.0; bins],
        }
    }
}

/// Transforms of one size, with their tables and memory.
///
/// Radix-2 decimation in time, the first two stages in one, on the samples taken as
/// complex numbers two by two (J. W. Cooley and J. W. Tukey, Math. Comput. 19, 1965; for
/// real signals W. H. Press et al., *Numerical Recipes*, "FFT of real functions").
#[derive(Clone, Debug)]
pub struct RealFft {
    size: usize,
    /// Where each complex number goes: its index with the bits in reverse order.
    reversed: Vec<u32>,
    /// Cosines and sines of every stage from the third on, one stage after the other.
    stage_cos: Vec<f32>,
    stage_sin: Vec<f32>,
    /// Cosines and sines that join the two halves of a real signal.
    join_cos: Vec<f32>,
    join_sin: Vec<f32>,
    re: Vec<f32>,
    im: Vec<f32>,
}

impl RealFft {
    /// Transforms of `size` samples.
    ///
    /// # Panics
    /// When the size is not a power of two from 8 on.
    #[must_use]
    pub fn new(size: usize) -> Self {
        assert!(size >= 8 && size.is_power_of_two(), "a power of two from 8");
        let half = size / 2;
        let bits = half.trailing_zeros();
        let (mut stage_cos, mut stage_sin) = (Vec::new(), Vec::new());
        let mut wing = 4;
        while wing < half {
            let angles = (0..wing).map(|index| TAU * index as f64 / (2 * wing) as f64);
            stage_cos.extend(angles.clone().map(|angle| angle.cos() as f32));
            stage_sin.extend(angles.map(|angle| angle.sin() as f32));
            wing *= 2;
        }
        let angles = (0..=half).map(|index| TAU * index as f64 / size as f64);
        Self {
            size,
            reversed: (0..half as u32)
                .map(|index| index.reverse_bits() >> (32 - bits))
                .collect(),
            stage_cos,
            stage_sin,
            join_cos: angles.clone().map(|angle| angle.cos() as f32).collect(),
            join_sin: angles.map(|angle| angle.sin() as f32).collect(),
            re: vec![0.0; half],
            im: vec![0.0; half],
        }
    }

    /// Samples that go into one transform.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Bins that come out: half of the size and one.
    #[must_use]
    pub fn bins(&self) -> usize {
        self.size / 2 + 1
    }

    /// The spectrum Σ xₙ e^(−2πikn/size) of `samples`.
    ///
    /// # Panics
    /// When samples or bins are too few.
    pub fn forward(&mut self, samples: &[f32], spectrum: &mut Spectrum) {
        let pairs = samples[..self.size].chunks_exact(2);
        for (pair, &place) in pairs.zip(&self.reversed) {
            self.re[place as usize] = pair[0];
            self.im[place as usize] = pair[1];
        }
        self.transform();
        let half = self.size / 2;
        let (re, im) = (&self.re[..half], &self.im[..half]);
        for (bin, value) in [(0, re[0] + im[0]), (half, re[0] - im[0])] {
            (spectrum.re[bin], spectrum.im[bin]) = (value, 0.0);
        }
        let out = spectrum.re[1..half]
            .iter_mut()
            .zip(&mut spectrum.im[1..half]);
        let low = re[1..].iter().zip(&im[1..]);
        let high = re[1..].iter().rev().zip(im[1..].iter().rev());
        let turns = self.join_cos[1..half].iter().zip(&self.join_sin[1..half]);
        for ((out, turn), (low, high)) in out.zip(turns).zip(low.zip(high)) {
            let even = (low.0 + high.0, low.1 - high.1);
            let odd = (low.1 + high.1, high.0 - low.0);
            let (cos, sin) = turn;
            *out.0 = 0.5 * (even.0 + cos * odd.0 + sin * odd.1);
            *out.1 = 0.5 * (even.1 + cos * odd.1 - sin * odd.0);
        }
    }

    /// The samples whose spectrum this is: `forward` undone.
    ///
    /// # Panics
    /// When samples or bins are too few.
    pub fn inverse(&mut self, spectrum: &Spectrum, samples: &mut [f32]) {
        let half = self.size / 2;
        for bin in 0..half {
            let mirror = half - bin;
            let (re, im) = (&spectrum.re, &spectrum.im);
            let even = (re[bin] + re[mirror], im[bin] - im[mirror]);
            let apart = (re[bin] - re[mirror], im[bin] + im[mirror]);
            let (cos, sin) = (self.join_cos[bin], self.join_sin[bin]);
            let odd = (cos * apart.0 - sin * apart.1, cos * apart.1 + sin * apart.0);
            let place = self.reversed[bin] as usize;
            // With real and imaginary parts swapped, the same transform is the inverse.
            self.re[place] = even.1 + odd.0;
            self.im[place] = even.0 - odd.1;
        }
        self.transform();
        let scale = 1.0 / self.size as f32;
        let pairs = samples[..self.size].chunks_exact_mut(2);
        for (pair, (re, im)) in pairs.zip(self.re.iter().zip(&self.im)) {
            pair[0] = im * scale;
            pair[1] = re * scale;
        }
    }

    /// The complex transform of what lies in reversed order in the memory.
    fn transform(&mut self) {
        for (re, im) in self.re.chunks_exact_mut(4).zip(self.im.chunks_exact_mut(4)) {
            let (sum_re, sum_im) = (re[0] + re[1], im[0] + im[1]);
            let (gap_re, gap_im) = (re[0] - re[1], im[0] - im[1]);
            let (next_re, next_im) = (re[2] + re[3], im[2] + im[3]);
            let (turn_re, turn_im) = (im[2] - im[3], re[3] - re[2]);
            re[0] = sum_re + next_re;
            re[1] = gap_re + turn_re;
            re[2] = sum_re - next_re;
            re[3] = gap_re - turn_re;
            im[0] = sum_im + next_im;
            im[1] = gap_im + turn_im;
            im[2] = sum_im - next_im;
            im[3] = gap_im - turn_im;
        }
        let mut wing = 4;
        while wing < self.re.len() {
            let table = wing - 4..2 * wing - 4;
            let (cos, sin) = (&self.stage_cos[table.clone()], &self.stage_sin[table]);
            let groups = self.re.chunks_exact_mut(2 * wing);
            for (re, im) in groups.zip(self.im.chunks_exact_mut(2 * wing)) {
                butterflies(re.split_at_mut(wing), im.split_at_mut(wing), (cos, sin));
            }
            wing *= 2;
        }
    }
}

/// One group of a stage: the upper wing, turned, is added to and taken from the lower.
fn butterflies(
    (low_re, high_re): (&mut [f32], &mut [f32]),
    (low_im, high_im): (&mut [f32], &mut [f32]),
    (cos, sin): (&[f32], &[f32]),
) {
    let wing = cos.len();
    let (low_re, high_re) = (&mut low_re[..wing], &mut high_re[..wing]);
    let (low_im, high_im) = (&mut low_im[..wing], &mut high_im[..wing]);
    let sin = &sin[..wing];
    for index in 0..wing {
        let re = high_re[index] * cos[index] + high_im[index] * sin[index];
        let im = high_im[index] * cos[index] - high_re[index] * sin[index];
        high_re[index] = low_re[index] - re;
        high_im[index] = low_im[index] - im;
        low_re[index] += re;
        low_im[index] += im;
    }
}

#[cfg(test)]
mod tests {
    use super::{RealFft, Spectrum};
    use crate::testing::noise;

    #[test]
    fn it_agrees_with_the_sum_that_defines_it() {
        for size in [8, 16, 64, 1024] {
            let samples = noise(size as u32, size);
            let mut fft = RealFft::new(size);
            let mut spectrum = Spectrum::silent(fft.bins());
            fft.forward(&samples, &mut spectrum);
            for bin in 0..fft.bins() {
                let (mut re, mut im) = (0.0, 0.0);
                for (index, &sample) in samples.iter().enumerate() {
                    let turns = (bin * index % size) as f64 / size as f64;
                    let (sin, cos) = (std::f64::consts::TAU * turns).sin_cos();
                    re += f64::from(sample) * cos;
                    im -= f64::from(sample) * sin;
                }
                let error = f64::hypot(
                    re - f64::from(spectrum.re[bin]),
                    im - f64::from(spectrum.im[bin]),
                );
                assert!(error < 1e-6 * size as f64, "{size}, {bin}: {error}");
            }
        }
    }

    #[test]
    fn the_inverse_gives_the_samples_back() {
        for size in [8, 32, 4096, 16_384] {
            let samples = noise(3, size);
            let mut fft = RealFft::new(size);
            let mut spectrum = Spectrum::silent(fft.bins());
            let mut back = vec![0.0; size];
            fft.forward(&samples, &mut spectrum);
            fft.inverse(&spectrum, &mut back);
            for (one, other) in samples.iter().zip(&back) {
                assert!((one - other).abs() < 1e-6, "{size}");
            }
        }
    }

    #[test]
    fn silence_gives_exact_zeros() {
        let mut fft = RealFft::new(64);
        let mut spectrum = Spectrum::silent(fft.bins());
        fft.forward(&[0.0; 64], &mut spectrum);
        let mut back = [1.0; 64];
        fft.inverse(&spectrum, &mut back);
        assert!(back.iter().all(|&sample| sample == 0.0));
    }
}
