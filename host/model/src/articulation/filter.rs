use std::sync::Arc;

use vocalhost_fourier::num_complex::Complex32;
use vocalhost_fourier::{ComplexToReal, RealToComplex, forward, inverse};

/// Hops in a window of the Fourier transform: 32 ms.
pub(super) const HOPS: usize = 4;

/// Multiplies the spectra of windows and adds them up a hop apart. With factors of 1 the sum is the original sound.
pub(super) struct Filter {
    transform: Transform,
    inverse: Arc<dyn ComplexToReal<f32>>,
    samples: Vec<f32>,
}

/// The spectrum of a window, weighted by the square root of a periodic Hann window.
pub(super) struct Transform {
    forward: Arc<dyn RealToComplex<f32>>,
    window: Vec<f32>,
    samples: Vec<f32>,
    bins: Vec<Complex32>,
}

impl Transform {
    pub(super) fn new(size: usize) -> Self {
        let forward = forward(size);
        let turn = |place: usize| std::f64::consts::PI * place as f64 / size as f64;
        Self {
            bins: forward.make_output_vec(),
            forward,
            window: (0..size).map(|place| turn(place).sin() as f32).collect(),
            samples: Vec::with_capacity(size),
        }
    }

    /// Samples of a window.
    pub(super) fn size(&self) -> usize {
        self.window.len()
    }

    /// The spectrum of one window's samples.
    pub(super) fn of(&mut self, samples: &[f32]) -> &mut [Complex32] {
        let windowed = samples.iter().zip(&self.window);
        self.samples.clear();
        self.samples
            .extend(windowed.map(|(sample, window)| sample * window));
        self.forward
            .process(&mut self.samples, &mut self.bins)
            .expect("the buffers have the transform's lengths");
        &mut self.bins
    }
}

impl Filter {
    pub(super) fn new(size: usize) -> Self {
        Self {
            transform: Transform::new(size),
            inverse: inverse(size),
            samples: vec![0.0; size],
        }
    }

    /// Samples of a window.
    pub(super) fn size(&self) -> usize {
        self.transform.size()
    }

    /// Multiplies a window's spectrum and adds the result to a sum.
    pub(super) fn add(&mut self, samples: &[f32], factors: &[f32], sum: &mut [f32]) {
        let bins = self.transform.of(samples);
        for (bin, factor) in bins.iter_mut().zip(factors) {
            *bin *= factor;
        }
        self.inverse
            .process(bins, &mut self.samples)
            .expect("the buffers have the transform's lengths");
        // Forward and inverse transform multiply by the length, and the windows' squares add up to half their number.
        let scale = 2.0 / (HOPS * self.size()) as f32;
        let windowed = self.samples.iter().zip(&self.transform.window);
        for (sum, (sample, window)) in sum.iter_mut().zip(windowed) {
            *sum += sample * window * scale;
        }
    }
}
