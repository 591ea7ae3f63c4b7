//! Building blocks that several effects share.

mod biquad;
mod constants;
mod fft;
mod first_order;
mod follower;
mod power;
mod state_variable;

pub use biquad::{BUTTERWORTH, Biquad, BiquadState, prewarped};
pub use constants::{SILENCE, STRETCH_FRAMES};
pub use fft::{RealFft, Spectrum};
pub use first_order::FirstOrder;
pub use follower::Follower;
pub use power::power;
pub use state_variable::{Crossover, StateVariable};
