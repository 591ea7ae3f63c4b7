//! Products of matrices with a constant one.
//!
//! ONNX Runtime packs the constant matrix and reads the other in place. With both packed, and the sums of a whole row kept in registers, a
//! core comes closer to its peak performance. The bias is included in the sums.

mod operator;
mod place;
mod run;
#[cfg(test)]
mod tests;

pub(super) use operator::Product;
pub(super) use place::product_at;
