#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod rate_converter;

use std::sync::Arc;

use realfft::RealFftPlanner;
pub use realfft::num_complex;
pub use realfft::{ComplexToReal, RealToComplex};

pub use rate_converter::{RateConverter, RateError};

/// The transform of `length` real samples into `length / 2 + 1` bins, not scaled.
#[must_use]
pub fn forward(length: usize) -> Arc<dyn RealToComplex<f32>> {
    RealFftPlanner::new().plan_fft_forward(length)
}

/// The transform of `length / 2 + 1` bins into `length` real samples, not scaled: the forward and inverse transforms together multiply by
/// `length`.
#[must_use]
pub fn inverse(length: usize) -> Arc<dyn ComplexToReal<f32>> {
    RealFftPlanner::new().plan_fft_inverse(length)
}

/// [`forward`] in double precision.
#[must_use]
pub fn forward_f64(length: usize) -> Arc<dyn RealToComplex<f64>> {
    RealFftPlanner::new().plan_fft_forward(length)
}

/// [`inverse`] in double precision.
#[must_use]
pub fn inverse_f64(length: usize) -> Arc<dyn ComplexToReal<f64>> {
    RealFftPlanner::new().plan_fft_inverse(length)
}
