//! Transposed convolutions whose filter is twice as long as their stride.
//!
//! So many results as the stride are sums over two neighbouring inputs: a product of the filter with both, for which nothing has to be
//! laid out but the inputs themselves. ONNX Runtime writes out every input's share of every result, and then adds them up.

mod filter;
mod operator;
mod place;
mod run;
#[cfg(test)]
mod tests;

pub(super) use operator::TransposedConvolution;
pub(super) use place::transposed_at;
