//! Help for the unit tests of effects.
//!
//! [`assert_conforms`] checks the rules of the interface for one stream and its
//! settings; an effect's tests call it for several. [`render()`] and [`gain_db`] show
//! what the effect does to a signal, [`noise`] makes one, and [`assert_golden`] holds an
//! effect to numbers measured elsewhere.
//!
//! ```
//! # use vocalhost_effect::{Descriptor, Effect, Planar, Settings, Stream, Tail};
//! # struct Nothing;
//! # impl Effect for Nothing {
//! #     fn describe() -> Descriptor {
//! #         Descriptor::new("com.example.nothing", "Nothing", "1.0.0")
//! #     }
//! #     fn new(_stream: &Stream, _settings: &Settings) -> Result<Self, String> {
//! #         Ok(Self)
//! #     }
//! #     fn tail(&self) -> Tail {
//! #         Tail::Frames(0)
//! #     }
//! #     fn process(&mut self, _sound: &mut Planar<'_>) {}
//! #     fn reset(&mut self) {}
//! # }
//! use vocalhost_effect::testing::{assert_conforms, config, noise, render};
//!
//! assert_conforms::<Nothing>(&config(48_000, 2, &[]));
//! let input = [noise(1, 5_000)];
//! assert!(render::<Nothing>(&config(44_100, 1, &[]), &input, &[256]) == input);
//! ```

mod descriptor;
mod first_order;
mod golden;
mod render;
mod rules;

pub use descriptor::assert_descriptor_is_sound;
pub use first_order::{assert_is_first_order, gain_at};
pub use golden::{assert_golden, golden_signal};
pub use render::{config, continue_render, gain_db, level, noise, render};
pub use rules::{
    assert_conforms, assert_cuts_are_inaudible, assert_extremes_stay_finite, assert_reset_forgets,
    assert_silence_stays_silent, assert_tail_is_honest,
};
