//! Voices of RVC: what their packages say, and the pipeline that they were made for.

mod check;
mod cuts;
mod fill;
mod high_pass;
mod plan;
mod protect;
mod recording;
mod seam;
mod sections;
mod voice;

pub(super) use check::voice as check_voice;
pub use sections::{Cuts, Profile, Rvc, RvcVersion, Speaker};
pub(super) use voice::RvcVoice;
