#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod envelope;
mod gradients;
mod graph;
mod optimiser;
mod tape;
#[cfg(test)]
mod tests;
mod world;

pub use envelope::{BANDS, FEATURES, Sizes, Wanted};
pub use graph::Order;
pub use optimiser::{AdamW, Pace};
pub use tape::{Tape, Tensor};
pub use world::{Envelopes, Roughness};
