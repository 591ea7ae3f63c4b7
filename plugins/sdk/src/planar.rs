//! Sound as effects see it: channel after channel in one slice.

use std::slice::ChunksExactMut;

/// A block of sound: the frames of channel 0, then those of channel 1, and so on.
///
/// It has as many channels as the larger of the stream's inputs and outputs. The
/// first `inputs` arrive with sound and the rest silent; the first `outputs` are
/// what goes out.
#[derive(Debug)]
pub struct Planar<'a> {
    samples: &'a mut [f32],
    frames: usize,
}

impl<'a> Planar<'a> {
    /// Looks at `samples` as channels of `frames` frames each.
    ///
    /// # Panics
    /// When `frames` is 0 or does not divide the number of samples.
    #[must_use]
    pub fn new(samples: &'a mut [f32], frames: usize) -> Self {
        assert!(
            frames > 0 && samples.len().is_multiple_of(frames),
            "a block holds whole channels"
        );
        Self { samples, frames }
    }

    /// Frames in this block.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Channels in this block.
    #[must_use]
    pub fn channel_count(&self) -> usize {
        self.samples.len() / self.frames
    }

    /// Every channel in turn.
    pub fn channels(&mut self) -> ChunksExactMut<'_, f32> {
        self.samples.chunks_exact_mut(self.frames)
    }

    /// Channels 0 and 1 at once, when there are exactly two; `None` otherwise.
    pub fn stereo(&mut self) -> Option<(&mut [f32], &mut [f32])> {
        (self.channel_count() == 2).then(|| self.samples.split_at_mut(self.frames))
    }
}
