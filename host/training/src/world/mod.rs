//! What a voice's sound is made of at a moment: the envelope of its spectrum, and how much of it is noise. Both are estimated with the
//! pitch at hand, as the vocoder WORLD does ("WORLD: a vocoder-based high-quality speech synthesis system for real-time applications",
//! Morise, Yokomori and Ozawa 2016); the window's length follows the pitch, so that harmonics do not show.

mod envelope;
mod roughness;
mod spectrum;
mod window;

pub(crate) use envelope::Envelopes;
pub(crate) use roughness::Roughness;
