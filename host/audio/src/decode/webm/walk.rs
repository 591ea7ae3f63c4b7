use std::io;
use std::ops::Range;

use super::super::source::Reason;
use super::blocks::{BlockReader, Met};
use super::opus::OpusClock;
use super::packets::Packets;
use super::vorbis::VorbisClock;

/// Says how many frames packets give.
#[derive(Clone)]
pub(super) enum Clock {
    Opus(OpusClock),
    Vorbis(VorbisClock),
}

/// What coding has added to the recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trim {
    pub(super) sample_rate_hz: u32,
    /// Frames in front that are still to come.
    pub(super) lead_frames: u64,
}

/// A packet's length.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) frames: usize,
    /// Why it cannot be decoded, where that shows already.
    pub(super) broken: Option<Reason>,
}

/// What a walk over a track comes to.
pub(super) enum Step {
    /// A block, and what of its sound is of the recording.
    Block(Range<u64>),
    /// So many frames of the recording that are lost.
    Lost(u64, Reason),
    /// Nothing more; where that is too early, why.
    End(Option<String>),
}

/// Walks over a track and measures it without decoding. Whoever counts and whoever decodes walk alike.
pub(super) struct Walk {
    blocks: BlockReader,
    clock: Clock,
    trim: Trim,
    tick_ns: u64,
    packets: Packets,
    /// Of each packet of the block.
    sizes: Vec<Size>,
    /// Frames of the last packet whose length was known.
    usual_frames: usize,
    /// The block before: when it began, in ticks, and its frames.
    last: Option<(i64, u64)>,
    /// When that should have begun, in ticks, by what was in front of it.
    expected: Option<i64>,
    /// Frames and bytes of all blocks so far.
    so_far: (u64, u64),
    /// Bytes that made no sense since the last block.
    hole: Option<(u64, Reason)>,
    /// The block was read, and comes behind what was lost.
    is_held: bool,
}

/// Frames of 20 ms at the rate of Opus: what a packet mostly has.
const USUAL_FRAMES: usize = 960;

impl Walk {
    /// Begins in front of the first cluster.
    pub(super) fn new(blocks: BlockReader, clock: Clock, trim: Trim, tick_ns: u64) -> Self {
        Self {
            blocks,
            clock,
            trim,
            tick_ns,
            packets: Packets::default(),
            sizes: Vec::new(),
            usual_frames: USUAL_FRAMES,
            last: None,
            expected: None,
            so_far: (0, 0),
            hole: None,
            is_held: false,
        }
    }

    /// Another walk from the beginning, when this one has not begun.
    pub(super) fn fork(&self) -> io::Result<Self> {
        let blocks = self.blocks.fork()?;
        Ok(Self::new(
            blocks,
            self.clock.clone(),
            self.trim.clone(),
            self.tick_ns,
        ))
    }

    /// A packet of the block that was come to last.
    pub(super) fn packet(&self, index: usize) -> Option<(&[u8], Size)> {
        Some((self.packets.get(index)?, self.sizes.get(index)?.clone()))
    }

    /// Goes on.
    pub(super) fn next(&mut self) -> io::Result<Step> {
        self.sizes.clear();
        while !self.is_held {
            match self.blocks.next(&mut self.packets)? {
                Met::Block => self.is_held = true,
                Met::Hole(bytes, reason) => {
                    let before = self.hole.take();
                    let (more, first) = before.unwrap_or((0, reason));
                    self.hole = Some((bytes + more, first));
                }
                // Bytes at the end that make no sense are where the file is cut.
                Met::End(end) => {
                    let end = end.or(self.hole.take().map(|(_, reason)| reason.into_owned()));
                    return Ok(Step::End(end));
                }
            }
        }
        if let Some((bytes, reason)) = self.hole.take() {
            let lost = self.lost_frames(bytes);
            if let Some((_, frames)) = &mut self.last {
                *frames += lost;
            }
            let lost = self.trim.block(lost, 0);
            return Ok(Step::Lost(lost.end - lost.start, reason));
        }
        self.is_held = false;
        let frames = self.measure();
        self.expected = self.last.map(|(time, frames)| {
            let ns =
                u128::from(frames) * u128::from(NS_PER_S) / u128::from(self.trim.sample_rate_hz);
            let ticks = ns / u128::from(self.tick_ns);
            time.saturating_add(i64::try_from(ticks).unwrap_or(i64::MAX))
        });
        self.last = Some((self.packets.time, frames));
        self.so_far.0 += frames;
        self.so_far.1 += self.packets.bytes();
        Ok(Step::Block(
            self.trim.block(frames, self.packets.discard_ns),
        ))
    }

    /// How many frames a hole of so many bytes had in front of the block that is held: by the times of the blocks around it, if
    /// that can be, or by how many frames such bytes have given so far. The block in front of the hole may be wrong about its time: then
    /// it began when the one before it ended.
    fn lost_frames(&self, bytes: u64) -> u64 {
        let by_bytes =
            u128::from(bytes) * u128::from(self.so_far.0) / u128::from(self.so_far.1.max(1));
        let by_bytes = u64::try_from(by_bytes).unwrap_or(u64::MAX);
        let (time, frames) = self.last.unwrap_or((0, 0));
        let mut begins = [Some(time), self.expected].into_iter().flatten();
        begins
            .find_map(|time| self.frames_since(time, frames, by_bytes))
            .unwrap_or(by_bytes)
    }

    /// Frames between the end of a block of `frames` that began at `time` and the beginning of the block that is held; none where that
    /// is before, or much more than `by_bytes`.
    fn frames_since(&self, time: i64, frames: u64, by_bytes: u64) -> Option<u64> {
        let rate = self.trim.sample_rate_hz;
        let ticks = u64::try_from(self.packets.time.saturating_sub(time)).ok()?;
        let by_time = in_frames(ticks.saturating_mul(self.tick_ns), rate);
        // Times are rounded: a packet may seem to begin before the last one has ended.
        let is_behind = by_time.saturating_add(u64::from(rate) / 200) >= frames;
        let lost = by_time.saturating_sub(frames);
        let most = by_bytes.saturating_mul(4).saturating_add(u64::from(rate));
        (is_behind && lost <= most).then_some(lost)
    }

    /// Measures the packets of the block; gives the sum of their frames. One that is broken is as long as the one before.
    fn measure(&mut self) -> u64 {
        for packet in self.packets.iter() {
            let size = match self.clock.frames(packet) {
                Ok(frames) => Size {
                    frames,
                    broken: None,
                },
                Err(reason) => Size {
                    frames: self.usual_frames,
                    broken: Some(reason),
                },
            };
            self.usual_frames = size.frames;
            self.sizes.push(size);
        }
        self.sizes.iter().map(|size| size.frames as u64).sum()
    }
}

impl Clock {
    fn frames(&mut self, packet: &[u8]) -> Result<usize, Reason> {
        match self {
            Self::Opus(clock) => clock.frames(packet),
            Self::Vorbis(clock) => clock.frames(packet),
        }
    }
}

impl Trim {
    /// What of the next block's `frames` frames is of the recording, when `discard_ns` of them are padding.
    pub(super) fn block(&mut self, frames: u64, discard_ns: i64) -> Range<u64> {
        let padding = in_frames(discard_ns.unsigned_abs(), self.sample_rate_hz).min(frames);
        let (start, end) = match discard_ns {
            ..=0 => (padding, frames),
            _ => (0, frames - padding),
        };
        let lead = self.lead_frames.min(end - start);
        self.lead_frames -= lead;
        start + lead..end
    }
}

const NS_PER_S: u64 = 1_000_000_000;

/// The nearest number of frames.
pub(super) fn in_frames(ns: u64, sample_rate_hz: u32) -> u64 {
    let second = u128::from(NS_PER_S);
    let frames = (u128::from(ns) * u128::from(sample_rate_hz) + second / 2) / second;
    u64::try_from(frames).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_coding_added_is_taken_off_wherever_blocks_end() {
        let mut trim = Trim {
            sample_rate_hz: 48_000,
            lead_frames: 1_200,
        };
        assert_eq!(trim.block(960, 0), 960..960);
        assert_eq!(trim.block(960, 0), 240..960);
        assert_eq!(trim.block(960, 6_500_000), 0..648);
        assert_eq!(trim.block(960, -6_500_000), 312..960);
        assert_eq!(trim.block(960, i64::MAX), 0..0);
        assert_eq!(trim.block(960, i64::MIN), 960..960);
        trim.lead_frames = u64::MAX;
        assert_eq!(trim.block(960, 6_500_000), 648..648);
    }

    #[test]
    fn times_become_the_nearest_number_of_frames() {
        assert_eq!(in_frames(6_500_000, 48_000), 312);
        assert_eq!(in_frames(10_416, 48_000), 0);
        assert_eq!(in_frames(10_417, 48_000), 1);
        assert_eq!(in_frames(u64::MAX, u32::MAX), u64::MAX);
    }
}
