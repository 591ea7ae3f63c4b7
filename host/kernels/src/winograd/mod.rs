//! Convolutions of three taps with half of the multiplications.
//!
//! Four neighbouring results of a filter with three taps take twelve multiplications one by one and six in Winograd's way: the six
//! inputs are added up to six others, each is multiplied once with what the filter's taps add up to, and four sums of the
//! products are the results. It is F(4, 3) of A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural
//! Networks" (CVPR 2016), along one axis only: over the rows of an image, whose columns stay three plain taps and may be
//! dilated, or along a line. Along one axis the transforms are sums of whole rows, which is what vector registers do best, and
//! rounding errors stay at a few units of the last place of the largest product.
//!
//! ONNX Runtime's processor has no such convolution. The normalisation, the rectifier or the gate behind it go into it.

mod filter;
mod lines;
mod operator;
mod place;
mod run;
#[cfg(test)]
mod tests;

pub(super) use operator::Convolution;
pub(super) use place::convolution_at;
