//! Preparation of recordings for training: where they sound, what is wrong with them, and the targets of the network.

mod cut;
mod quality;
mod targets;

pub use cut::{Cut, cut};
pub use quality::{Bandwidth, clipped_samples, signal_to_noise_db, spread_semitones};
pub use targets::{Curves, Targets};
pub(crate) use targets::{LOWEST_GAIN, split};

/// The sample rate at which envelopes are analysed.
pub const ANALYSIS_RATE_HZ: u32 = 32_000;
/// Samples of a frame of 10 ms at that rate.
pub const ANALYSIS_HOP: usize = 320;
