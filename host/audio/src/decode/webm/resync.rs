//! Finds where a stream goes on behind bytes that make no sense.

use std::io;

use super::super::byte_reader::ByteReader;
use super::blocks::MAX_BLOCK_BYTES;
use super::ebml;
use super::elements::{BLOCK, BLOCK_GROUP, CLUSTER, SIMPLE_BLOCK, TIMESTAMP, is_expected};

/// Elements in a row that make a stream: their marks are weak ones, of a byte mostly.
const ROW: usize = 4;

/// How far a row is looked at: frames of a picture may be longer than that, and one of them is row enough.
const MAX_ROW_BYTES: usize = 1 << 16;

/// The headers of an element, of a block in it, and the number of its track.
const LOOK_BYTES: usize = 2 * ebml::MAX_HEADER_BYTES + 8;

/// Others that stand in a cluster or behind it: its position and previous size, fillings and checksums, tables of places, tags.
const OTHERS: [u32; 7] = [TIMESTAMP, 0xa7, 0xab, 0xec, 0xbf, 0x1c53_bb6b, 0x1254_c367];

/// Moves on to where elements of a segment with this track follow one another; false when the file ends before.
pub(super) fn find(reader: &mut ByteReader, track: u64) -> io::Result<bool> {
    find_before(reader, track, u64::MAX)
}

/// The same, if that is in front of `end`.
fn find_before(reader: &mut ByteReader, track: u64, end: u64) -> io::Result<bool> {
    while reader.position() < end && reader.remaining() > 0 {
        if let Some(row) = row(reader, track)? {
            let mut inside = reader.fork();
            inside.skip(1);
            if row.is_ours || !row_before(&mut inside, track, reader.position() + row.bytes)? {
                return Ok(true);
            }
            // Bytes of no meaning that look like an element which ends where another one begins.
            *reader = inside;
        } else {
            reader.skip(1);
        }
    }
    Ok(false)
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
/// holds.
pub(super) fn goes_on(reader: &mut ByteReader, track: u64) -> io::Result<bool> {
    Ok(row(reader, track)?.is_some())
}

/// What a row begins with.
#[derive(Clone, Copy)]
struct Row {
    /// Of its first element; of a cluster, those of its header.
    bytes: u64,
    /// Whether that is a block of the track or a cluster: bytes of no meaning hardly look like one.
    is_ours: bool,
}

/// The row that begins here.
fn row(reader: &mut ByteReader, track: u64) -> io::Result<Option<Row>> {
    let (mut at, mut is_ours, mut first) = (0, false, None);
    for _ in 0..ROW {
        if at > MAX_ROW_BYTES {
            break;
        }
        let ahead = reader.peek(at + LOOK_BYTES)?;
        let Some(bytes) = ahead.get(at..).filter(|bytes| !bytes.is_empty()) else {
            // The last element has to end with the file, and not beyond.
            return Ok(first.filter(|_| is_ours && ahead.len() == at));
        };
        let Ok(Some(header)) = ebml::header(bytes) else {
            return Ok(None);
        };
        at += header.bytes;
        match (header.id, header.body_bytes) {
            (CLUSTER, _) => {
                is_ours = true;
            }
            (SIMPLE_BLOCK, Some(size)) if size <= MAX_BLOCK_BYTES => {
                let Some((number, _)) = ebml::number(&bytes[header.bytes..]) else {
                    return Ok(None);
                };
                is_ours |= number == track;
                at += size as usize;
            }
            (BLOCK_GROUP, Some(size)) if size <= MAX_BLOCK_BYTES => {
                is_ours |= grouped_track(&bytes[header.bytes..]) == Some(track);
                at += size as usize;
            }
            (id, Some(size)) if OTHERS.contains(&id) && size <= MAX_BLOCK_BYTES => {
                at += size as usize;
            }
            _ => return Ok(None),
        }
        let bytes = at as u64;
        first = first.or(Some(Row { bytes, is_ours }));
    }
    Ok(first.filter(|_| is_ours))
}

/// The track of the block that begins a group.
fn grouped_track(body: &[u8]) -> Option<u64> {
    let header = ebml::header(body).ok()??;
    let (number, _) = ebml::number(body.get(header.bytes..)?)?;
    (header.id == BLOCK).then_some(number)
}
