//! Finds where a stream goes on behind bytes that make no sense.

use std::io;

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

/// The headers of an element, of a block in it, and the number of its track.
pub(super) const LOOK_BYTES: usize = 2 * ebml::MAX_HEADER_BYTES + 8;

/// Others that stand in a cluster or behind it: its position and previous size, fillings and checksums, tables of places, tags.
const OTHERS: [u32; 7] = [TIMESTAMP, 0xa7, 0xab, 0xec, 0xbf, 0x1c53_bb6b, 0x1254_c367];

/// Moves on to where elements of a segment with this track follow one another; false when the file ends before.
pub(super) fn find(reader: &mut ByteReader, track: u64) -> io::Result<bool> {
    find_before(reader, track, u64::MAX)
}

/// The same, if that is in front of `end`.
fn find_before(reader: &mut ByteReader, track: u64, end: u64) -> io::Result<bool> {
    while reader.position() < end && reader.remaining() > 0 {
        if let Some(lead) = row(reader, track)? {
            let mut inside = reader.fork();
            inside.skip(1);
            let end = reader.position() + lead as u64;
            if lead == 0 || !row_before(&mut inside, track, end)? {
                return Ok(true);
            }
            // Bytes of no meaning that look like elements of which the last ends where one of the stream begins.
            *reader = inside;
        } else {
            reader.skip(1);
        }
    }
    Ok(false)
}

/// Whether the stream goes on inside of an element, in whose body `inside` stands and which ends at `end`, and which is of no track that there
/// is: that it ends where another element begins is then chance.
pub(super) fn holds_blocks(inside: &ByteReader, end: u64, track: u64) -> io::Result<bool> {
    row_before(&mut inside.fork(), track, end)
}

/// Moves on to where a row begins, if that is in front of `end`.
fn row_before(reader: &mut ByteReader, track: u64, end: u64) -> io::Result<bool> {
    while reader.position() < end && reader.remaining() > 0 {
        if goes_on(reader, track)? {
            return Ok(true);
        }
        reader.skip(1);
    }
    Ok(false)
}

/// Whether the stream goes on inside of an element, in whose body `inside` stands and which ends at `end`, and not behind it: then it
/// is not as long as it says.
pub(super) fn hides_blocks(inside: &ByteReader, end: u64, track: u64) -> io::Result<bool> {
    Ok(!goes_on(&mut inside.at(end), track)? && find_before(&mut inside.fork(), track, end)?)
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
    Ok(row(reader, track)?.is_some())
}

/// The bytes in front of what is of the stream in the row that begins here: its first block of the track or cluster, which bytes of no
/// meaning hardly look like.
fn row(reader: &mut ByteReader, track: u64) -> io::Result<Option<usize>> {
    let (mut at, mut blocks, mut lead) = (0, 0, None);
    for _ in 0..ROW {
        if at > MAX_ROW_BYTES {
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
            lead = lead.or(Some(at));
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
        BLOCK_GROUP => grouped_track(body) == Some(track),
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

/// The track of the block that begins a group.
pub(super) fn grouped_track(body: &[u8]) -> Option<u64> {
    let header = ebml::header(body).ok()??;
    let (number, _) = ebml::number(body.get(header.bytes..)?)?;
    (header.id == BLOCK).then_some(number)
}
