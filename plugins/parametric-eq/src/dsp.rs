//! A low shelf, four peaks and a high shelf in a row.
//!
//! Each band is a biquad of R. Bristow-Johnson's "Cookbook formulae for audio
//! equalizer biquad filter coefficients" (W3C Working Group Note, 2021): shelves of
//! slope 1 (quality 1/√2), peaks with the quality that is asked for. A band with a
//! gain of 0 dB is left out. Between the bands sound stays in `f64`.

use vocalhost_effect::dsp::{BUTTERWORTH, Biquad, BiquadState, STRETCH_FRAMES};
use vocalhost_effect::{Planar, Settings};

/// The peaks between the shelves, by the beginning of their parameters' ids.
pub const PEAKS: [&str; 4] = ["peak_1", "peak_2", "peak_3", "peak_4"];

/// An equaliser over any number of channels.
#[derive(Clone, Debug)]
pub struct ParametricEq {
    bands: Vec<Biquad>,
    /// For every pair of channels, the states of all bands. An odd last channel has a
    /// silent partner.
    pairs: Vec<Vec<[BiquadState; 2]>>,
    factor: f64,
    tail_frames: u64,
}

impl ParametricEq {
    /// An equaliser with the descriptor's settings.
    #[must_use]
    pub fn for_channels(rate_hz: f64, settings: &Settings, channels: usize) -> Self {
        let mut tail_frames = 0;
        let mut bands = Vec::new();
        let factor = 10_f64.powf(settings.number("output_gain_db") / 20.0);
        let mut loudest = factor.max(1.0);
        for (gain_db, band) in all_bands(rate_hz, settings) {
            if gain_db != 0.0 {
                loudest *= 10_f64.powf(gain_db.max(0.0) / 20.0);
                bands.push(band);
            }
        }
        for band in &bands {
            // What leaves one band goes on ringing in the next ones.
            tail_frames += band.decay_frames(loudest);
        }
        let states = vec![[BiquadState::default(); 2]; bands.len()];
        Self {
            bands,
            pairs: vec![states; channels.div_ceil(2)],
            factor,
            tail_frames,
        }
    }

    /// Filters the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        let frames = sound.frames();
        let mut channels = sound.channels();
        for states in &mut self.pairs {
            let Some(left) = channels.next() else { return };
            let right = channels.next().unwrap_or_default();
            let mut at = 0;
            while at < frames {
                let end = (at + STRETCH_FRAMES).min(frames);
                let right = if right.is_empty() {
                    &mut []
                } else {
                    &mut right[at..end]
                };
                process_pair(
                    &self.bands,
                    self.factor,
                    states,
                    (&mut left[at..end], right),
                );
                at = end;
            }
        }
    }

    /// Frames until the ringing of all bands is over.
    #[must_use]
    pub fn tail_frames(&self) -> u64 {
        self.tail_frames
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        for states in &mut self.pairs {
            states.fill([BiquadState::default(); 2]);
        }
    }
}

/// Every band with its gain in decibels, in the order in which sound passes them.
fn all_bands(rate_hz: f64, settings: &Settings) -> Vec<(f64, Biquad)> {
    let value = |band: &str, what: &str| settings.number(&format!("{band}_{what}"));
    let shelf = |band: &str| (value(band, "frequency_hz"), value(band, "gain_db"));
    let (low_hz, low_db) = shelf("low_shelf");
    let (high_hz, high_db) = shelf("high_shelf");
    let low = Biquad::low_shelf(rate_hz, low_hz, BUTTERWORTH, low_db);
    let high = Biquad::high_shelf(rate_hz, high_hz, BUTTERWORTH, high_db);
    let mut bands = vec![(low_db, low)];
    for peak in PEAKS {
        let gain_db = value(peak, "gain_db");
        let frequency_hz = value(peak, "frequency_hz");
        let band = Biquad::peak(rate_hz, frequency_hz, value(peak, "q"), gain_db);
        bands.push((gain_db, band));
    }
    bands.push((high_db, high));
    bands
}

/// Filters a stretch of one pair of channels; `right` may be empty.
fn process_pair(
    bands: &[Biquad],
    factor: f64,
    states: &mut [[BiquadState; 2]],
    (left, right): (&mut [f32], &mut [f32]),
) {
    let mut stretch = [[0.0_f64; 2]; STRETCH_FRAMES];
    let frames = &mut stretch[..left.len()];
    for (frame, sample) in frames.iter_mut().zip(&*left) {
        frame[0] = f64::from(*sample);
    }
    for (frame, sample) in frames.iter_mut().zip(&*right) {
        frame[1] = f64::from(*sample);
    }
    for (band, state) in bands.iter().zip(states) {
        band.process_pairs(state, frames);
    }
    for (sample, frame) in left.iter_mut().zip(&*frames) {
        *sample = (frame[0] * factor) as f32;
    }
    for (sample, frame) in right.iter_mut().zip(&*frames) {
        *sample = (frame[1] * factor) as f32;
    }
}
