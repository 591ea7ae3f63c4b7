use std::path::Path;

use super::{AudioInfo, AudioLimits, Block, DecodeError};

/// Reads a recording as blocks.
pub struct Decoder {
    info: AudioInfo,
}

impl Decoder {
    /// Opens the recording at `path`.
    pub fn open(path: &Path, limits: &AudioLimits) -> Result<Self, DecodeError> {
        let _ = (path, limits);
        Err(DecodeError::Empty)
    }

    /// What the recording is.
    #[must_use]
    pub fn info(&self) -> &AudioInfo {
        &self.info
    }

    /// The next at most [`super::BLOCK_FRAMES`] frames; none at the end.
    pub fn next_block(&mut self) -> Result<Option<Block>, DecodeError> {
        Ok(None)
    }

    /// How far the blocks given reach, in seconds.
    #[must_use]
    pub fn position_s(&self) -> f64 {
        0.0
    }
}

/// Looks at a recording.
pub fn probe(path: &Path, limits: &AudioLimits) -> Result<AudioInfo, DecodeError> {
    Decoder::open(path, limits).map(|decoder| decoder.info)
}
