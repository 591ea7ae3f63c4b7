use super::Block;

/// Frames waiting between two steps that divide the stream at different places.
pub(super) struct FrameQueue {
    channels: Vec<Vec<f32>>,
    start: usize,
}

impl FrameQueue {
    /// Nothing yet, of `channels` channels.
    pub(super) fn new(channels: usize) -> Self {
        Self {
            channels: vec![Vec::new(); channels],
            start: 0,
        }
    }

    /// Number of channels.
    pub(super) fn channels(&self) -> usize {
        self.channels.len()
    }

    /// Frames that can be taken.
    pub(super) fn frames(&self) -> usize {
        self.channels[0].len() - self.start
    }

    /// Appends to one channel; the caller appends the same number of frames to all.
    pub(super) fn extend(&mut self, channel: usize, samples: impl IntoIterator<Item = f32>) {
        self.channels[channel].extend(samples);
    }

    /// Appends a block.
    pub(super) fn push(&mut self, block: &Block) {
        for (channel, samples) in self.channels.iter_mut().enumerate() {
            samples.extend_from_slice(block.channel(channel));
        }
    }

    /// Appends silence.
    pub(super) fn push_silence(&mut self, frames: usize) {
        for samples in &mut self.channels {
            samples.resize(samples.len() + frames, 0.0);
        }
    }

    /// Takes the first `frames` frames.
    pub(super) fn take(&mut self, frames: usize) -> Block {
        let mut planar = Vec::with_capacity(frames * self.channels.len());
        for samples in &self.channels {
            planar.extend_from_slice(&samples[self.start..self.start + frames]);
        }
        self.discard(frames);
        Block::from_planar(self.channels.len(), planar)
    }

    /// Drops the first `frames` frames.
    pub(super) fn discard(&mut self, frames: usize) {
        self.start += frames;
        // Moving the rest down only once it is the smaller part keeps the cost per frame constant.
        if self.start * 2 >= self.channels[0].len() {
            for samples in &mut self.channels {
                samples.drain(..self.start);
            }
            self.start = 0;
        }
    }

    /// Drops all but the first `frames` frames.
    pub(super) fn truncate(&mut self, frames: usize) {
        for samples in &mut self.channels {
            samples.truncate(self.start + frames);
        }
    }
}

#[cfg(test)]
#[expect(
    clippy::float_cmp,
    reason = "what is only moved or scaled by a power of two is exact"
)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_out_in_the_order_they_went_in_whatever_the_cuts() {
        let mut queue = FrameQueue::new(2);
        let mut given = Vec::new();
        let mut next = 0.0;
        for size in [3_usize, 0, 7, 1, 20, 5] {
            let samples: Vec<f32> = (0..size).map(|index| next + index as f32).collect();
            next += size as f32;
            queue.extend(0, samples.iter().copied());
            queue.extend(1, samples.iter().map(|sample| -sample));
            let frames = queue.frames().min(4);
            given.extend_from_slice(queue.take(frames).channel(0));
        }
        let rest = queue.frames();
        let block = queue.take(rest);
        given.extend_from_slice(block.channel(0));
        assert_eq!(block.channel(1)[0], -block.channel(0)[0]);
        assert_eq!(given, (0..36).map(|index| index as f32).collect::<Vec<_>>());
    }
}
