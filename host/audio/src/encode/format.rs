use std::path::Path;

#[cfg(feature = "mp3")]
use super::Mp3Writer;
use super::{EncodeError, FlacWriter, OpusWriter, WavSamples, WavWriter};
use crate::Block;

/// The formats that a file may be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// WAV.
    Wav(WavSamples),
    /// FLAC of 24 bits.
    Flac,
    /// MP3 of a constant bit rate.
    #[cfg(feature = "mp3")]
    Mp3 {
        /// One of [`super::MP3_KBPS`].
        kbps: u32,
    },
    /// Opus in Ogg.
    Opus {
        /// All channels together; `None` takes 96 kbit/s for each.
        kbps: Option<u32>,
    },
}

/// A file being written.
pub trait FileWriter: Send {
    /// States how many frames will come, before the first one does, for a file that is read while it is written. Formats whose header does
    /// not state the length ignore it.
    fn foretell(&mut self, _frames: u64) -> Result<(), EncodeError> {
        Ok(())
    }

    /// Appends a block, which has as many channels as the file.
    fn write(&mut self, block: &Block) -> Result<(), EncodeError>;

    /// Completes the file.
    fn finish(self: Box<Self>) -> Result<(), EncodeError>;
}

impl FileFormat {
    /// The extension of such files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Wav(_) => "wav",
            Self::Flac => "flac",
            #[cfg(feature = "mp3")]
            Self::Mp3 { .. } => "mp3",
            Self::Opus { .. } => "opus",
        }
    }

    /// Begins a file at `path`, replacing what is there, for 1 or 2 channels of any rate from 8 to 192 kHz.
    pub fn create(
        self,
        path: &Path,
        channels: usize,
        rate_hz: u32,
    ) -> Result<Box<dyn FileWriter>, EncodeError> {
        Ok(match self {
            Self::Wav(samples) => Box::new(WavWriter::create_as(samples, path, channels, rate_hz)?),
            Self::Flac => Box::new(FlacWriter::create(path, channels, rate_hz)?),
            #[cfg(feature = "mp3")]
            Self::Mp3 { kbps } => Box::new(Mp3Writer::create_at(kbps, path, channels, rate_hz)?),
            Self::Opus { kbps } => Box::new(OpusWriter::create(kbps, path, channels, rate_hz)?),
        })
    }
}

/// Gives a writer's own methods to the trait.
macro_rules! file_writer {
    ($($writer:ty),*) => {$(
        impl FileWriter for $writer {
            fn write(&mut self, block: &Block) -> Result<(), EncodeError> {
                <$writer>::write(self, block)
            }

            fn finish(self: Box<Self>) -> Result<(), EncodeError> {
                <$writer>::finish(*self)
            }
        }
    )*};
}

file_writer!(WavWriter, FlacWriter, OpusWriter);

#[cfg(feature = "mp3")]
impl FileWriter for Mp3Writer {
    fn foretell(&mut self, frames: u64) -> Result<(), EncodeError> {
        Self::foretell(self, frames)
    }

    fn write(&mut self, block: &Block) -> Result<(), EncodeError> {
        Self::write(self, block)
    }

    fn finish(self: Box<Self>) -> Result<(), EncodeError> {
        Self::finish(*self)
    }
}
