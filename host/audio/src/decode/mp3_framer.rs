use std::io;

use super::byte_reader::ByteReader;
use super::mp3_frame::{FrameHeader, HEADER_BYTES};
use super::tags::{TAG_HEAD_BYTES, tag_bytes};

/// How far from the beginning (after `ID3v2` tags) the first frame may stand without a finding: cut streams begin inside a frame, and
/// careless programs leave padding after the tag. More than a frame's length that is not padding means a broken beginning.
const MAX_LEAD_BYTES: u64 = 1 << 16;

/// How many bytes that are not zero may precede the first frame at all, as a picture does whose tag states a wrong length. Zeros, which
/// fill the holes of a download, are not counted.
const MAX_FAR_LEAD_BYTES: u64 = 4 << 20;

/// How many bytes may follow the last frame without a finding: unknown tags, sector padding.
pub(super) const MAX_TRAIL_BYTES: u64 = 1 << 16;

/// Frames in a row that make a stream: headers are weak marks, but chance does not produce the same one three times in a row.
const FRAMES_IN_A_ROW: usize = 3;

/// The same after many bytes that are no MP3, where chance has more to choose from and the file's end excuses nothing.
const FRAMES_IN_A_FAR_ROW: usize = 6;

/// Cuts an MP3 stream into its frames.
pub(super) struct Mp3Framer {
    reader: ByteReader,
    first: FrameHeader,
    lead_bytes: u64,
    /// Those of them that are not zero, at most.
    strange_bytes: u64,
}

/// What stands next in the stream.
pub(super) enum Framing<'a> {
    /// A whole frame with its header.
    Frame(FrameHeader, &'a [u8]),
    /// So many bytes that are no frame; frames follow.
    Gap(u64),
    /// A frame begins, and the file ends inside of it.
    Cut,
    /// No more frames, only so many meaningless bytes, and how many of them are not zero.
    End(u64, u64),
}

impl Mp3Framer {
    /// Finds the first frame; none when the file is not an MP3 stream.
    pub(super) fn synchronise(mut reader: ByteReader) -> io::Result<Option<Self>> {
        let begin = reader.position();
        let mut strange_bytes = 0;
        while strange_bytes <= MAX_FAR_LEAD_BYTES {
            let lead_bytes = reader.position() - begin;
            let is_near = lead_bytes < MAX_LEAD_BYTES;
            let row = Row {
                frames: if is_near {
                    FRAMES_IN_A_ROW
                } else {
                    FRAMES_IN_A_FAR_ROW
                },
                may_end: is_near,
            };
            if let Some(first) = chain(&mut reader, 0, row, None)? {
                let near = lead_bytes.min(MAX_LEAD_BYTES);
                let before = reader.at(reader.position() - near);
                let sooner = sooner_pair(before, &first, near)?;
                return Ok(Some(match sooner {
                    Some((reader, first)) => Self {
                        lead_bytes: reader.position() - begin,
                        strange_bytes,
                        reader,
                        first,
                    },
                    None => Self {
                        reader,
                        first,
                        lead_bytes,
                        strange_bytes,
                    },
                }));
            }
            if reader.remaining() <= HEADER_BYTES as u64 {
                return Ok(None);
            }
            strange_bytes += skip_to_sync(&mut reader)?;
        }
        Ok(None)
    }

    /// Bytes before the first frame that are no tag, where they are too many to be padding or the end of a frame.
    pub(super) fn strange_lead_bytes(&self) -> Option<u64> {
        let strange_bytes = self.strange_bytes.min(self.lead_bytes);
        let is_strange =
            self.lead_bytes > MAX_LEAD_BYTES || strange_bytes > self.first.bytes as u64;
        is_strange.then_some(self.lead_bytes)
    }

    /// The header of the first frame, which all others match.
    pub(super) fn first(&self) -> &FrameHeader {
        &self.first
    }

    /// Another framer that begins where this one stands.
    pub(super) fn fork(&self) -> Self {
        Self {
            reader: self.reader.fork(),
            ..*self
        }
    }

    /// The next frame.
    pub(super) fn next(&mut self) -> io::Result<Framing<'_>> {
        loop {
            let head = self.reader.peek(TAG_HEAD_BYTES)?;
            if head.len() < HEADER_BYTES {
                // The first byte of a header has all bits set.
                let left = head.len() as u64;
                return Ok(match head.first() {
                    Some(0xff) => Framing::Cut,
                    Some(_) | None => Framing::End(left, left),
                });
            }
            let header = FrameHeader::parse(head).filter(|header| header.continues(&self.first));
            if let Some(header) = header {
                if let Some(bytes) = self.sooner(&header)? {
                    self.reader.skip(bytes);
                    return Ok(Framing::Gap(bytes));
                }
                if self.reader.remaining() < header.bytes as u64 {
                    return Ok(Framing::Cut);
                }
                return Ok(Framing::Frame(header, self.reader.take(header.bytes)?));
            }
            // Concatenated files carry their tags along.
            let Some(bytes) = tag_bytes(head).filter(|bytes| *bytes <= self.reader.remaining())
            else {
                break;
            };
            self.reader.skip(bytes);
        }
        let lost_at = self.reader.position();
        let mut strange_bytes = 0;
        while self.reader.remaining() > HEADER_BYTES as u64 {
            strange_bytes += skip_to_sync(&mut self.reader)?;
            if chain(&mut self.reader, 0, PAIR, Some(&self.first))?.is_some() {
                return Ok(Framing::Gap(self.reader.position() - lost_at));
            }
        }
        let end = self.reader.position() + self.reader.remaining();
        self.reader.skip(u64::MAX);
        Ok(Framing::End(end - lost_at, strange_bytes))
    }

    /// Where the stream goes on inside the frame that stands here, which the file may not hold whole: then its header states a wrong
    /// length, or the rest of it is missing. None when another frame follows this one, or none begins inside it.
    fn sooner(&mut self, header: &FrameHeader) -> io::Result<Option<u64>> {
        let ahead = self.reader.peek(header.bytes + TAG_HEAD_BYTES)?;
        // At the end of the file, only a complete row of frames shows that the header is wrong.
        let mut row = Row {
            may_end: false,
            ..PAIR
        };
        if let Some(behind) = ahead.get(header.bytes..) {
            let next = FrameHeader::parse(behind);
            if next.is_some_and(|next| next.continues(&self.first)) || tag_bytes(behind).is_some() {
                return Ok(None);
            }
            row.may_end = behind.len() >= HEADER_BYTES;
        }
        let inside = &ahead[1..header.bytes.min(ahead.len())];
        let begins = inside.iter().enumerate();
        let begins: Vec<usize> = begins
            .filter(|(_, byte)| **byte == 0xff)
            .map(|(index, _)| index + 1)
            .collect();
        for at in begins {
            if chain(&mut self.reader, at, row, Some(&self.first))?.is_some() {
                return Ok(Some(at as u64));
            }
        }
        Ok(None)
    }
}

/// The first two consecutive frames of a known stream among the bytes before it: the beginning of a stream that soon breaks.
fn sooner_pair(
    mut reader: ByteReader,
    stream: &FrameHeader,
    lead_bytes: u64,
) -> io::Result<Option<(ByteReader, FrameHeader)>> {
    let end = reader.position() + lead_bytes;
    while reader.position() < end {
        if let Some(first) = chain(&mut reader, 0, PAIR, Some(stream))? {
            return Ok(Some((reader, first)));
        }
        skip_to_sync(&mut reader)?;
    }
    Ok(None)
}

/// Moves on, by at least one, to the next byte that could begin a header; returns how many bytes that were not zero it passed.
fn skip_to_sync(reader: &mut ByteReader) -> io::Result<u64> {
    const LOOK_AHEAD_BYTES: usize = 1 << 12;
    let ahead = reader.peek(LOOK_AHEAD_BYTES)?;
    let bytes = ahead.iter().skip(1).position(|byte| *byte == 0xff);
    let bytes = bytes.map_or(ahead.len().max(1), |position| position + 1);
    let passed = ahead.iter().take(bytes).filter(|byte| **byte != 0).count();
    reader.skip(bytes as u64);
    Ok(passed as u64)
}

/// How many frames have to follow one another.
#[derive(Clone, Copy)]
struct Row {
    frames: usize,
    /// Whether fewer are enough at the end of the file.
    may_end: bool,
}

/// The frames that show that a known stream goes on.
const PAIR: Row = Row {
    frames: 2,
    may_end: true,
};

/// The header that stands `at` bytes ahead, when a row of frames of one stream begins there.
fn chain(
    reader: &mut ByteReader,
    at: usize,
    row: Row,
    stream: Option<&FrameHeader>,
) -> io::Result<Option<FrameHeader>> {
    let ahead = reader.peek(at + HEADER_BYTES)?;
    let Some(first) = FrameHeader::parse(ahead.get(at..).unwrap_or_default()) else {
        return Ok(None);
    };
    if stream.is_some_and(|stream| !first.continues(stream)) {
        return Ok(None);
    }
    let mut length = at;
    let mut next = first;
    for _ in 1..row.frames {
        length += next.bytes;
        let ahead = reader.peek(length + TAG_HEAD_BYTES)?;
        let Some(head) = ahead.get(length..) else {
            // The first frame must be whole; a later one may be cut short.
            let whole = row.may_end && ahead.len() >= at + first.bytes;
            return Ok(Some(first).filter(|_| whole));
        };
        if head.len() < HEADER_BYTES {
            return Ok(Some(first).filter(|_| row.may_end));
        }
        if let Some(bytes) = tag_bytes(head) {
            // After a tag, it has to be the same stream that goes on.
            let mut behind = reader.at(reader.position() + length as u64 + bytes);
            let next = FrameHeader::parse(behind.peek(HEADER_BYTES)?);
            let goes_on = next.is_none_or(|next| next.continues(&first));
            return Ok(Some(first).filter(|_| row.may_end && goes_on));
        }
        match FrameHeader::parse(head) {
            Some(header) if header.continues(&first) => next = header,
            _ => return Ok(None),
        }
    }
    Ok(Some(first))
}
