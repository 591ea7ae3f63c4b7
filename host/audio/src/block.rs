/// The most frames that are passed on at a time: a tenth of a second at 44.1 kHz, so that per-block costs do not matter
/// and a cancelled job still stops at once.
pub const BLOCK_FRAMES: usize = 4096;

/// A piece of sound: some frames of every channel.
///
/// Samples are planar, channel after channel (all frames of channel 0, then all of channel 1), in one vector that can
/// be handed to an effect and taken back without copying. Nominal range is -1 to 1.
#[derive(Debug, Clone, Default)]
pub struct Block {
    channels: usize,
    frames: usize,
    samples: Vec<f32>,
    /// Whether every sample has been checked to be finite since the last change.
    known_finite: bool,
}

/// Two blocks are equal when they hold the same sound, whether or not it was checked to be finite.
impl PartialEq for Block {
    fn eq(&self, other: &Self) -> bool {
        self.channels == other.channels
            && self.frames == other.frames
            && self.samples == other.samples
    }
}

impl Block {
    /// Silence.
    #[must_use]
    pub fn silent(channels: usize, frames: usize) -> Self {
        Self {
            channels,
            frames,
            samples: vec![0.0; channels * frames],
            known_finite: true,
        }
    }

    /// A block of planar `samples`.
    ///
    /// # Panics
    /// When the samples do not divide into `channels`.
    #[must_use]
    pub fn from_planar(channels: usize, samples: Vec<f32>) -> Self {
        assert!(
            channels > 0 && samples.len().is_multiple_of(channels),
            "samples divide into channels"
        );
        Self {
            channels,
            frames: samples.len() / channels,
            samples,
            known_finite: false,
        }
    }

    /// The same block, marked as finite by a caller who has checked every sample.
    #[must_use]
    pub fn found_finite(self) -> Self {
        Self {
            known_finite: true,
            ..self
        }
    }

    /// Whether every sample is known to be finite, so that nobody needs to check again.
    #[must_use]
    pub fn is_known_finite(&self) -> bool {
        self.known_finite
    }

    /// Number of channels.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Number of frames.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Whether it holds no frame.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.frames == 0
    }

    /// The frames of one channel.
    ///
    /// # Panics
    /// When there is no such channel.
    #[must_use]
    pub fn channel(&self, channel: usize) -> &[f32] {
        assert!(channel < self.channels, "channel exists");
        &self.samples[channel * self.frames..(channel + 1) * self.frames]
    }

    /// The frames of one channel, to be changed.
    ///
    /// # Panics
    /// When there is no such channel.
    pub fn channel_mut(&mut self, channel: usize) -> &mut [f32] {
        assert!(channel < self.channels, "channel exists");
        self.known_finite = false;
        &mut self.samples[channel * self.frames..(channel + 1) * self.frames]
    }

    /// The largest magnitude of its samples; NaN is ignored.
    #[must_use]
    pub fn reach(&self) -> f32 {
        reach(&self.samples)
    }

    /// All samples, planar.
    #[must_use]
    pub fn as_planar(&self) -> &[f32] {
        &self.samples
    }

    /// Gives the planar samples away.
    #[must_use]
    pub fn into_planar(self) -> Vec<f32> {
        self.samples
    }
}

/// The largest magnitude of samples; NaN is ignored.
pub(super) fn reach(samples: &[f32]) -> f32 {
    /// Samples that are compared at once.
    const LANES: usize = 16;
    let mut lanes = [0.0_f32; LANES];
    let (groups, rest) = samples.as_chunks::<LANES>();
    let mut take = |samples: &[f32]| {
        for (lane, sample) in lanes.iter_mut().zip(samples) {
            let sample = sample.abs();
            // Unlike `max`, this compiles to one instruction for many lanes.
            *lane = if sample > *lane { sample } else { *lane };
        }
    };
    for group in groups {
        take(group);
    }
    take(rest);
    lanes.into_iter().fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_a_block_is_forgotten_when_it_is_changed() {
        let mut block = Block::from_planar(1, vec![0.5, f32::NAN]);
        assert!(!block.is_known_finite());
        block.channel_mut(0)[1] = 0.0;
        let mut block = block.found_finite();
        assert!(block.is_known_finite());
        assert_eq!(block, Block::from_planar(1, vec![0.5, 0.0]));
        block.channel_mut(0)[0] = f32::INFINITY;
        assert!(!block.is_known_finite());
    }
}
