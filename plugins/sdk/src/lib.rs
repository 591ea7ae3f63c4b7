//! The SDK for vocalhost effects in Rust.
//!
//! An effect is a type that implements [`Effect`]: it says what it is
//! ([`Effect::describe`]), is made for one stream ([`Effect::new`]) and then
//! changes sound in place ([`Effect::process`]). [`export_effect!`] turns the
//! crate into a WebAssembly component when it is built for `wasm32-wasip2`;
//! built for any other target the same crate is an ordinary library, and
//! [`Running`] drives the effect exactly as a host would, so that its tests and
//! measurements need no WebAssembly.
//!
//! ```
//! use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};
//!
//! struct Gain {
//!     factor: f32,
//! }
//!
//! impl Effect for Gain {
//!     fn describe() -> Descriptor {
//!         Descriptor::new("com.example.gain", "Gain", "1.0.0")
//!             .vendor("example")
//!             .summary("Makes the sound louder or softer.")
//!             .tag("gain")
//!             .parameter(Parameter::number("gain_db", "Gain", Number::linear(-60.0, 24.0, 0.0).unit("dB")))
//!     }
//!
//!     fn new(_stream: &Stream, settings: &Settings) -> Result<Self, String> {
//!         Ok(Self { factor: 10_f64.powf(settings.number("gain_db") / 20.0) as f32 })
//!     }
//!
//!     fn tail(&self) -> Tail {
//!         Tail::Frames(0)
//!     }
//!
//!     fn process(&mut self, sound: &mut Planar<'_>) {
//!         for sample in sound.channels().flatten() {
//!             *sample *= self.factor;
//!         }
//!     }
//!
//!     fn reset(&mut self) {}
//! }
//!
//! vocalhost_effect::export_effect!(Gain);
//! ```
//!
//! [`dsp`] holds building blocks that several built-in effects share, and
//! [`testing`] the rules of the interface as checks for an effect's own tests.

#[doc(hidden)]
pub mod bindings;
mod descriptor;
pub mod dsp;
mod effect;
mod export;
mod planar;
mod running;
mod settings;
pub mod testing;
mod value;

#[doc(hidden)]
pub use export::Component;

pub use bindings::exports::vocalhost::effect::effect::{
    Choice, ChoiceOption, Config, Descriptor, Kind, Layout, Number, Parameter, Preset, Scale,
    Setting, Tail, Value,
};
pub use effect::{Effect, Stream};
pub use planar::Planar;
pub use running::{MAX_SAMPLE, Running};
pub use settings::Settings;
