//! Finds where a stream goes on behind bytes that make no sense.

use std::io;
use std::ops::Range;

use super::super::byte_reader::ByteReader;
use super::blocks::MAX_BLOCK_BYTES;
use super::ebml;
use super::elements::{BLOCK, BLOCK_GROUP, CLUSTER, SIMPLE_BLOCK, TIMESTAMP, is_expected};

/// Elements in a row that make a stream: their marks are weak ones, of a byte mostly.
const ROW: usize = 4;

/// Blocks of the track in a row that make one: the mark of each is of two bytes, its name and the number of its track.
const BLOCKS: usize = 2;

/// How far a row is looked at: frames of a picture may be longer than that, and one of them is row enough.
const MAX_ROW_BYTES: usize = 1 << 16;

/// The headers of an element, of a few small ones in it, of a block behind those, and the number of its track.
const LOOK_BYTES: usize = 64;

/// Others that stand in a cluster or behind it: its position and previous size, fillings and checksums, tables of places, tags.
const OTHERS: [u32; 7] = [TIMESTAMP, 0xa7, 0xab, 0xec, 0xbf, 0x1c53_bb6b, 0x1254_c367];

/// Others that stand in the group of a block: how long it is and what it refers to, its coding, padding, additions, fillings and checksums.
const IN_GROUPS: [u32; 9] = [0x9b, 0xfa, 0xfb, 0xa4, 0x75a1, 0x75a2, 0x8e, 0xec, 0xbf];

/// Moves on to where elements of a segment with this track follow one another; false when the file ends before.
pub(super) fn find(reader: &mut ByteReader, track: u64) -> io::Result<bool> {
    while reader.remaining() > 0 {
        let bytes = match row(reader, 0, track)? {
            Some(lead) => match row_within(reader, 1..lead, track)? {
                // Bytes of no meaning that look like elements of which the last ends where one of the stream begins.
                Some(sooner) => sooner,
                None => return Ok(true),
            },
            None => 1,
        };
        reader.skip(bytes as u64);
    }
    Ok(false)
}

/// Where, in a stretch ahead, a row begins of which more is in the stretch than what is of no meaning.
fn row_within(
    reader: &mut ByteReader,
    ahead: Range<usize>,
    track: u64,
) -> io::Result<Option<usize>> {
    for at in ahead.clone() {
        if row(reader, at, track)?.is_some_and(|lead| at + lead < ahead.end) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Whether the stream goes on within the next `bytes` bytes, which are the body of an element: then the element is none, even where another
/// one happens to begin at its end.
pub(super) fn holds_blocks(reader: &mut ByteReader, bytes: u64, track: u64) -> io::Result<bool> {
    if bytes <= MAX_ROW_BYTES as u64 {
        return Ok(row_within(reader, 0..bytes as usize, track)?.is_some());
    }
    let mut inside = reader.fork();
    let end = inside.position().saturating_add(bytes);
    while inside.position() < end && inside.remaining() > 0 {
        let at = inside.position();
        if row(&mut inside, 0, track)?.is_some_and(|lead| at + (lead as u64) < end) {
            return Ok(true);
        }
        inside.skip(1);
    }
    Ok(false)
}

/// Whether the stream goes on within the next `bytes` bytes, the body of an element, and not behind them: then it is not as long as it
/// says.
pub(super) fn hides_blocks(reader: &mut ByteReader, bytes: u64, track: u64) -> io::Result<bool> {
    Ok(!goes_on_behind(reader, bytes, track)? && holds_blocks(reader, bytes, track)?)
}

/// Whether the stream goes on behind the next `bytes` bytes.
pub(super) fn goes_on_behind(reader: &mut ByteReader, bytes: u64, track: u64) -> io::Result<bool> {
    if bytes <= MAX_ROW_BYTES as u64 {
        return Ok(row(reader, bytes as usize, track)?.is_some());
    }
    goes_on(
        &mut reader.at(reader.position().saturating_add(bytes)),
        track,
    )
}

/// Whether an element that a recording has, or nothing, follows behind the next `bytes` bytes.
pub(super) fn is_followed(reader: &mut ByteReader, bytes: u64) -> io::Result<bool> {
    let mut behind;
    let (reader, bytes) = if bytes > MAX_ROW_BYTES as u64 {
        behind = reader.at(reader.position().saturating_add(bytes));
        (&mut behind, 0)
    } else {
        (reader, bytes as usize)
    };
    let ahead = reader.peek(bytes + ebml::MAX_HEADER_BYTES)?;
    let behind = ahead.get(bytes..).unwrap_or_default();
    Ok(behind.is_empty()
        || matches!(ebml::header(behind), Ok(Some(header)) if is_expected(header.id)))
}

/// Whether elements follow one another from here on, among them a block of the track or a cluster, or as many as the file still
/// holds, or two blocks of the track.
pub(super) fn goes_on(reader: &mut ByteReader, track: u64) -> io::Result<bool> {
    Ok(row(reader, 0, track)?.is_some())
}

/// The bytes in front of what is of the stream in the row that begins `begin` bytes ahead: its first block of the track or cluster, which
/// bytes of no meaning hardly look like.
fn row(reader: &mut ByteReader, begin: usize, track: u64) -> io::Result<Option<usize>> {
    let (mut at, mut blocks, mut lead) = (begin, 0, None);
    for _ in 0..ROW {
        if at > begin + MAX_ROW_BYTES {
            break;
        }
        let ahead = reader.peek(at + LOOK_BYTES)?;
        let bytes = ahead.get(at..).unwrap_or_default();
        if bytes.is_empty() {
            // The last element has to end with the file, and not beyond.
            let ends = ahead.len() == at;
            return Ok(lead.filter(|_| ends || blocks >= BLOCKS));
        }
        let Some(link) = link(bytes, track) else {
            return Ok(lead.filter(|_| blocks >= BLOCKS));
        };
        if link.is_cluster || link.is_block {
            lead = lead.or(Some(at - begin));
        }
        blocks += usize::from(link.is_block);
        at += link.bytes;
    }
    Ok(lead)
}

/// An element of a row.
struct Link {
    /// Of a cluster, those of its header.
    bytes: usize,
    is_cluster: bool,
    /// Whether it is a block of the track.
    is_block: bool,
}

/// The element that begins here, if rows have such.
fn link(ahead: &[u8], track: u64) -> Option<Link> {
    let header = ebml::header(ahead).ok()??;
    let body = &ahead[header.bytes..];
    let is_block = match header.id {
        SIMPLE_BLOCK => ebml::number(body)?.0 == track,
        BLOCK_GROUP => match grouped(body) {
            Grouped::Track(number) => number == track,
            Grouped::Far => false,
            Grouped::Nothing => return None,
        },
        id if id == CLUSTER || OTHERS.contains(&id) => false,
        _ => return None,
    };
    let is_cluster = header.id == CLUSTER;
    let size = match header.body_bytes {
        _ if is_cluster => 0,
        size => size.filter(|size| *size <= MAX_BLOCK_BYTES)? as usize,
    };
    Some(Link {
        bytes: header.bytes + size,
        is_cluster,
        is_block,
    })
}

/// What the beginning of a group says of its block.
enum Grouped {
    /// The number of its track.
    Track(u64),
    /// It stands further behind.
    Far,
    /// These are no elements of a group.
    Nothing,
}

fn grouped(mut body: &[u8]) -> Grouped {
    loop {
        let header = match ebml::header(body) {
            Ok(Some(header)) => header,
            Ok(None) => return Grouped::Far,
            Err(_) => return Grouped::Nothing,
        };
        body = &body[header.bytes..];
        match (header.id, header.body_bytes) {
            (BLOCK, Some(_)) => {
                let track = ebml::number(body).map(|(track, _)| track);
                return track.map_or(Grouped::Nothing, Grouped::Track);
            }
            (id, Some(bytes)) if IN_GROUPS.contains(&id) => {
                let behind = usize::try_from(bytes)
                    .ok()
                    .and_then(|bytes| body.get(bytes..));
                let Some(behind) = behind else {
                    return Grouped::Far;
                };
                body = behind;
            }
            _ => return Grouped::Nothing,
        }
    }
}

/// Whether the block, or the group of a block, in whose body the reader stands is of a track that `is_listed`.
pub(super) fn is_of_a_track(
    reader: &mut ByteReader,
    id: u32,
    is_listed: impl Fn(u64) -> bool,
) -> io::Result<bool> {
    let body = reader.peek(LOOK_BYTES)?;
    Ok(match id {
        BLOCK_GROUP => match grouped(body) {
            Grouped::Track(track) => is_listed(track),
            Grouped::Far => true,
            Grouped::Nothing => false,
        },
        _ => ebml::number(body).is_some_and(|(track, _)| is_listed(track)),
    })
}
