//! Convolutions of three taps with half of the multiplications.
//!
//! Four neighbouring results of a filter with three taps take twelve multiplications one by one and six in Winograd's way: the six
//! inputs are added up to six others, each is multiplied once with what the filter's taps add up to, and four sums of the
//! products are the results. It is F(4, 3) of A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural
//! Networks" (CVPR 2016), along one axis only: over the rows of an image, whose columns stay three plain taps and may be
//! dilated, or along a line. Along one axis the transforms are sums of whole rows, which is what vector registers do best, and
//! rounding errors stay at a few units of the last place of the largest product.
//!
//! ONNX Runtime's processor has no such convolution. When a graph is loaded for the processor, [`rewritten`] names an operator of
//! ours ([`Convolutions`]) where a convolution fits, and puts the normalisation and the rectifier behind it into it; the package's file
//! stays as it is.

mod filter;
mod graph;
mod lines;
mod operator;
mod product;
mod rewrite;
#[cfg(test)]
mod tests;
mod vector;

pub(super) use operator::domain;
pub(super) use rewrite::rewritten;
