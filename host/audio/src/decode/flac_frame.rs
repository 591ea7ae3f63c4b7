use std::io;

use symphonia::core::checksum::{Crc8Ccitt, Crc16Ansi};
use symphonia::core::io::Monitor;

use super::byte_reader::ByteReader;

/// How far before the end of a file the last frame may begin, at least; a frame of ordinary music is a fifth of this.
pub(super) const LEAST_REACH_BYTES: u64 = 1 << 16;

/// The longest header of a frame.
const MAX_HEADER_BYTES: usize = 16;

/// What a frame's header says, if its checksum holds (RFC 9639 section 9.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FrameHeader {
    shape: Shape,
    /// The frame's number where all frames are equally long, otherwise that of its first sample.
    number: u64,
    /// Samples of a channel.
    samples: u64,
}

/// What all frames of a stream have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shape {
    /// Samples of every frame but the last; none where they differ.
    pub(super) fixed_samples: Option<u16>,
    pub(super) channels: u8,
    /// In Hz; none where only the stream's header says.
    pub(super) sample_rate_hz: Option<u32>,
    /// Bits of a sample; none where only the stream's header says.
    pub(super) bits: Option<u8>,
}

impl Shape {
    /// Whether two frames may belong to one stream, the last frame of which has fewer samples.
    fn is_like(&self, other: &Self) -> bool {
        let described = |shape: &Self| {
            let is_fixed = shape.fixed_samples.is_some();
            (is_fixed, shape.channels, shape.sample_rate_hz, shape.bits)
        };
        described(self) == described(other)
    }
}

impl FrameHeader {
    /// Parses the header at the start of `bytes`; none when there is none.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let [0xff, strategy @ (0xf8 | 0xf9), sizes, form, ..] = *bytes.first_chunk::<4>()? else {
            return None;
        };
        if form & 1 != 0 {
            return None;
        }
        let (number, mut at) = coded_number(bytes.get(4..)?)?;
        at += 4;
        let mut take = |count: usize| {
            let taken = bytes.get(at..at + count)?;
            at += count;
            Some(
                taken
                    .iter()
                    .fold(0, |sum, byte| (sum << 8) | u32::from(*byte)),
            )
        };
        let samples = match sizes >> 4 {
            0 => return None,
            1 => 192,
            exponent @ 2..=5 => 576 << (exponent - 2),
            6 => take(1)? + 1,
            7 => take(2)? + 1,
            exponent => 256 << (exponent - 8),
        };
        let sample_rate_hz = match sizes & 0xf {
            0 => None,
            12 => Some(take(1)? * 1_000),
            13 => Some(take(2)?),
            14 => Some(take(2)? * 10),
            15 => return None,
            coded => Some(SAMPLE_RATES_HZ[usize::from(coded) - 1]),
        };
        let mut crc = Crc8Ccitt::new(0);
        crc.process_buf_bytes(bytes.get(..at)?);
        if crc.crc() != *bytes.get(at)? {
            return None;
        }
        Some(Self {
            shape: Shape {
                fixed_samples: u16::try_from(samples).ok().filter(|_| strategy & 1 == 0),
                channels: match form >> 4 {
                    independent @ 0..=7 => independent + 1,
                    8..=10 => 2,
                    _ => return None,
                },
                sample_rate_hz,
                bits: match (form >> 1) & 7 {
                    0 => None,
                    3 => return None,
                    coded => Some([8, 12, 0, 16, 20, 24, 32][usize::from(coded) - 1]),
                },
            },
            number,
            samples: u64::from(samples),
        })
    }

    /// The number of the first sample after the frame, in a stream whose equally long frames have `stream_samples` samples.
    fn end(&self, stream_samples: u16) -> Option<u64> {
        let start = match self.shape.fixed_samples {
            Some(_) => self.number.checked_mul(u64::from(stream_samples))?,
            None => self.number,
        };
        Some(start + self.samples)
    }
}

/// The rates that have a code of their own.
const SAMPLE_RATES_HZ: [u32; 11] = [
    88_200, 176_400, 192_000, 8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
];

/// Whether the bytes end with a whole frame, by its header and checksum, that ends the stream at `frames`. Equally long frames have
/// `stream_samples` samples.
pub(super) fn ends_at(tail: &[u8], stream_samples: u16, frames: u64) -> bool {
    // The last header for which the checksum fits; it also fits some runs of several whole frames.
    let begins = (0..tail.len()).rev();
    let mut ends = begins.filter_map(|at| {
        let end = FrameHeader::parse(&tail[at..])?.end(stream_samples)?;
        is_whole(&tail[at..]).then_some(end)
    });
    ends.next() == Some(frames)
}

/// Whether the last two bytes are the checksum of all in front of them.
fn is_whole(frame: &[u8]) -> bool {
    let Some((frame, checksum)) = frame.split_last_chunk() else {
        return false;
    };
    let mut crc = Crc16Ansi::new(0);
    crc.process_buf_bytes(frame);
    crc.crc() == u16::from_be_bytes(*checksum)
}

/// The shape that most of the first frames from here on have; none where there is no frame. A header's checksum has only eight bits, so
/// chance produces a header every few megabytes.
pub(super) fn usual_shape(reader: &mut ByteReader) -> io::Result<Option<Shape>> {
    const FRAMES: usize = 5;
    const MAX_BYTES: u64 = 1 << 20;
    let end = reader.position().saturating_add(MAX_BYTES);
    let mut found: Vec<Shape> = Vec::new();
    while found.len() < FRAMES && reader.position() < end && reader.remaining() > 0 {
        let ahead = reader.peek(MAX_HEADER_BYTES)?;
        found.extend(FrameHeader::parse(ahead).map(|header| header.shape));
        reader.skip(1);
    }
    let votes = |shape: &Shape| found.iter().filter(|other| *other == shape).count();
    // Of equally frequent ones, the first.
    Ok(found.iter().rev().max_by_key(|shape| votes(shape)).copied())
}

/// Where the first frame of this shape begins, at `end` or before; none where there is none.
pub(super) fn first(reader: &mut ByteReader, shape: &Shape, end: u64) -> io::Result<Option<u64>> {
    while reader.position() <= end && reader.remaining() > 0 {
        let header = FrameHeader::parse(reader.peek(MAX_HEADER_BYTES)?);
        if header.is_some_and(|header| header.shape.is_like(shape)) {
            return Ok(Some(reader.position()));
        }
        reader.skip(1);
    }
    Ok(None)
}

/// A number of up to 36 bits, coded in the manner of UTF-8, and how many bytes it takes.
fn coded_number(bytes: &[u8]) -> Option<(u64, usize)> {
    let first = *bytes.first()?;
    let length = match first.leading_ones() {
        0 => return Some((u64::from(first), 1)),
        length @ 2..=7 => length as usize,
        _ => return None,
    };
    let head = u64::from(first) & ((1 << (7 - length)) - 1);
    let number = bytes.get(1..length)?.iter().try_fold(head, |sum, byte| {
        (byte >> 6 == 0b10).then(|| (sum << 6) | u64::from(byte & 0x3f))
    })?;
    Some((number, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_coded_like_letters() {
        for (bytes, wanted) in [
            (&b"\x7f"[..], Some((0x7f, 1))),
            (b"\xc2\x80", Some((0x80, 2))),
            (b"\xe2\x82\xac", Some((0x20ac, 3))),
            (b"\xfe\xbf\xbf\xbf\xbf\xbf\xbf", Some(((1 << 36) - 1, 7))),
            (b"\x80", None),
            (b"\xff", None),
            (b"\xe2\x82", None),
            (b"\xe2\x02\xac", None),
        ] {
            assert_eq!(coded_number(bytes), wanted, "{bytes:x?}");
        }
    }
}
