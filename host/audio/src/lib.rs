#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod block;
mod decode;
mod encode;
mod frame_queue;
mod info;
mod loudness;
mod mixdown;
mod peaks;
mod resample;
mod speakers;
mod spool;
mod stage;
mod true_peak;

pub use block::{BLOCK_FRAMES, Block};
pub use decode::{DecodeError, Decoder, Finding, FindingKind, Probed, format_of, probe};
pub use encode::{EncodeError, FileFormat, FileWriter, WavSamples, WavWriter};
#[cfg(feature = "mp3")]
pub use encode::{MP3_DEFAULT_KBPS, MP3_KBPS, Mp3Writer};
pub use info::{AudioInfo, AudioLimits, InputFormat, MAX_CHANNELS};
pub use loudness::{Loudness, LoudnessMeter};
pub use mixdown::{FlipSecond, Lost, Mixdown};
pub use peaks::{PeakMeter, Peaks};
pub use resample::Resampler;
pub use spool::{Spool, SpoolWriter};
pub use stage::{Stage, StageError};
