//! A downward expander without a knee.
//!
//! The level of each channel is its root mean square, falling within 50 ms and
//! rising at once, smoothed by the attack and release times. Below the threshold
//! t a level e gets the gain (e / t)^(ratio − 1), so that one decibel of input
//! makes `ratio` decibels of output; above it the gain is 1. (Gain computers in
//! this form: U. Zölzer, "DAFX", chapter on dynamic range control.) Channels do
//! not influence each other.

use vocalhost_effect::Settings;
use vocalhost_effect::dsp::{Follower, STRETCH_FRAMES, power};

/// Fall time of the mean square that is taken as the level.
const MEAN_RELEASE_MS: f64 = 50.0;

/// A noise gate over any number of channels.
#[derive(Clone, Debug)]
pub struct NoiseGate {
    threshold: f32,
    per_threshold: f32,
    exponent: f32,
    channels: Vec<Level>,
}

/// What one channel remembers.
#[derive(Clone, Debug)]
struct Level {
    mean_square: Follower,
    envelope: Follower,
}

impl NoiseGate {
    /// A gate with the descriptor's settings.
    #[must_use]
    pub fn for_channels(rate_hz: f64, settings: &Settings, channels: usize) -> Self {
        let threshold = 10_f64.powf(settings.number("threshold_db") / 20.0);
        let level = Level {
            mean_square: Follower::new(rate_hz, 0.0, MEAN_RELEASE_MS),
            envelope: Follower::new(
                rate_hz,
                settings.number("attack_ms"),
                settings.number("release_ms"),
            ),
        };
        Self {
            threshold: threshold as f32,
            per_threshold: (1.0 / threshold) as f32,
            exponent: (settings.number("ratio") - 1.0) as f32,
            channels: vec![level; channels],
        }
    }

    /// Gates the next frames of one channel in place.
    pub fn process_channel(&mut self, index: usize, samples: &mut [f32]) {
        let level = &mut self.channels[index];
        let (threshold, per_threshold) = (self.threshold, self.per_threshold);
        let exponent = self.exponent;
        let mut levels = [0.0_f32; STRETCH_FRAMES];
        for stretch in samples.chunks_mut(STRETCH_FRAMES) {
            let levels = &mut levels[..stretch.len()];
            for (level, sample) in levels.iter_mut().zip(&*stretch) {
                *level = sample * sample;
            }
            level.mean_square.follow(levels);
            for level in &mut *levels {
                *level = level.sqrt();
            }
            level.envelope.follow(levels);
            if levels.iter().all(|&level| level > threshold) {
                continue;
            }
            for (sample, &level) in stretch.iter_mut().zip(&*levels) {
                let closed = power(level * per_threshold, exponent);
                *sample *= if level > threshold { 1.0 } else { closed };
            }
        }
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        for level in &mut self.channels {
            level.mean_square.forget();
            level.envelope.forget();
        }
    }
}
