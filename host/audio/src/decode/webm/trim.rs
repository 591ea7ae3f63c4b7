//! What the codec has added to a recording, as the container says.

use std::ops::Range;

/// Nanoseconds of a second.
pub(super) const NS_PER_S: u64 = 1_000_000_000;

/// Frames of 80 ms: an encoder needs less at the beginning, and cutting a recording leaves this much (RFC 7845 section 4.2).
const USUAL_LEAD_FRAMES: u64 = 3_840;

/// What the codec has added to the recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trim {
    pub(super) sample_rate_hz: u32,
    /// Frames at the beginning that are still to be dropped.
    pub(super) lead_frames: u64,
}

impl Trim {
    /// Which of the next block's `frames` frames belong to the recording, when `discard_ns` of them are padding.
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

/// Frames that the codec has added at the beginning, according to the header of Opus, which counts them, and the container, which states a
/// duration.
///
/// The container matters for recorders that write zero into the header: others compute its duration at the rate before Opus, of 8 kHz at
/// least, which makes it too short. A header that says far more than the container is broken, as is one that differs by a flipped bit.
pub(super) fn lead_frames(stated: u64, delay_ns: Option<u64>, sample_rate_hz: u32) -> u64 {
    const LOWEST_RATE_HZ: u32 = 8_000;
    let delay = delay_ns.map_or(0, |delay| in_frames(delay, sample_rate_hz));
    let most = delay.saturating_mul(u64::from(sample_rate_hz / LOWEST_RATE_HZ));
    let is_broken = delay > 0 && stated > most.max(USUAL_LEAD_FRAMES);
    let is_multiple = stated.checked_rem(delay) == Some(0);
    let is_flipped = delay > 0 && !is_multiple && is_one_bit(stated ^ delay);
    if stated == 0 || is_broken || is_flipped {
        delay
    } else {
        stated
    }
}

/// Whether two numbers of frames, whose differing bits are given, differ by a flipped bit too large to be rounding.
fn is_one_bit(differing: u64) -> bool {
    const LEAST_FRAMES: u64 = 64;
    differing >= LEAST_FRAMES && differing.is_power_of_two()
}

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
