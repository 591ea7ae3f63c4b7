//! A feed-forward compressor on each of three bands.
//!
//! Fourth-order Linkwitz-Riley crossovers split the sound (S. H. Linkwitz and R. Riley,
//! "Active Crossover Networks for Noncoincident Drivers", J. Audio Eng. Soc. 24 (1),
//! 1976); where nothing is compressed the bands sum to an all-pass, flat in magnitude.
//! The level of a band is the magnitude of its loudest channel, smoothed by attack and
//! release, so that all channels get the same gain and the stereo image stands still.
//! Above the threshold t a level e gets the gain (e / t)^(1/ratio − 1) (D. Giannoulis,
//! M. Massberg and J. D. Reiss, "Digital Dynamic Range Compressor Design", J. Audio Eng.
//! Soc. 60 (6), 2012, with hard knee and linear-domain detection).

use crate::BANDS;
use crate::bands::{Bands, Stretches};
use vocalhost_effect::dsp::{Crossover, Follower, STRETCH_FRAMES, power};
use vocalhost_effect::{Planar, Settings};

/// A multiband compressor over any number of channels.
#[derive(Clone, Debug)]
pub struct MultibandCompressor {
    splits: Vec<Bands>,
    reducers: [Reducer; 3],
    /// Room for one stretch of the bands of every channel.
    bands: Vec<Stretches>,
    ringing_frames: u64,
}

/// The compressor of one band.
#[derive(Clone, Copy, Debug)]
struct Reducer {
    threshold: f32,
    per_threshold: f32,
    exponent: f32,
    gain: f32,
    envelope: Follower,
}

impl MultibandCompressor {
    /// A compressor with the descriptor's settings.
    #[must_use]
    pub fn for_channels(rate_hz: f64, settings: &Settings, channels: usize) -> Self {
        let low_hz = settings.number("low_crossover_hz");
        let high_hz = settings.number("high_crossover_hz");
        Self {
            splits: vec![Bands::new(rate_hz, low_hz, high_hz); channels],
            reducers: BANDS.map(|(band, ..)| Reducer::new(rate_hz, settings, band)),
            bands: vec![[[0.0; STRETCH_FRAMES]; 3]; channels],
            ringing_frames: Crossover::ringing_frames(rate_hz, low_hz)
                + Crossover::ringing_frames(rate_hz, high_hz),
        }
    }

    /// For how long sound goes on after the input.
    #[must_use]
    pub fn ringing_frames(&self) -> u64 {
        self.ringing_frames
    }

    /// Compresses the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        let mut gains: Stretches = [[0.0; STRETCH_FRAMES]; 3];
        for at in (0..sound.frames()).step_by(STRETCH_FRAMES) {
            let frames = STRETCH_FRAMES.min(sound.frames() - at);
            let channels = self.splits.iter_mut().zip(&mut self.bands);
            for ((split, bands), channel) in channels.zip(sound.channels()) {
                split.split(&channel[at..at + frames], bands);
            }
            for (index, (reducer, gains)) in self.reducers.iter_mut().zip(&mut gains).enumerate() {
                gains.fill(0.0);
                for bands in &self.bands {
                    for (level, sample) in gains[..frames].iter_mut().zip(&bands[index]) {
                        let magnitude = sample.abs();
                        // Not `f32::max`, which is a call on WebAssembly.
                        *level = if magnitude > *level {
                            magnitude
                        } else {
                            *level
                        };
                    }
                }
                reducer.turn_levels_into_gains(&mut gains[..frames]);
            }
            for (bands, channel) in self.bands.iter().zip(sound.channels()) {
                for (index, sample) in channel[at..at + frames].iter_mut().enumerate() {
                    *sample = bands[0][index] * gains[0][index]
                        + bands[1][index] * gains[1][index]
                        + bands[2][index] * gains[2][index];
                }
            }
        }
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        self.splits.iter_mut().for_each(Bands::forget);
        for reducer in &mut self.reducers {
            reducer.envelope.forget();
        }
    }
}

impl Reducer {
    fn new(rate_hz: f64, settings: &Settings, band: &str) -> Self {
        let number = |id: &str| settings.number(&format!("{band}_{id}"));
        let threshold = 10_f64.powf(number("threshold_db") / 20.0);
        Self {
            threshold: threshold as f32,
            per_threshold: (1.0 / threshold) as f32,
            exponent: (1.0 / number("ratio") - 1.0) as f32,
            gain: 10_f64.powf(number("gain_db") / 20.0) as f32,
            envelope: Follower::new(rate_hz, number("attack_ms"), number("release_ms")),
        }
    }

    fn turn_levels_into_gains(&mut self, levels: &mut [f32]) {
        self.envelope.follow(levels);
        for level in levels {
            let reduced = power(*level * self.per_threshold, self.exponent);
            let shrink = if *level < self.threshold {
                1.0
            } else {
                reduced
            };
            *level = self.gain * shrink;
        }
    }
}
