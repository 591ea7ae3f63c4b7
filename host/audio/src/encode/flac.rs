use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use vocalhost_flac::{FlacEncoder, FlacError, Form};

use super::EncodeError;
use super::wav::quantise;
use crate::{Block, MAX_CHANNELS};

/// The depth of FLAC files: the same as the WAV files that they replace.
const BITS: u32 = 24;

/// The default of libFLAC's own program; 8 takes three times as long for files that are 2 % smaller.
const LEVEL: u32 = 5;

/// Writes a FLAC file of 24 bits, block by block. A frame that prediction would make larger than its samples holds the
/// samples as they are, so that no sound makes a file much larger than WAV.
pub(super) struct FlacWriter {
    encoder: FlacEncoder<BufWriter<File>>,
    channels: Vec<Vec<i32>>,
    is_empty: bool,
}

impl FlacWriter {
    /// Begins a file at `path`, replacing what is there, for 1 to 8 channels.
    pub fn create(path: &Path, channels: usize, sample_rate_hz: u32) -> Result<Self, EncodeError> {
        if channels == 0 || channels > MAX_CHANNELS {
            return Err(EncodeError::Channels {
                format: "flac",
                channels,
            });
        }
        let form = Form {
            channels,
            bits: BITS,
            sample_rate_hz,
            level: LEVEL,
        };
        let file = BufWriter::with_capacity(1 << 16, File::create(path)?);
        Ok(Self {
            encoder: FlacEncoder::new(file, form)?,
            channels: vec![Vec::new(); channels],
            is_empty: true,
        })
    }

    /// Appends a block.
    ///
    /// # Panics
    /// When the block has another number of channels.
    pub fn write(&mut self, block: &Block) -> Result<(), EncodeError> {
        assert_eq!(
            block.channels(),
            self.channels.len(),
            "a file keeps its channels"
        );
        for (index, steps) in self.channels.iter_mut().enumerate() {
            steps.clear();
            steps.extend(
                block
                    .channel(index)
                    .iter()
                    .map(|sample| quantise(*sample, BITS)),
            );
        }
        self.is_empty &= block.is_empty();
        Ok(self.encoder.write(&self.channels)?)
    }

    /// Completes the header and hands everything to the operating system. A recording of no frames is an error, since 0 in the header means
    /// that the length is unknown.
    pub fn finish(self) -> Result<(), EncodeError> {
        if self.is_empty {
            return Err(EncodeError::Flac("a recording of no frames".to_owned()));
        }
        Ok(self.encoder.finish()?)
    }
}

impl From<FlacError> for EncodeError {
    fn from(error: FlacError) -> Self {
        match error {
            FlacError::Io(error) => Self::Io(error),
            FlacError::Refused(reason) => Self::Flac(reason),
        }
    }
}
