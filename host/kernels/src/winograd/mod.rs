//! Convolutions of three taps with half of the multiplications.
//!
//! Four neighbouring results of a filter with three taps take twelve multiplications directly and six with Winograd's method: the six
//! inputs are combined into six sums, each is multiplied once by a sum of the filter's taps, and four sums of the products are the results.
//! This is F(4, 3) of A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks" (CVPR 2016), along one axis only: over the
//! rows of an image, whose columns stay three plain taps and may be dilated, or along a line. Along one axis the transforms are sums of
//! whole rows, which suits vector registers, and rounding errors stay within a few units in the last place of the largest product.
//!
//! ONNX Runtime has no such convolution for the processor. A normalisation, rectifier or gate that follows is included.

mod filter;
mod lines;
mod operator;
mod place;
mod run;
#[cfg(test)]
mod tests;

pub(super) use operator::Convolution;
pub(super) use place::convolution_at;
