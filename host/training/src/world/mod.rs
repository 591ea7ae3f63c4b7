//! The analysis of a voice at a moment: its spectral envelope, and how much of it is noise. Both are estimated with the help of the pitch,
//! as in the vocoder WORLD ("WORLD: a vocoder-based high-quality speech synthesis system for real-time applications", Morise, Yokomori and
//! Ozawa 2016); the window's length follows the pitch, so that harmonics do not show.

mod envelope;
mod roughness;
mod spectrum;
mod window;

pub(crate) use envelope::Envelopes;
pub(crate) use roughness::Roughness;
