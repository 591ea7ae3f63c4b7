//! A feed-forward compressor without a knee or make-up gain.
//!
//! The level of each channel is its magnitude, smoothed by the attack and release
//! times. Above the threshold t a level e gets the gain (e / t)^(1/ratio − 1), so
//! that `ratio` decibels over the threshold become one; below it the gain is 1.
//! (D. Giannoulis, M. Massberg and J. D. Reiss, "Digital Dynamic Range Compressor
//! Design", J. Audio Eng. Soc. 60 (6), 2012, with hard knee and linear-domain
//! detection.) Channels do not influence each other.

use vocalhost_effect::Settings;
use vocalhost_effect::dsp::{Follower, STRETCH_FRAMES, power};

/// A compressor over any number of channels.
#[derive(Clone, Debug)]
pub struct Compressor {
    threshold: f32,
    per_threshold: f32,
    exponent: f32,
    envelopes: Vec<Follower>,
}

impl Compressor {
    /// A compressor with the descriptor's settings.
    #[must_use]
    pub fn for_channels(rate_hz: f64, settings: &Settings, channels: usize) -> Self {
        let threshold = 10_f64.powf(settings.number("threshold_db") / 20.0);
        let envelope = Follower::new(
            rate_hz,
            settings.number("attack_ms"),
            settings.number("release_ms"),
        );
        Self {
            threshold: threshold as f32,
            per_threshold: (1.0 / threshold) as f32,
            exponent: (1.0 / settings.number("ratio") - 1.0) as f32,
            envelopes: vec![envelope; channels],
        }
    }

    /// Compresses the next frames of one channel in place.
    pub fn process_channel(&mut self, index: usize, samples: &mut [f32]) {
        let envelope = &mut self.envelopes[index];
        let (threshold, per_threshold) = (self.threshold, self.per_threshold);
        let exponent = self.exponent;
        let mut levels = [0.0_f32; STRETCH_FRAMES];
        for stretch in samples.chunks_mut(STRETCH_FRAMES) {
            let levels = &mut levels[..stretch.len()];
            for (level, sample) in levels.iter_mut().zip(&*stretch) {
                *level = sample.abs();
            }
            envelope.follow(levels);
            if levels.iter().all(|&level| level < threshold) {
                continue;
            }
            for (sample, &level) in stretch.iter_mut().zip(&*levels) {
                let reduced = power(level * per_threshold, exponent);
                *sample *= if level < threshold { 1.0 } else { reduced };
            }
        }
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        self.envelopes.iter_mut().for_each(Follower::forget);
    }
}
