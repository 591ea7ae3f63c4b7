use std::io;

use crate::info::{MAX_CHANNELS, MAX_SAMPLE_RATE_HZ, MIN_SAMPLE_RATE_HZ};

/// Why a recording is refused, or where it stopped being readable. The messages are fit for clients.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// No bytes, or a well-formed file without a single frame.
    #[error("the file holds no sound")]
    Empty,
    /// The bytes are not one of the accepted formats.
    #[error("the file is {found}; what can be read is wav, webm, mp3 and flac")]
    Format {
        /// What the bytes look like instead.
        found: &'static str,
    },
    /// The number of channels is outside the limits.
    #[error("the file has {found} channels; accepted are 1 to {MAX_CHANNELS}")]
    Channels {
        /// As the header says.
        found: u32,
    },
    /// The sample rate is outside the limits.
    #[error(
        "the sample rate is {found_hz} Hz; accepted are {MIN_SAMPLE_RATE_HZ} to {MAX_SAMPLE_RATE_HZ} Hz"
    )]
    SampleRate {
        /// As the header says.
        found_hz: u32,
    },
    /// The recording is too long, according to its header or as decoding found.
    #[error("the recording is longer than {max_s} s")]
    TooLong {
        /// The limit, in seconds.
        max_s: f64,
    },
    /// The format is accepted but the file cannot be read from the start.
    #[error("the file cannot be decoded: {reason}")]
    Undecodable {
        /// For people.
        reason: String,
    },
    /// The stream is broken; everything before the position could be decoded.
    #[error("the recording is damaged at {at_s:.3} s: {reason}")]
    Damaged {
        /// Position in seconds.
        at_s: f64,
        /// For people.
        reason: String,
    },
    /// The file could not be read.
    #[error("the file cannot be read: {0}")]
    Io(#[from] io::Error),
}

impl DecodeError {
    pub(super) fn undecodable(reason: impl Into<String>) -> Self {
        Self::Undecodable {
            reason: reason.into(),
        }
    }

    /// The limits that hold for every format, checked before anything is allocated for the stream.
    pub(super) fn check_shape(channels: u32, sample_rate_hz: u32) -> Result<(), Self> {
        if channels == 0 || channels as usize > MAX_CHANNELS {
            return Err(Self::Channels { found: channels });
        }
        if !(MIN_SAMPLE_RATE_HZ..=MAX_SAMPLE_RATE_HZ).contains(&sample_rate_hz) {
            return Err(Self::SampleRate {
                found_hz: sample_rate_hz,
            });
        }
        Ok(())
    }
}
