//! Before and after, as a picture: waveform and spectrogram of a recording and of what an effect made of it.

mod canvas;
mod layout;
mod raster;
mod waveform;

use std::path::Path;

pub use canvas::Canvas;
pub use layout::{Caption, picture};
pub use raster::spectrogram_picture;

use super::KitError;
use super::levels::Levels;
use super::spectrogram::{Spectrogram, SpectrogramMaker};
use vocalhost_audio::{AudioLimits, Decoder};
use waveform::Waveform;

/// What a picture shows of one recording.
pub struct Portrait {
    waveform: Waveform,
    spectrogram: Spectrogram,
    levels: Levels,
}

impl Portrait {
    /// Looks at the recording at `path` on an axis of `axis_frames` frames, in memory that does not grow with it.
    pub fn of(path: &Path, axis_frames: u64, limits: &AudioLimits) -> Result<Self, KitError> {
        let unreadable = |source| KitError::Decode {
            path: path.to_owned(),
            source,
        };
        let mut decoder = Decoder::open(path, limits).map_err(unreadable)?;
        let (channels, rate) = (decoder.info().channels, decoder.info().sample_rate_hz);
        let mut waveform = Waveform::new(channels, axis_frames, layout::COLUMNS);
        let size = (layout::COLUMNS, layout::SPECTROGRAM_ROWS);
        let mut maker = SpectrogramMaker::new(channels, rate, axis_frames, size);
        let mut levels = Levels::default();
        while let Some(block) = decoder.next_block().map_err(unreadable)? {
            waveform.add(&block);
            maker.add(&block);
            levels.add(&block);
        }
        Ok(Self {
            waveform,
            spectrogram: maker.finish(),
            levels,
        })
    }
}
