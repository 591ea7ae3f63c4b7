//! Building blocks that several effects share.

mod biquad;
mod fft;
mod first_order;
mod follower;
mod power;
mod state_variable;

pub use biquad::{BUTTERWORTH, Biquad, BiquadState, prewarped};
pub use fft::{RealFft, Spectrum};
pub use first_order::FirstOrder;
pub use follower::Follower;
pub use power::power;
pub use state_variable::{Crossover, StateVariable};

/// Level at which a decaying sound counts as gone: −120 dB under full scale.
pub const SILENCE: f64 = 1.0e-6;

/// Frames that effects work on at a time where several passes over a short
/// stretch are faster than one long one: it stays in the first-level cache.
pub const STRETCH_FRAMES: usize = 64;
