#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod batches;
mod envelope;
mod gradients;
mod graph;
mod means;
mod optimiser;
mod sound;
mod speakers;
mod spread;
mod tape;
#[cfg(test)]
mod tests;
mod world;

pub use batches::{Batch, Batches, CONTENT, Take};
pub use envelope::{BANDS, FEATURES, Sizes};
pub use graph::Order;
pub use means::{Rows, means, reach};
pub use optimiser::{AdamW, Pace};
pub use sound::{
    ANALYSIS_HOP, ANALYSIS_RATE_HZ, Bandwidth, Curves, Cut, Targets, clipped_samples, cut,
    signal_to_noise_db, spread_semitones,
};
pub use speakers::{Apart, Speakers};
pub use spread::Spread;
