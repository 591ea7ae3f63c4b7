//! Products of matrices with one that never changes.
//!
//! ONNX Runtime keeps the fixed matrix packed and reads the other where it lies; with both packed, and the sums of a whole row
//! kept in registers, a core comes nearer to what it can do. The bias goes into the sums.

mod operator;
mod place;
mod run;
#[cfg(test)]
mod tests;

pub(super) use operator::Product;
pub(super) use place::product_at;
