//! Transposed convolutions whose filter is twice as long as their stride.
//!
//! Each group of results, as many as the stride, is a sum over two neighbouring inputs: a product of the filter with both, which needs no
//! other layout than the inputs themselves. ONNX Runtime writes out every input's contribution to every result, and then adds them up.

mod filter;
mod operator;
mod place;
mod run;
#[cfg(test)]
mod tests;

pub(super) use operator::TransposedConvolution;
pub(super) use place::transposed_at;
