use std::io;
use std::ops::Range;

use super::super::source::Reason;
use super::blocks::{BlockReader, Met};
use super::opus::OpusClock;
use super::packets::Packets;
use super::trim::{NS_PER_S, Trim, in_frames};
use super::vorbis::VorbisClock;

/// Tells how many frames packets give.
#[derive(Clone)]
pub(super) enum Clock {
    Opus(OpusClock),
    Vorbis(VorbisClock),
}

/// A packet's length.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) frames: usize,
    /// Why it cannot be decoded, if that is known already.
    pub(super) broken: Option<Reason>,
}

/// What a walk over a track meets.
pub(super) enum Step {
    /// A block, and which of its frames belong to the recording.
    Block(Range<u64>),
    /// So many frames of the recording that are lost.
    Lost(u64, Reason),
    /// Nothing more, and why, if that is too early.
    End(Option<String>),
}

/// Bytes that make no sense.
struct Hole {
    bytes: u64,
    reason: Reason,
    /// Whether they certainly replaced a part of the recording.
    is_sure: bool,
}

/// Walks over a track and measures it without decoding. Counting and decoding use the same walk.
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
    /// The previous block: when it began, in ticks, and its frames.
    last: Option<(i64, u64)>,
    /// When the previous block should have begun, in ticks, according to those before it.
    expected: Option<i64>,
    /// When the first block began, in ticks, and the frames from there to the previous one.
    walked: Option<(i64, u64)>,
    /// Frames and bytes of all blocks so far.
    so_far: (u64, u64),
    /// What made no sense since the previous block.
    hole: Option<Hole>,
    /// Whether the block has been read but has to wait until lost frames are reported.
    is_held: bool,
}

/// Frames of 20 ms at the rate of Opus: what most packets have.
const USUAL_FRAMES: usize = 960;

/// How far the times of blocks may differ from what their lengths say: recorders round them.
const ROUNDING_NS: u64 = 5_000_000;

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
            walked: None,
            so_far: (0, 0),
            hole: None,
            is_held: false,
        }
    }

    /// Another walk from the beginning, provided this one has not begun.
    pub(super) fn fork(&self) -> Self {
        let blocks = self.blocks.fork();
        Self::new(blocks, self.clock.clone(), self.trim.clone(), self.tick_ns)
    }

    /// A packet of the current block.
    pub(super) fn packet(&self, index: usize) -> Option<(&[u8], Size)> {
        Some((self.packets.get(index)?, self.sizes.get(index)?.clone()))
    }

    /// Goes on.
    pub(super) fn next(&mut self) -> io::Result<Step> {
        self.sizes.clear();
        while !self.is_held {
            match self.blocks.next(&mut self.packets)? {
                Met::Block => self.is_held = true,
                Met::Hole(bytes, reason) => self.add_hole(bytes, reason, true),
                Met::Strange(bytes, reason) => self.add_hole(bytes, reason, false),
                // Senseless bytes at the end show where the file is cut.
                Met::End(end) => {
                    let hole = self.hole.take().filter(|hole| hole.is_sure);
                    return Ok(Step::End(end.or(hole.map(|hole| hole.reason.into_owned()))));
                }
            }
        }
        if let Some(hole) = self.hole.take()
            && let Some(lost) = self.lost_frames(&hole)
        {
            if let Some((_, frames)) = &mut self.last {
                *frames += lost;
            }
            let lost = self.trim.block(lost, 0);
            return Ok(Step::Lost(lost.end - lost.start, hole.reason));
        }
        self.is_held = false;
        let frames = self.measure();
        self.expected = self.last.map(|(time, frames)| {
            let ns =
                u128::from(frames) * u128::from(NS_PER_S) / u128::from(self.trim.sample_rate_hz);
            let ticks = ns / u128::from(self.tick_ns);
            time.saturating_add(i64::try_from(ticks).unwrap_or(i64::MAX))
        });
        let before = self.last.map_or(0, |(_, frames)| frames);
        self.walked.get_or_insert((self.packets.time, 0)).1 += before;
        self.last = Some((self.packets.time, frames));
        self.so_far.0 += frames;
        self.so_far.1 += self.packets.bytes();
        Ok(Step::Block(
            self.trim.block(frames, self.packets.discard_ns),
        ))
    }

    /// Remembers senseless bytes, together with those before them.
    fn add_hole(&mut self, bytes: u64, reason: Reason, is_sure: bool) {
        let hole = self.hole.get_or_insert(Hole {
            bytes: 0,
            reason,
            is_sure,
        });
        hole.bytes += bytes;
        hole.is_sure |= is_sure;
    }

    /// How many frames were lost in the hole before the held block; none where it may have held no sound.
    ///
    /// The times of the blocks around it tell, if they are plausible; otherwise, how many frames such bytes have given so far. The previous
    /// block may state a wrong time: then its expected time is tried. The file may state a wrong tick: then the tick that all blocks so far
    /// suggest is tried. Of these candidates, the one closest to the estimate by bytes counts.
    fn lost_frames(&self, hole: &Hole) -> Option<u64> {
        let by_bytes =
            u128::from(hole.bytes) * u128::from(self.so_far.0) / u128::from(self.so_far.1.max(1));
        let by_bytes = u64::try_from(by_bytes).unwrap_or(u64::MAX);
        let (time, frames) = self.last.unwrap_or((0, 0));
        let begins = [
            Some(time),
            self.expected.filter(|at| self.is_apart(*at, time)),
        ];
        let ticks = [Some(self.tick_ns), self.other_tick_ns()];
        let ticks = ticks.into_iter().flatten();
        let lost = ticks
            .flat_map(|tick_ns| begins.iter().flatten().map(move |time| (*time, tick_ns)))
            .filter_map(|(time, tick_ns)| self.frames_since(time, tick_ns, frames, by_bytes))
            .min_by_key(|lost| lost.abs_diff(by_bytes));
        if hole.is_sure {
            return Some(lost.unwrap_or(by_bytes));
        }
        let least = in_frames(ROUNDING_NS, self.trim.sample_rate_hz);
        lost.filter(|lost| *lost > least)
    }

    /// Whether two times differ by more than rounding explains.
    fn is_apart(&self, one: i64, other: i64) -> bool {
        u128::from(one.abs_diff(other)) * u128::from(self.tick_ns) > u128::from(ROUNDING_NS)
    }

    /// Nanoseconds of a tick according to all blocks so far, if that is less than half or more than twice what the file states.
    fn other_tick_ns(&self) -> Option<u64> {
        let (begin, frames) = self.walked?;
        let ticks = u64::try_from(self.last?.0.saturating_sub(begin)).ok()?;
        let ns = u128::from(frames) * u128::from(NS_PER_S) / u128::from(self.trim.sample_rate_hz);
        let tick_ns = u64::try_from(ns.checked_div(u128::from(ticks))?).ok()?;
        let is_near = (self.tick_ns / 2..=self.tick_ns.saturating_mul(2)).contains(&tick_ns);
        (!is_near).then_some(tick_ns)
    }

    /// Frames between the end of a block of `frames` that began at `time` and the beginning of the held block; none where that is negative,
    /// or much more than `by_bytes`.
    fn frames_since(&self, time: i64, tick_ns: u64, frames: u64, by_bytes: u64) -> Option<u64> {
        let rate = self.trim.sample_rate_hz;
        let ticks = u64::try_from(self.packets.time.saturating_sub(time)).ok()?;
        let by_time = in_frames(ticks.saturating_mul(tick_ns), rate);
        // Times are rounded: a packet may seem to begin before the previous one has ended.
        let is_behind = by_time.saturating_add(in_frames(ROUNDING_NS, rate)) >= frames;
        let lost = by_time.saturating_sub(frames);
        let most = by_bytes.saturating_mul(4).saturating_add(u64::from(rate));
        (is_behind && lost <= most).then_some(lost)
    }

    /// Measures the packets of the block; returns the sum of their frames. A broken packet counts as long as the one before.
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
