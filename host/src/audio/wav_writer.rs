use std::path::Path;

use super::{Block, EncodeError};

/// Writes a wav file.
pub struct WavWriter {}

impl WavWriter {
    /// Begins a file at `path`.
    pub fn create(path: &Path, channels: usize, sample_rate_hz: u32) -> Result<Self, EncodeError> {
        let _ = (path, channels, sample_rate_hz);
        Ok(Self {})
    }

    /// Appends a block.
    pub fn write(&mut self, block: &Block) -> Result<(), EncodeError> {
        let _ = block;
        Ok(())
    }

    /// Completes the file.
    pub fn finish(self) -> Result<(), EncodeError> {
        Ok(())
    }
}
