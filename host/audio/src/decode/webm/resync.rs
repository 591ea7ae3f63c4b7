//! Finds where a stream goes on after bytes that make no sense.

use std::io;
use std::ops::Range;

use super::super::byte_reader::ByteReader;
use super::blocks::MAX_BLOCK_BYTES;
use super::ebml;
use super::elements::{BLOCK, BLOCK_GROUP, CLUSTER, SIMPLE_BLOCK, TIMESTAMP, is_expected};

/// Elements in a row that make a stream: their marks are weak, mostly of one byte.
const ROW: usize = 4;

/// Blocks of the track in a row that make a stream: each has a mark of two bytes, its name and the number of its track.
const BLOCKS: usize = 2;

/// How far a row is followed: frames of a picture may be longer than that, and one of them suffices.
const MAX_ROW_BYTES: usize = 1 << 16;

/// Room for the headers of an element, of a few small ones in it and of a block after those, and the number of its track.
const LOOK_BYTES: usize = 64;

/// Others that occur in a cluster or after it: its position and previous size, padding and checksums, seek tables, tags.
const OTHERS: [u32; 7] = [TIMESTAMP, 0xa7, 0xab, 0xec, 0xbf, 0x1c53_bb6b, 0x1254_c367];

/// Others that occur in the group of a block: its duration, references, coding, discard padding, additions, padding and checksums.
const IN_GROUPS: [u32; 9] = [0x9b, 0xfa, 0xfb, 0xa4, 0x75a1, 0x75a2, 0x8e, 0xec, 0xbf];

/// Moves on to where elements of a segment with this track follow one another; false when the file ends before.
pub(super) fn find(reader: &mut ByteReader, track: u64) -> io::Result<bool> {
    let begin = reader.position();
    while reader.remaining() > 0 {
        // Two blocks at the end are not worth a longer hole in front of them.
        let is_more = reader.remaining() >= reader.position() - begin;
        let found = row(reader, 0, track)?;
        let bytes = match found.filter(|row| row.is_whole || is_more) {
            Some(Row { lead, .. }) => match row_within(reader, 1..lead, track)? {
                // Meaningless bytes that look like elements, the last of which ends where an element of the stream begins.
                Some(sooner) => sooner,
                None => return Ok(true),
            },
            None => 1,
        };
        reader.skip(bytes as u64);
    }
    Ok(false)
}

/// Where within the range `ahead` a row of elements begins that is more likely the stream's than chance: a block of the track or a cluster
/// of the row lies within the range, too.
fn row_within(
    reader: &mut ByteReader,
    ahead: Range<usize>,
    track: u64,
) -> io::Result<Option<usize>> {
    for at in ahead.clone() {
        if row(reader, at, track)?.is_some_and(|row| at + row.lead < ahead.end) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Whether the stream goes on within the next `bytes` bytes, the body of an element. Then it is no element, even if another happens to
/// begin at its end.
pub(super) fn holds_blocks(reader: &mut ByteReader, bytes: u64, track: u64) -> io::Result<bool> {
    if bytes <= MAX_ROW_BYTES as u64 {
        return Ok(row_within(reader, 0..bytes as usize, track)?.is_some());
    }
    let mut inside = reader.fork();
    let end = inside.position().saturating_add(bytes);
    while inside.position() < end && inside.remaining() > 0 {
        let at = inside.position();
        if row(&mut inside, 0, track)?.is_some_and(|row| at + (row.lead as u64) < end) {
            return Ok(true);
        }
        inside.skip(1);
    }
    Ok(false)
}

/// Whether the stream goes on within the next `bytes` bytes, the body of an element, and not after them: then the element is shorter than
/// it says.
pub(super) fn hides_blocks(reader: &mut ByteReader, bytes: u64, track: u64) -> io::Result<bool> {
    Ok(!goes_on_behind(reader, bytes, track)? && holds_blocks(reader, bytes, track)?)
}

/// Whether the stream goes on after the next `bytes` bytes.
pub(super) fn goes_on_behind(reader: &mut ByteReader, bytes: u64, track: u64) -> io::Result<bool> {
    if bytes <= MAX_ROW_BYTES as u64 {
        return Ok(row(reader, bytes as usize, track)?.is_some());
    }
    goes_on(
        &mut reader.at(reader.position().saturating_add(bytes)),
        track,
    )
}

/// Whether a usual element of a recording, or nothing, follows the next `bytes` bytes.
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

/// Whether a row of the stream begins here: consecutive elements, as many as `ROW` or the file still holds, with a block of the track or
/// a cluster among them; or fewer with two blocks of the track.
pub(super) fn goes_on(reader: &mut ByteReader, track: u64) -> io::Result<bool> {
    Ok(row(reader, 0, track)?.is_some())
}

/// Elements that follow one another, some of which are of the stream.
struct Row {
    /// The bytes before the first block of the track or cluster; meaningless bytes hardly look like one.
    lead: usize,
    /// Whether there are as many elements as make a stream, or the file ends with them.
    is_whole: bool,
}

/// The row that begins `begin` bytes ahead.
fn row(reader: &mut ByteReader, begin: usize, track: u64) -> io::Result<Option<Row>> {
    let (mut at, mut blocks, mut lead) = (begin, 0, None);
    let mut is_whole = true;
    for _ in 0..ROW {
        if at > begin + MAX_ROW_BYTES {
            break;
        }
        let ahead = reader.peek(at + LOOK_BYTES)?;
        let bytes = ahead.get(at..).unwrap_or_default();
        if bytes.is_empty() {
            // The last element has to end exactly with the file.
            is_whole = ahead.len() == at;
            break;
        }
        let Some(link) = link(bytes, track) else {
            is_whole = false;
            break;
        };
        if link.is_cluster || link.is_block {
            lead = lead.or(Some(at - begin));
        }
        blocks += usize::from(link.is_block);
        at += link.bytes;
    }
    let lead = lead.filter(|_| is_whole || blocks >= BLOCKS);
    Ok(lead.map(|lead| Row { lead, is_whole }))
}

/// An element of a row.
struct Link {
    /// Its length; for a cluster, that of its header.
    bytes: usize,
    is_cluster: bool,
    /// Whether it is a block of the track.
    is_block: bool,
}

/// The element that begins here, if it is one that rows consist of.
fn link(ahead: &[u8], track: u64) -> Option<Link> {
    let header = ebml::header(ahead).ok()??;
    let body = &ahead[header.bytes..];
    let is_block = match header.id {
        SIMPLE_BLOCK | BLOCK_GROUP => match owner(header.id, body) {
            Owner::Track(number) => number == track,
            Owner::Far => false,
            Owner::None => return None,
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

/// What the beginning of a block, or of the group of a block, says of its track.
enum Owner {
    /// The number of the track.
    Track(u64),
    /// The block comes too far on in its group.
    Far,
    /// This is no block and no group of one.
    None,
}

fn owner(id: u32, mut body: &[u8]) -> Owner {
    let track = |block| ebml::number(block).map_or(Owner::None, |(track, _)| Owner::Track(track));
    if id == SIMPLE_BLOCK {
        return track(body);
    }
    loop {
        let header = match ebml::header(body) {
            Ok(Some(header)) => header,
            Ok(None) => return Owner::Far,
            Err(_) => return Owner::None,
        };
        body = &body[header.bytes..];
        match (header.id, header.body_bytes) {
            (BLOCK, Some(_)) => return track(body),
            (id, Some(bytes)) if IN_GROUPS.contains(&id) => {
                let behind = usize::try_from(bytes)
                    .ok()
                    .and_then(|bytes| body.get(bytes..));
                let Some(behind) = behind else {
                    return Owner::Far;
                };
                body = behind;
            }
            _ => return Owner::None,
        }
    }
}

/// Whether the reader stands in the body of a block, or of the group of a block, of a track that `is_listed`.
pub(super) fn is_of_a_track(
    reader: &mut ByteReader,
    id: u32,
    is_listed: impl Fn(u64) -> bool,
) -> io::Result<bool> {
    Ok(match owner(id, reader.peek(LOOK_BYTES)?) {
        Owner::Track(track) => is_listed(track),
        Owner::Far => true,
        Owner::None => false,
    })
}
