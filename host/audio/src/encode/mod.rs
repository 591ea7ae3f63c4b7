//! From blocks to files that a person would keep.

mod error;
mod flac;
mod format;
#[cfg(feature = "mp3")]
mod mp3;
#[cfg(feature = "mp3")]
mod mp3_tag;
mod opus;
mod wav;

pub use error::EncodeError;
use flac::FlacWriter;
pub use format::{FileFormat, FileWriter};
#[cfg(feature = "mp3")]
pub use mp3::{MP3_DEFAULT_KBPS, MP3_KBPS, Mp3Writer};
use opus::OpusWriter;
pub use wav::{WavSamples, WavWriter};
