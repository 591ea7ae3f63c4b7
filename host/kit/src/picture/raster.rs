use std::path::Path;

use super::canvas::Canvas;
use super::layout::colour;
use crate::KitError;
use crate::spectrogram::SpectrogramMaker;
use vocalhost_audio::{AudioLimits, Decoder};

/// The spectrogram of a recording of `axis_frames` frames and nothing else: from left to right the time, from the
/// bottom to the top the frequency from 0 to half the sample rate, evenly spaced in mel, one pixel for each.
pub fn spectrogram_picture(
    path: &Path,
    axis_frames: u64,
    (width, height): (usize, usize),
    limits: &AudioLimits,
) -> Result<Canvas, KitError> {
    let unreadable = |source| KitError::Decode {
        path: path.to_owned(),
        source,
    };
    let mut decoder = Decoder::open(path, limits).map_err(unreadable)?;
    let (channels, rate) = (decoder.info().channels, decoder.info().sample_rate_hz);
    let mut maker = SpectrogramMaker::new(channels, rate, axis_frames, (width, height));
    while let Some(block) = decoder.next_block().map_err(unreadable)? {
        maker.add(&block);
    }
    let spectrogram = maker.finish();
    let loudest_db = (spectrogram.loudest_db() / 10.0).ceil() * 10.0;
    let mut canvas = Canvas::white(width, height);
    for column in 0..width {
        for row in 0..height {
            let value = spectrogram
                .at(column, row)
                .map_or(f64::NEG_INFINITY, f64::from);
            let place = (column, height - 1 - row);
            canvas.blend(place.0, place.1, colour(value, loudest_db), 255);
        }
    }
    Ok(canvas)
}
