//! The information frame of an MP3 before its sound is encoded. At a constant bit rate all of it follows from the length of the sound,
//! except two checksums of later bytes and the stereo mode of the last frame.

/// Samples of a frame and of half of it, a granule, which is the least delay of an encoder (ISO/IEC 11172-3).
const FRAME_SAMPLES: u64 = 1_152;
const GRANULE_SAMPLES: u64 = 576;

/// Entries of the table of contents, and the most points that the encoder keeps for it (`InitVbrTag` in libmp3lame/VbrTag.c of LAME 3.100).
const TOC_ENTRIES: usize = 100;
const MOST_POINTS: u64 = 400;

/// Positions after the letters `Info` (the same file, `lame_get_lametag_frame` and `PutLameVBR`).
const FRAMES_AT: usize = 8;
const BYTES_AT: usize = 12;
const TOC_AT: usize = 16;
const DELAY_AT: usize = 141;
const LENGTH_AT: usize = 148;
const SOUND_CRC_AT: usize = 152;
const TAG_CRC_AT: usize = 154;

/// What decides how many bytes a sound takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    /// The constant bit rate in kbit/s.
    pub(super) kbps: u32,
    /// Samples per second of the MP3.
    pub(super) sample_rate_hz: u32,
    /// Samples of each channel at that rate.
    pub(super) samples: u64,
}

/// Turns the information frame of another sound, encoded with the same settings, into that of this one. The checksum of the sound is left
/// 0. None when the frame is not built as this encoder builds it, or when the sound is longer than its fields can say.
pub(super) fn foretold(mut frame: Vec<u8>, plan: Plan) -> Option<Vec<u8>> {
    let start = frame.windows(4).position(|letters| letters == b"Info")?;
    let tag = frame.get_mut(start..start + TAG_CRC_AT + 2)?;
    let delay = u64::from(tag[DELAY_AT]) << 4 | u64::from(tag[DELAY_AT + 1] >> 4);
    let padding = padding(delay + plan.samples);
    let frames = (delay + plan.samples + padding) / FRAME_SAMPLES;
    tag[DELAY_AT + 1] = tag[DELAY_AT + 1] & 0xf0 | (padding >> 8) as u8;
    tag[DELAY_AT + 2] = padding as u8;
    tag[TOC_AT..TOC_AT + TOC_ENTRIES].copy_from_slice(&contents(frames, u64::from(plan.kbps)));
    let length = frame.len() as u64 + stream_bytes(frames, plan);
    let tag = &mut frame[start..];
    for (at, number) in [(FRAMES_AT, frames), (BYTES_AT, length), (LENGTH_AT, length)] {
        let number = u32::try_from(number).ok()?;
        tag[at..at + 4].copy_from_slice(&number.to_be_bytes());
    }
    tag[SOUND_CRC_AT..TAG_CRC_AT].fill(0);
    let crc = crc16(&frame[..start + TAG_CRC_AT]);
    frame[start + TAG_CRC_AT..start + TAG_CRC_AT + 2].copy_from_slice(&crc.to_be_bytes());
    Some(frame)
}

/// Silence that fills the last frame and at least half of a further one, which the decoder needs to give back what precedes it
/// (`lame_encode_flush` in libmp3lame/lame.c).
fn padding(samples: u64) -> u64 {
    let rest = FRAME_SAMPLES - samples % FRAME_SAMPLES;
    if rest < GRANULE_SAMPLES {
        rest + FRAME_SAMPLES
    } else {
        rest
    }
}

/// The bytes of so many frames. Where the rate does not divide them evenly, some have one more, though never the first (`slot_lag` in
/// libmp3lame/encoder.c).
fn stream_bytes(frames: u64, plan: Plan) -> u64 {
    let rate_hz = u64::from(plan.sample_rate_hz);
    let scaled = 144_000 * u64::from(plan.kbps);
    let longer = (frames.saturating_sub(1) * (scaled % rate_hz)).div_ceil(rate_hz);
    frames * (scaled / rate_hz) + longer
}

/// The table of contents: for each hundredth of the time, how many 256ths of the bytes precede it. Like the encoder, it sums bit rates at
/// points that it thins out, and rounds as floats do (`addVbr` and `Xing_seek_table`).
fn contents(frames: u64, kbps: u64) -> [u8; TOC_ENTRIES] {
    let mut step = 1;
    while frames / step >= MOST_POINTS {
        step *= 2;
    }
    let points = frames / step;
    let mut table = [0; TOC_ENTRIES];
    if points == 0 {
        return table;
    }
    let sum = (kbps * frames) as f32;
    for (index, entry) in table.iter_mut().enumerate().skip(1) {
        let share = index as f32 / TOC_ENTRIES as f32;
        let point = ((share * points as f32) as u64).min(points - 1);
        let before = (kbps * step * (point + 1)) as f32;
        *entry = (256.0 * f64::from(before) / f64::from(sum)).min(255.0) as u8;
    }
    table
}

/// CRC-16 with the polynomial x^16 + x^15 + x^2 + 1, lowest bit first, from 0 (`crc16_lookup` in libmp3lame/VbrTag.c).
fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ u16::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xa001 * (crc & 1))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_known_one() {
        // The published check value of CRC-16/ARC.
        assert_eq!(crc16(b"123456789"), 0xbb3d);
    }

    #[test]
    fn the_last_frame_is_filled_and_half_a_frame_more() {
        for (samples, wanted) in [(1_152, 1_152), (576, 576), (577, 1_727), (1, 1_151)] {
            assert_eq!(padding(samples), wanted, "{samples}");
        }
    }

    #[test]
    fn a_frame_that_is_none_of_the_encoder_foretells_nothing() {
        let plan = Plan {
            kbps: 192,
            sample_rate_hz: 44_100,
            samples: 1,
        };
        assert_eq!(foretold(vec![0; 626], plan), None);
        assert_eq!(foretold(b"Info".to_vec(), plan), None);
        let mut frame = vec![0; 626];
        frame[36..40].copy_from_slice(b"Info");
        assert!(foretold(frame.clone(), plan).is_some());
        let endless = Plan {
            samples: u64::MAX / 1_000_000,
            ..plan
        };
        assert_eq!(foretold(frame, endless), None);
    }
}
