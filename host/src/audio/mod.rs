//! Sound as data: blocks, decoding, resampling, spooling and encoding. Nothing here knows of jobs, effects or models.

mod block;
mod decode;
mod encode;
mod frame_queue;
mod info;
mod mixdown;
mod rate_converter;
mod resample;
mod spool;
mod stage;

pub use block::{BLOCK_FRAMES, Block};
pub use decode::{DecodeError, Decoder, probe};
#[cfg(feature = "mp3")]
pub use encode::Mp3Writer;
pub use encode::{EncodeError, WavWriter};
pub use info::{
    AudioInfo, AudioLimits, InputFormat, MAX_CHANNELS, MAX_SAMPLE_RATE_HZ, MIN_SAMPLE_RATE_HZ,
};
pub use mixdown::Mixdown;
pub use resample::Resampler;
pub use spool::{Spool, SpoolWriter};
pub use stage::{Stage, StageError};
