/// The most frames that a recording is handed on in at a time: a tenth of a second at 44.1 kHz, so that per-block
/// costs vanish and a cancelled job still stops at once.
pub const BLOCK_FRAMES: usize = 4096;

/// A piece of sound: some frames of every channel.
///
/// Samples are planar, channel after channel (all frames of channel 0, then all of channel 1), in one vector that can
/// be handed to an effect and taken back without copying. Nominal range is -1 to 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Block {
    channels: usize,
    frames: usize,
    samples: Vec<f32>,
}

impl Block {
    /// Silence.
    #[must_use]
    pub fn silent(channels: usize, frames: usize) -> Self {
        Self {
            channels,
            frames,
            samples: vec![0.0; channels * frames],
        }
    }

    /// The block that holds planar `samples`.
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
        }
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
        &mut self.samples[channel * self.frames..(channel + 1) * self.frames]
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
