use std::io;

use super::byte_reader::ByteReader;
use super::mp3_frame::{FrameHeader, HEADER_BYTES};
use super::tags::{TAG_HEAD_BYTES, tag_bytes};

/// How far the first frame may stand from the beginning (behind `ID3v2` tags): cut streams begin inside a frame, and
/// careless programs leave padding behind the tag.
const MAX_LEAD_BYTES: u64 = 1 << 16;

/// What may stand behind the last frame without being damage: tags that nobody knows, sector padding.
const MAX_TRAIL_BYTES: u64 = 1 << 16;

/// Frames in a row that make a stream: headers are weak marks, and the same header three times is none that chance
/// brings.
const FRAMES_IN_A_ROW: usize = 3;

/// Cuts an MP3 stream into its frames.
pub(super) struct Mp3Framer {
    reader: ByteReader,
    first: FrameHeader,
}

/// What stands next in the stream.
pub(super) enum Framing<'a> {
    /// A whole frame with its header.
    Frame(FrameHeader, &'a [u8]),
    /// Bytes that are no frame, with frames behind them, which come next.
    Gap,
    /// A frame begins, and the file ends inside of it.
    Cut,
    /// Nothing more.
    End,
}

impl Mp3Framer {
    /// Finds the first frame; none when this is no MP3 stream.
    pub(super) fn synchronise(mut reader: ByteReader) -> io::Result<Option<Self>> {
        let last_start = reader.position() + MAX_LEAD_BYTES;
        while reader.position() < last_start {
            if let Some(first) = chain(&mut reader, FRAMES_IN_A_ROW, None)? {
                return Ok(Some(Self { reader, first }));
            }
            if reader.remaining() <= HEADER_BYTES as u64 {
                return Ok(None);
            }
            skip_to_sync(&mut reader)?;
        }
        Ok(None)
    }

    /// The header of the first frame, which all others follow.
    pub(super) fn first(&self) -> &FrameHeader {
        &self.first
    }

    /// Another framer that begins where this one stands.
    pub(super) fn fork(&self) -> io::Result<Self> {
        Ok(Self {
            reader: self.reader.fork()?,
            first: self.first,
        })
    }

    /// The next frame.
    pub(super) fn next(&mut self) -> io::Result<Framing<'_>> {
        loop {
            let head = self.reader.peek(TAG_HEAD_BYTES)?;
            if head.len() < HEADER_BYTES {
                // The first byte of a header has all bits set.
                return Ok(match head.first() {
                    Some(0xff) => Framing::Cut,
                    Some(_) | None => Framing::End,
                });
            }
            let header = FrameHeader::parse(head).filter(|header| header.continues(&self.first));
            if let Some(header) = header {
                if self.reader.remaining() < header.bytes as u64 {
                    return Ok(Framing::Cut);
                }
                return Ok(Framing::Frame(header, self.reader.take(header.bytes)?));
            }
            // Files put together end to end carry their tags along.
            let Some(bytes) = tag_bytes(head) else {
                break;
            };
            self.reader.skip(bytes);
        }
        let lost_at = self.reader.position();
        while self.reader.remaining() > HEADER_BYTES as u64 {
            skip_to_sync(&mut self.reader)?;
            if chain(&mut self.reader, 2, Some(&self.first))?.is_some() {
                return Ok(Framing::Gap);
            }
        }
        let end = self.reader.position() + self.reader.remaining();
        self.reader.skip(u64::MAX);
        Ok(if end - lost_at > MAX_TRAIL_BYTES {
            Framing::Gap
        } else {
            Framing::End
        })
    }
}

/// Moves on to the next byte that a header could begin with, by at least one.
fn skip_to_sync(reader: &mut ByteReader) -> io::Result<()> {
    const LOOK_AHEAD_BYTES: usize = 1 << 12;
    let ahead = reader.peek(LOOK_AHEAD_BYTES)?;
    let bytes = ahead.iter().skip(1).position(|byte| *byte == 0xff);
    let bytes = bytes.map_or(ahead.len().max(1), |position| position + 1);
    reader.skip(bytes as u64);
    Ok(())
}

/// The header that stands here, when `frames` frames of one stream follow one another from here on, or as many as the
/// file still holds.
fn chain(
    reader: &mut ByteReader,
    frames: usize,
    stream: Option<&FrameHeader>,
) -> io::Result<Option<FrameHeader>> {
    let Some(first) = FrameHeader::parse(reader.peek(HEADER_BYTES)?) else {
        return Ok(None);
    };
    if stream.is_some_and(|stream| !first.continues(stream)) {
        return Ok(None);
    }
    let mut length = 0;
    let mut next = first;
    for _ in 1..frames {
        length += next.bytes;
        let ahead = reader.peek(length + TAG_HEAD_BYTES)?;
        let Some(head) = ahead.get(length..) else {
            // The first frame must be whole; a later one may be cut short.
            let whole = ahead.len() >= first.bytes;
            return Ok(Some(first).filter(|_| whole));
        };
        if head.len() < HEADER_BYTES || tag_bytes(head).is_some() {
            break;
        }
        match FrameHeader::parse(head) {
            Some(header) if header.continues(&first) => next = header,
            _ => return Ok(None),
        }
    }
    Ok(Some(first))
}
