//! A downward expander without a knee.
//!
//! The level of each channel is its root mean square, falling within 50 ms and
//! rising at once, smoothed by the attack and release times. Below the threshold
//! t a level e gets the gain (e / t)^(ratio − 1), so that one decibel of input
//! makes `ratio` decibels of output; above it the gain is 1. (Gain computers in
//! this form: U. Zölzer, "DAFX", chapter on dynamic range control.) Channels do
//! not influence each other.

use vocalhost_effect::dsp::{Follower, STRETCH_FRAMES, power};
use vocalhost_effect::{Planar, Settings};

/// Fall time of the mean square that is taken as the level.
const MEAN_RELEASE_MS: f64 = 50.0;

/// A noise gate over any number of channels.
#[derive(Clone, Debug)]
pub struct NoiseGate {
    threshold: f32,
    per_threshold: f32,
    exponent: f32,
    mean_squares: Vec<Follower>,
    envelopes: Vec<Follower>,
    /// Room for the levels of one stretch of every channel.
    levels: Vec<[f32; STRETCH_FRAMES]>,
}

impl NoiseGate {
    /// A gate with the descriptor's settings.
    #[must_use]
    pub fn for_channels(rate_hz: f64, settings: &Settings, channels: usize) -> Self {
        let threshold = 10_f64.powf(settings.number("threshold_db") / 20.0);
        let mean_square = Follower::new(rate_hz, 0.0, MEAN_RELEASE_MS);
        let envelope = Follower::new(
            rate_hz,
            settings.number("attack_ms"),
            settings.number("release_ms"),
        );
        Self {
            threshold: threshold as f32,
            per_threshold: (1.0 / threshold) as f32,
            exponent: (settings.number("ratio") - 1.0) as f32,
            mean_squares: vec![mean_square; channels],
            envelopes: vec![envelope; channels],
            levels: vec![[0.0; STRETCH_FRAMES]; channels],
        }
    }

    /// Gates the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        let mut at = 0;
        while at < sound.frames() {
            let frames = STRETCH_FRAMES.min(sound.frames() - at);
            for (levels, channel) in self.levels.iter_mut().zip(sound.channels()) {
                for (level, sample) in levels.iter_mut().zip(&channel[at..at + frames]) {
                    *level = sample * sample;
                }
            }
            Follower::follow_channels(&mut self.mean_squares, &mut self.levels, frames);
            for levels in &mut self.levels {
                for level in levels {
                    *level = level.sqrt();
                }
            }
            Follower::follow_channels(&mut self.envelopes, &mut self.levels, frames);
            for (levels, channel) in self.levels.iter().zip(sound.channels()) {
                self.close(&mut channel[at..at + frames], levels);
            }
            at += frames;
        }
    }

    fn close(&self, samples: &mut [f32], levels: &[f32; STRETCH_FRAMES]) {
        let (threshold, per_threshold) = (self.threshold, self.per_threshold);
        let exponent = self.exponent;
        let levels = &levels[..samples.len()];
        // Neither an open gate nor silence, which a gate closes for, is worth the powers.
        // Looking at all of them is faster than stopping at the first: it is vector code.
        let below = |found, &level| found | u32::from(level <= threshold);
        let heard = |found, &sample: &f32| found | u32::from(sample != 0.0);
        if levels.iter().fold(0, below) == 0 || samples.iter().fold(0, heard) == 0 {
            return;
        }
        for (sample, &level) in samples.iter_mut().zip(levels) {
            let closed = power(level * per_threshold, exponent);
            *sample *= if level > threshold { 1.0 } else { closed };
        }
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        let followers = self.mean_squares.iter_mut().chain(&mut self.envelopes);
        followers.for_each(Follower::forget);
    }
}
