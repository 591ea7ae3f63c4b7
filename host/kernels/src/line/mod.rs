//! Convolutions along a line that ONNX Runtime's processor is slow at: with few outputs, for which it lays out the inputs tap by tap,
//! and gates of one tap, whose halves it writes out one after the other. They are products of a filter with what lies under its taps.

mod filter;
mod operator;
mod place;
mod run;
#[cfg(test)]
mod tests;

pub(super) use operator::LineConvolution;
pub(super) use place::line_at;
