//! From blocks to files that a person would keep.

mod error;
#[cfg(feature = "mp3")]
mod mp3;
mod wav;

pub use error::EncodeError;
#[cfg(feature = "mp3")]
pub use mp3::Mp3Writer;
pub use wav::WavWriter;
