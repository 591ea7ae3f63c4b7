use std::io;

use crate::audio::StageError;

/// Why a result could not be written.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The format cannot hold that many channels.
    #[error("{format} cannot hold {channels} channels")]
    Channels {
        /// "wav" or "mp3".
        format: &'static str,
        /// As asked for.
        channels: usize,
    },
    /// The sound does not fit into the sizes of the format.
    #[error("the recording is too large for a {format} file")]
    TooLarge {
        /// "wav" or "mp3".
        format: &'static str,
    },
    /// LAME refused its settings or the sound.
    #[error("the MP3 encoder failed: {0}")]
    Mp3(String),
    /// The sound could not be brought to a rate of the format.
    #[error(transparent)]
    Resample(#[from] StageError),
    /// The file could not be written.
    #[error("the file cannot be written: {0}")]
    Io(#[from] io::Error),
}
