//! ADPCM: samples as differences of four bits, in blocks that each start afresh.
//!
//! IMA's from "Recommended Practices for Enhancing Digital Audio Compatibility in Multimedia Systems" (IMA Digital Audio Technical
//! Working Group, 1992), section 6, laid out as WAVE does; Microsoft's from "New Multimedia Data Types and Data Techniques" (1994),
//! the chapter on Microsoft ADPCM.

use super::super::source::Reason;

/// How differences become samples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    /// IMA's, also called DVI.
    Ima,
    /// Microsoft's. Each block chooses from pairs of weights, in steps of 1/256.
    Microsoft {
        /// Weights of the last sample and of the one before it.
        weights: Vec<(i32, i32)>,
    },
}

/// Blocks of one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Adpcm {
    kind: Kind,
    channels: usize,
    block_bytes: usize,
    /// Frames of a whole block.
    block_frames: usize,
}

/// The pairs that all files share.
const USUAL_WEIGHTS: [(i32, i32); 7] = [
    (256, 0),
    (512, -256),
    (0, 0),
    (192, 64),
    (240, 0),
    (460, -208),
    (392, -232),
];

/// The factor, in steps of 1/256, by which a difference of four bits changes the step.
const GROWTH: [i32; 16] = [
    230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230,
];

/// The smallest step of Microsoft's.
const LEAST_STEP: i32 = 16;
/// With this step, every difference leaves the range of samples, so that further growth makes no difference.
const MOST_STEP: i32 = 1 << 17;

/// How far a difference of three bits, without its sign, moves the place in [`IMA_STEPS`].
const IMA_MOVES: [i32; 8] = [-1, -1, -1, -1, 2, 4, 6, 8];

const IMA_STEPS: [i32; 89] = [
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66,
    73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449,
    494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272,
    2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493,
    10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
];

/// Bytes before a channel's IMA differences: the first sample and the place in the table, as many as four samples take.
const IMA_HEAD_BYTES: usize = 4;
/// Bytes before a channel's Microsoft differences: the choice of weights, the step and two samples.
const MS_HEAD_BYTES: usize = 7;

impl Kind {
    /// Microsoft's, with the weights of a format chunk. The first seven pairs are the same in all files.
    pub(super) fn microsoft(format_chunk: &[u8]) -> Self {
        let word = |at: usize| {
            let bytes = format_chunk.get(at..at + 2)?;
            Some(i16::from_le_bytes([bytes[0], bytes[1]]))
        };
        let count = usize::try_from(word(20).unwrap_or(0)).unwrap_or(0);
        let stated: Option<Vec<_>> = (0..count)
            .map(|index| {
                let pair = (word(22 + 4 * index)?, word(24 + 4 * index)?);
                Some((i32::from(pair.0), i32::from(pair.1)))
            })
            .collect();
        let more = stated.unwrap_or_default();
        let more = more.into_iter().skip(USUAL_WEIGHTS.len());
        Self::Microsoft {
            weights: USUAL_WEIGHTS.into_iter().chain(more).collect(),
        }
    }
}

impl Kind {
    /// Bytes of a block of so many frames, as its header may say them where it does not say the bytes.
    pub(super) fn block_bytes(&self, frames: u16, channels: usize) -> usize {
        let frames = usize::from(frames);
        match self {
            Self::Ima => channels * (IMA_HEAD_BYTES + frames.saturating_sub(1) / 8 * 4),
            Self::Microsoft { .. } => {
                channels * MS_HEAD_BYTES + frames.saturating_sub(2) * channels / 2
            }
        }
    }
}

impl Adpcm {
    /// Blocks of `block_bytes`, each of `stated_frames` unless that is 0; none when no frame fits into one.
    pub(super) fn new(
        kind: Kind,
        channels: usize,
        block_bytes: usize,
        stated_frames: usize,
    ) -> Option<Self> {
        let mut adpcm = Self {
            kind,
            channels,
            block_bytes,
            block_frames: usize::MAX,
        };
        let held = adpcm.frames_in(block_bytes);
        let stated = if stated_frames == 0 {
            held
        } else {
            stated_frames
        };
        adpcm.block_frames = held.min(stated);
        (held > 0).then_some(adpcm)
    }

    /// Bytes of a whole block.
    pub(super) fn block_bytes(&self) -> usize {
        self.block_bytes
    }

    /// Frames of a whole block.
    pub(super) fn block_frames(&self) -> u64 {
        self.block_frames as u64
    }

    /// Frames of a data chunk of so many bytes.
    pub(super) fn frames(&self, bytes: u64) -> u64 {
        let block = self.block_bytes as u64;
        bytes / block * self.block_frames as u64 + self.frames_in((bytes % block) as usize) as u64
    }

    /// Frames of a block of which there are so many bytes.
    pub(super) fn frames_in(&self, bytes: usize) -> usize {
        let channels = self.channels;
        let held = match &self.kind {
            // One frame in the head, then groups of eight of each channel in turn.
            Kind::Ima if bytes >= IMA_HEAD_BYTES * channels => {
                1 + (bytes - IMA_HEAD_BYTES * channels) / (4 * channels) * 8
            }
            Kind::Microsoft { .. } if bytes >= MS_HEAD_BYTES * channels => {
                2 + (bytes - MS_HEAD_BYTES * channels) * 2 / channels
            }
            Kind::Ima | Kind::Microsoft { .. } => 0,
        };
        held.min(self.block_frames)
    }

    /// Decodes a block, whole or not, to the samples of each channel.
    pub(super) fn decode(&self, block: &[u8]) -> Result<Vec<Vec<i16>>, Reason> {
        let frames = self.frames_in(block.len());
        let mut sound = match &self.kind {
            Kind::Ima => self.decode_ima(block),
            Kind::Microsoft { weights } => self.decode_microsoft(block, weights),
        }
        .ok_or("a broken block of ADPCM")?;
        for samples in &mut sound {
            samples.truncate(frames);
        }
        Ok(sound)
    }

    fn decode_ima(&self, block: &[u8]) -> Option<Vec<Vec<i16>>> {
        let (head, groups) = block.split_at_checked(IMA_HEAD_BYTES * self.channels)?;
        let mut channels = Vec::new();
        for (channel, head) in head.chunks_exact(IMA_HEAD_BYTES).enumerate() {
            let mut sample = i32::from(i16::from_le_bytes([head[0], head[1]]));
            let mut place = i32::from(head[2]);
            let mut samples = vec![sample as i16];
            // A place beyond the table means that this is no head.
            IMA_STEPS.get(place as usize)?;
            let own = groups.chunks_exact(4).skip(channel).step_by(self.channels);
            for byte in own.flatten() {
                for difference in [byte & 0xf, byte >> 4].map(i32::from) {
                    let step = IMA_STEPS[place as usize];
                    let mut change = step >> 3;
                    for (bit, shift) in [(4, 0), (2, 1), (1, 2)] {
                        if difference & bit != 0 {
                            change += step >> shift;
                        }
                    }
                    sample += if difference & 8 == 0 { change } else { -change };
                    sample = sample.clamp(i32::from(i16::MIN), i32::from(i16::MAX));
                    samples.push(sample as i16);
                    place = (place + IMA_MOVES[(difference & 7) as usize]).clamp(0, 88);
                }
            }
            channels.push(samples);
        }
        Some(channels)
    }

    fn decode_microsoft(&self, block: &[u8], weights: &[(i32, i32)]) -> Option<Vec<Vec<i16>>> {
        let count = self.channels;
        let (head, differences) = block.split_at_checked(MS_HEAD_BYTES * count)?;
        let word = |index: usize| {
            let at = count + 2 * index;
            i32::from(i16::from_le_bytes([head[at], head[at + 1]]))
        };
        // The heads of all channels are interleaved, as their differences are.
        let nibbles = || differences.iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
        let mut channels = Vec::new();
        for (channel, predictor) in head.iter().take(count).enumerate() {
            let (last, before) = *weights.get(usize::from(*predictor))?;
            let mut step = word(channel);
            let mut samples = vec![word(2 * count + channel), word(count + channel)];
            let own = nibbles().skip(channel).step_by(count);
            for (at, nibble) in own.enumerate() {
                let [newer, older] = [samples[at + 1], samples[at]].map(i64::from);
                let expected = (newer * i64::from(last) + older * i64::from(before)) >> 8;
                let difference = i32::from((nibble << 4) as i8 >> 4);
                let sample = expected as i32 + difference * step;
                samples.push(sample.clamp(i32::from(i16::MIN), i32::from(i16::MAX)));
                step = ((GROWTH[usize::from(nibble)] * step) >> 8).clamp(LEAST_STEP, MOST_STEP);
            }
            channels.push(samples.into_iter().map(|sample| sample as i16).collect());
        }
        Some(channels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_as_many_frames_as_its_bytes_hold() {
        let ima = |bytes, stated| Adpcm::new(Kind::Ima, 2, bytes, stated);
        assert_eq!(ima(7, 0), None);
        let block = ima(1_024, 1_017).expect("fits");
        assert_eq!(block.frames(2 * 1_024), 2 * 1_017);
        assert_eq!(block.frames(1_024 + 8), 1_018);
        assert_eq!(block.frames(1_024 + 7), 1_017);
        assert_eq!(ima(1_024, 5).expect("fits").frames(1_024), 5);
        let microsoft = Adpcm::new(Kind::microsoft(&[]), 1, 256, 500).expect("fits");
        assert_eq!(microsoft.frames(256 + 10), 500 + 8);
    }

    #[test]
    fn a_block_is_as_large_as_its_frames_need() {
        for channels in [1, 2] {
            for (kind, bytes) in [(Kind::Ima, 1_024), (Kind::microsoft(&[]), 1_024)] {
                let block = Adpcm::new(kind.clone(), channels, bytes, 0).expect("fits");
                let frames = u16::try_from(block.block_frames()).expect("few");
                assert_eq!(
                    kind.block_bytes(frames, channels),
                    bytes,
                    "{kind:?} {channels}"
                );
            }
        }
    }

    #[test]
    fn ima_moves_by_the_step_that_its_head_says() {
        // A head at 100 with the step 7: differences of +7, -7, 0 and +1 eighths of it in four bytes.
        let block = [100, 0, 0, 0, 0xf7, 0x10, 0, 0];
        let adpcm = Adpcm::new(Kind::Ima, 1, 8, 0).expect("fits");
        let sound = adpcm.decode(&block).expect("decodes");
        // 0 + 7 + 3 + 1, then a step of 16 with 2 + 16 + 8 + 4, then one of 34 with 4.
        assert_eq!(sound[0][..4], [100, 111, 81, 85]);
        assert_eq!(sound[0].len(), 9);
        assert!(adpcm.decode(&[0, 0, 89, 0, 0, 0, 0, 0]).is_err());
    }

    #[test]
    fn microsoft_expects_what_its_weights_say() {
        // Weights (512, -256) go on in a straight line; a step of 16; differences +1, -1.
        let block = [1, 16, 0, 20, 0, 10, 0, 0x1f];
        let adpcm = Adpcm::new(Kind::microsoft(&[]), 1, 8, 0).expect("fits");
        let sound = adpcm.decode(&block).expect("decodes");
        assert_eq!(sound[0], [10, 20, 30 + 16, 72 - 16]);
        assert!(adpcm.decode(&[7, 16, 0, 20, 0, 10, 0, 0]).is_err());
    }

    #[test]
    fn no_head_makes_it_overflow() {
        for kind in [Kind::Ima, Kind::microsoft(&[])] {
            let adpcm = Adpcm::new(kind, 2, 2_048, 0).expect("fits");
            for byte in [0x00, 0x77, 0x88, 0xff] {
                let mut block = vec![byte; 2_048];
                block[..14].copy_from_slice(&[
                    0, 0, 0x00, 0x80, 0x00, 0x80, 0xff, 0x7f, 0xff, 0x7f, 0, 0x80, 0, 0x80,
                ]);
                let _ = adpcm.decode(&block);
            }
        }
    }
}
