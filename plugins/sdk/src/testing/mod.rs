//! Help for the unit tests of effects.
//!
//! [`assert_conforms`] checks the rules of the interface for one set of settings;
//! [`assert_golden`] holds an effect to numbers measured elsewhere.

mod golden;
mod render;
mod rules;

pub use golden::{assert_golden, golden_signal};
pub use render::{config, continue_render, gain_db, level, noise, render};
pub use rules::{
    assert_conforms, assert_cuts_are_inaudible, assert_descriptor_is_sound,
    assert_extremes_stay_finite, assert_reset_forgets, assert_silence_stays_silent,
    assert_tail_is_honest,
};
