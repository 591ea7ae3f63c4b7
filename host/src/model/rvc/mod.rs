//! Voices of RVC as their owners have them: what their packages say, and the pipeline that they were made for.

mod check;
mod sections;

pub(super) use check::voice;
pub use sections::{Cuts, Profile, Rvc, RvcVersion, Speaker};
