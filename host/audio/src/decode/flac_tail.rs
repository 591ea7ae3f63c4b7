use symphonia::core::checksum::{Crc8Ccitt, Crc16Ansi};
use symphonia::core::io::Monitor;

/// How far the last frame may begin from the end of a file, at least: a frame of usual music is a fifth of it.
pub(super) const LEAST_REACH_BYTES: u64 = 1 << 16;

/// Whether the bytes end with a whole frame that ends the stream at `frames`, by its header and its checksum (RFC 9639 section 9).
pub(super) fn ends_at(tail: &[u8], stream_info: &[u8], frames: u64) -> bool {
    // The last header for which the checksum fits: it fits for some whole frames on end, too.
    let begins = (0..tail.len()).rev();
    let mut ends = begins.filter_map(|at| {
        let end = frame_end(&tail[at..], stream_info)?;
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

/// The number of the sample behind the frame whose header stands here; none when there is no header.
fn frame_end(bytes: &[u8], stream_info: &[u8]) -> Option<u64> {
    let [0xff, strategy @ (0xf8 | 0xf9), sizes, shape, ..] = *bytes.first_chunk::<4>()? else {
        return None;
    };
    if shape & 1 != 0 {
        return None;
    }
    let (number, mut at) = coded_number(bytes.get(4..)?)?;
    at += 4;
    let size_bytes = match sizes >> 4 {
        6 => 1,
        7 => 2,
        _ => 0,
    };
    let size = bytes.get(at..at + size_bytes)?;
    let size = size
        .iter()
        .fold(0, |sum, byte| (sum << 8) | u64::from(*byte));
    let samples = match sizes >> 4 {
        0 => return None,
        1 => 192,
        exponent @ 2..=5 => 576 << (exponent - 2),
        6 | 7 => size + 1,
        exponent => 256 << (exponent - 8),
    };
    at += size_bytes;
    at += match sizes & 0xf {
        12 => 1,
        13 | 14 => 2,
        15 => return None,
        _ => 0,
    };
    let mut crc = Crc8Ccitt::new(0);
    crc.process_buf_bytes(bytes.get(..at)?);
    if crc.crc() != *bytes.get(at)? {
        return None;
    }
    let start = match strategy & 1 {
        // The number of the frame: all but the last are as long as the stream information says.
        0 => number.checked_mul(u64::from(u16::from_be_bytes([
            stream_info[2],
            stream_info[3],
        ])))?,
        _ => number,
    };
    Some(start + samples)
}

/// A number in the manner of UTF-8, of up to 36 bits, and its bytes.
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
