use std::io;

use crate::StageError;

/// Why a result could not be written.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The format cannot hold that many channels.
    #[error("{format} cannot hold {channels} channels")]
    Channels {
        /// "wav", "flac", "mp3" or "opus".
        format: &'static str,
        /// As asked for.
        channels: usize,
    },
    /// The sound does not fit into the sizes of the format.
    #[error("the recording is too large for a {format} file")]
    TooLarge {
        /// "wav", "flac", "mp3" or "opus".
        format: &'static str,
    },
    /// LAME refused its settings or the sound.
    #[error("the MP3 encoder failed: {0}")]
    Mp3(String),
    /// The FLAC encoder refused the sound.
    #[error("the FLAC encoder failed: {0}")]
    Flac(String),
    /// The Opus encoder refused the sound.
    #[error("the Opus encoder failed: {0}")]
    Opus(String),
    /// The sound could not be brought to a rate of the format.
    #[error(transparent)]
    Resample(#[from] StageError),
    /// The file could not be written.
    #[error("the file cannot be written: {0}")]
    Io(#[from] io::Error),
}
