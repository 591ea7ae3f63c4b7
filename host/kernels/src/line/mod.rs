//! Convolutions along a line for which ONNX Runtime's processor kernels are slow: those with few outputs, for which it lays out the inputs
//! tap by tap, and gates of one tap, whose halves it writes out one after the other. Here they are products of a filter with the inputs
//! under its taps.

mod filter;
mod operator;
mod place;
mod run;
#[cfg(test)]
mod tests;

pub(super) use operator::LineConvolution;
pub(super) use place::line_at;
