//! A feed-forward compressor without a knee or make-up gain.
//!
//! The level of each channel is its magnitude, smoothed by the attack and release
//! times. Above the threshold t a level e gets the gain (e / t)^(1/ratio − 1), so
//! that `ratio` decibels over the threshold become one; below it the gain is 1.
//! (D. Giannoulis, M. Massberg and J. D. Reiss, "Digital Dynamic Range Compressor
//! Design", J. Audio Eng. Soc. 60 (6), 2012, with hard knee and linear-domain
//! detection.) Channels do not influence each other.

use vocalhost_effect::dsp::{Follower, STRETCH_FRAMES, power};
use vocalhost_effect::{Planar, Settings};

/// A compressor over any number of channels.
#[derive(Clone, Debug)]
pub struct Compressor {
    threshold: f32,
    per_threshold: f32,
    exponent: f32,
    envelopes: Vec<Follower>,
    /// Room for the levels of one stretch of every channel.
    levels: Vec<[f32; STRETCH_FRAMES]>,
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
            levels: vec![[0.0; STRETCH_FRAMES]; channels],
        }
    }

    /// Compresses the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        let mut at = 0;
        while at < sound.frames() {
            let frames = STRETCH_FRAMES.min(sound.frames() - at);
            for (levels, channel) in self.levels.iter_mut().zip(sound.channels()) {
                for (level, sample) in levels.iter_mut().zip(&channel[at..at + frames]) {
                    *level = sample.abs();
                }
            }
            Follower::follow_channels(&mut self.envelopes, &mut self.levels, frames);
            for (levels, channel) in self.levels.iter().zip(sound.channels()) {
                self.reduce(&mut channel[at..at + frames], levels);
            }
            at += frames;
        }
    }

    fn reduce(&self, samples: &mut [f32], levels: &[f32; STRETCH_FRAMES]) {
        let (threshold, per_threshold) = (self.threshold, self.per_threshold);
        let exponent = self.exponent;
        let levels = &levels[..samples.len()];
        // Looking at all of them is faster than stopping at the first: it is vector code.
        let above = |found, &level| found | u32::from(level >= threshold);
        if levels.iter().fold(0, above) == 0 {
            return;
        }
        for (sample, &level) in samples.iter_mut().zip(levels) {
            let reduced = power(level * per_threshold, exponent);
            *sample *= if level < threshold { 1.0 } else { reduced };
        }
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        self.envelopes.iter_mut().for_each(Follower::forget);
    }
}
