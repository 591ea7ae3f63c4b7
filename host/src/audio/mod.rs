//! Sound as data: blocks, decoding, resampling, spooling and encoding. Nothing here knows of jobs, effects or models.

mod block;
mod decode;
mod decode_error;
mod encode_error;
mod info;
mod mixdown;
#[cfg(feature = "mp3")]
mod mp3_writer;
mod resample;
mod spool;
mod stage;
mod wav_writer;

pub use block::{BLOCK_FRAMES, Block};
pub use decode::{Decoder, probe};
pub use decode_error::DecodeError;
pub use encode_error::EncodeError;
pub use info::{
    AudioInfo, AudioLimits, InputFormat, MAX_CHANNELS, MAX_SAMPLE_RATE_HZ, MIN_SAMPLE_RATE_HZ,
};
pub use mixdown::Mixdown;
#[cfg(feature = "mp3")]
pub use mp3_writer::Mp3Writer;
pub use resample::Resampler;
pub use spool::{Spool, SpoolWriter};
pub use stage::{Stage, StageError};
pub use wav_writer::WavWriter;
