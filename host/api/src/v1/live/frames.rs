//! What a stream carries in binary: sound with its number and the client's clock.

use bytes::{BufMut as _, BytesMut};
use vocalhost_job::SampleFormat;

/// The largest frame of a client.
pub(super) const MAX_BYTES: usize = 64 << 10;

/// Bytes of the number and the clock before the samples of a client.
const HEAD: usize = 8;

/// Bytes before the samples of a frame to a client.
pub(super) const SERVER_HEAD: usize = 16;

/// A piece of a client's sound.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Heard {
    /// Counts from 0.
    pub(super) seq: u32,
    /// The client's clock, in milliseconds.
    pub(super) clock: u32,
    /// Its samples.
    pub(super) samples: Vec<f32>,
}

/// Reads a frame. None when it is no whole number of samples, or has none.
pub(super) fn read(bytes: &[u8], format: SampleFormat) -> Option<Heard> {
    let (head, sound) = bytes.split_at_checked(HEAD)?;
    let number = |at: usize| {
        let four: [u8; 4] = head[at..at + 4].try_into().ok()?;
        Some(u32::from_le_bytes(four))
    };
    let is_whole = !sound.is_empty() && sound.len().is_multiple_of(format.bytes());
    is_whole.then_some(())?;
    Some(Heard {
        seq: number(0)?,
        clock: number(4)?,
        samples: format.read(sound),
    })
}

/// Writes a frame: its number, the clock of the last piece that it has all of, and where it begins, in samples.
pub(super) fn written(
    (seq, clock, first): (u32, u32, u64),
    samples: &[f32],
    format: SampleFormat,
) -> bytes::Bytes {
    let mut frame = BytesMut::with_capacity(SERVER_HEAD + samples.len() * format.bytes());
    frame.put_u32_le(seq);
    frame.put_u32_le(clock);
    frame.put_u64_le(first);
    frame.put_slice(&format.written(samples));
    frame.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_read_as_it_is_written_down() {
        let bytes = [7, 0, 0, 0, 9, 1, 0, 0, 0, 64, 0, 192];
        let heard = read(&bytes, SampleFormat::S16le).expect("it is whole");
        let wanted = Heard {
            seq: 7,
            clock: 265,
            samples: vec![0.5, -0.5],
        };
        assert_eq!(heard, wanted);
        for wrong in [&bytes[..8], &bytes[..7], &bytes[..11], &[]] {
            assert_eq!(read(wrong, SampleFormat::S16le), None);
        }
        let frame = written((1, 2, 3), &[0.5], SampleFormat::S16le);
        let wanted = [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 64];
        assert_eq!(&frame[..], wanted);
    }
}
