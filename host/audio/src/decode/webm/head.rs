//! What precedes the sound: which track it is in, and how its clock ticks.

use std::fs::File;
use std::io;
use std::sync::Arc;

use super::super::DecodeError;
use super::super::byte_reader::ByteReader;
use super::super::tags;
use super::ebml::{self, Header};
use super::elements::{CLUSTER, EBML, SEGMENT, is_known};
use super::resync;
use super::track::{self, Track};

const DOC_TYPE: u32 = 0x4282;
const INFO: u32 = 0x1549_a966;
const TIMESTAMP_SCALE: u32 = 0x002a_d7b1;
const TRACKS: u32 = 0x1654_ae6b;

/// Nanoseconds of a tick where the file does not say.
const USUAL_TICK_NS: u64 = 1_000_000;

/// The largest list of tracks, and the largest header of the file, held in memory: a track takes a few kilobytes.
const MAX_HEAD_BYTES: u64 = 1 << 20;

/// How many elements are tried that may be a list of tracks, since each may have the largest size.
const MAX_TRIES: usize = 64;

/// How much of a file is searched for a list of tracks where no element leads to it.
const MAX_SEARCH_BYTES: u64 = 8 << 20;

/// What precedes the sound.
pub(super) struct Head {
    /// Stands before the first cluster, or before what is broken after the list of tracks.
    pub(super) reader: ByteReader,
    /// The track of sound.
    pub(super) track: Arc<Track>,
    /// Where the segment ends, if it says so.
    pub(super) segment_end: Option<u64>,
    /// Nanoseconds of a tick of its clock.
    pub(super) tick_ns: u64,
}

/// A head that has not been read completely.
struct Unfinished {
    reader: ByteReader,
    track: Option<Track>,
    segment_end: Option<u64>,
    tick_ns: u64,
    tries: usize,
    /// The first reason found why there is no track.
    refusal: Option<DecodeError>,
}

impl Head {
    /// Reads up to the first cluster. Only the list of tracks is needed; everything else may be broken. The list is searched for where no
    /// element leads to it.
    pub(super) fn read(file: &File) -> Result<Self, DecodeError> {
        let mut reader = ByteReader::open(file, 0)?;
        tags::skip_leading(&mut reader)?;
        let begin = reader.position();
        let mut head = Unfinished::at(reader);
        while head.step()? {}
        if head.track.is_none() {
            let mut search = ByteReader::open(file, begin)?;
            search.end_at(begin.saturating_add(MAX_SEARCH_BYTES));
            head.search(search)?;
        }
        let Some(track) = head.track else {
            return Err(head
                .refusal
                .unwrap_or_else(|| DecodeError::undecodable("the webm header lists no tracks")));
        };
        Ok(Self {
            reader: head.reader,
            track: Arc::new(track),
            segment_end: head.segment_end,
            tick_ns: head.tick_ns,
        })
    }
}

/// The sound track that the headers beginning here list; none where the sound begins before any list.
pub(super) fn track_behind(mut reader: ByteReader) -> io::Result<Option<Track>> {
    reader.end_at(reader.position().saturating_add(MAX_HEAD_BYTES));
    let mut head = Unfinished::at(reader);
    while head.track.is_none() {
        match head.step() {
            Ok(true) => {}
            Err(DecodeError::Io(error)) => return Err(error),
            Ok(false) | Err(_) => break,
        }
    }
    Ok(head.track)
}

impl Unfinished {
    fn at(reader: ByteReader) -> Self {
        Self {
            reader,
            track: None,
            segment_end: None,
            tick_ns: USUAL_TICK_NS,
            tries: 0,
            refusal: None,
        }
    }

    /// Reads an element, or steps over it; false before the sound, and where there is nothing more.
    fn step(&mut self) -> Result<bool, DecodeError> {
        let at = self.reader.position();
        let header = ebml::header(self.reader.peek(ebml::MAX_HEADER_BYTES)?);
        let Ok(Some(header)) = header else {
            if let Ok(None) = header {
                self.refuse(DecodeError::undecodable("the webm header is cut short"));
                return Ok(false);
            }
            return self.skip_broken(at);
        };
        match (header.id, header.body_bytes) {
            (CLUSTER, _) => Ok(false),
            (SEGMENT, bytes) => {
                self.reader.skip(header.bytes as u64);
                let start = self.reader.position();
                self.segment_end = bytes.map(|bytes| start.saturating_add(bytes));
                Ok(true)
            }
            (TRACKS, _) | (EBML | INFO, Some(_)) => {
                if self.take(header)? {
                    return Ok(true);
                }
                self.reader = self.reader.at(at);
                self.skip_broken(at)
            }
            (id, Some(bytes)) if is_known(id) => {
                self.reader.skip(header.bytes as u64);
                if bytes <= self.reader.remaining() && !self.is_too_long(bytes)? {
                    self.reader.skip(bytes);
                    return Ok(true);
                }
                self.skip_broken(at)
            }
            _ => self.skip_broken(at),
        }
    }

    /// Whether an element, in whose body of so many bytes the reader stands, states too great a length: nothing follows it, and the sound,
    /// or the list of tracks, may be in it.
    fn is_too_long(&mut self, bytes: u64) -> io::Result<bool> {
        if resync::is_followed(&mut self.reader, bytes)? {
            return Ok(false);
        }
        match &self.track {
            Some(track) => resync::hides_blocks(&mut self.reader, bytes, track.number),
            None => Ok(true),
        }
    }

    /// Steps over something broken at `at`; once the track is known, the block reader finds where the stream goes on.
    fn skip_broken(&mut self, at: u64) -> Result<bool, DecodeError> {
        self.reader = self.reader.at(at);
        if self.track.is_some() {
            return Ok(false);
        }
        skip_to(&mut self.reader, &[TRACKS, CLUSTER])?;
        Ok(true)
    }

    /// Reads what is needed of an element; false when it cannot be read.
    fn take(&mut self, header: Header) -> Result<bool, DecodeError> {
        self.reader.skip(header.bytes as u64);
        self.tries += 1;
        let begin = self.reader.position();
        // A list of tracks of no length, or of one that cannot be, is as long as its elements.
        let most = self.reader.remaining().min(MAX_HEAD_BYTES);
        let is_list = header.id == TRACKS;
        let stated = header.body_bytes.filter(|bytes| !is_list || *bytes <= most);
        let bytes = stated.unwrap_or(most);
        if bytes > MAX_HEAD_BYTES || self.tries > MAX_TRIES {
            self.refuse(DecodeError::undecodable("the webm header is too large"));
            return Ok(false);
        }
        let is_sure = stated.is_some() && resync::is_followed(&mut self.reader, bytes)?;
        let body = self.reader.take(bytes as usize)?;
        if (body.len() as u64) < bytes {
            self.refuse(DecodeError::undecodable("the webm header is cut short"));
            return Ok(false);
        }
        let fields = ebml::children(body);
        match header.id {
            TRACKS => match track::first_readable(body) {
                Ok(track) => {
                    self.track = Some(track);
                    if !is_sure {
                        // The sound may begin before it says that it ends.
                        self.reader = self.reader.at(begin);
                    }
                }
                Err(refusal) => {
                    self.refuse(refusal);
                    return Ok(false);
                }
            },
            INFO => {
                // It is needed only to measure holes.
                let stated = ebml::child(&fields, TIMESTAMP_SCALE).and_then(ebml::unsigned);
                self.tick_ns = stated.filter(|ns| *ns > 0).unwrap_or(USUAL_TICK_NS);
            }
            _ => {
                let kind = ebml::text(ebml::child(&fields, DOC_TYPE).unwrap_or_default());
                // Some browsers write the same recording under the name of the larger standard.
                if ![&b"webm"[..], b"matroska"].contains(&kind) {
                    self.refuse(DecodeError::Format {
                        found: "an EBML file other than WebM",
                    });
                }
            }
        }
        Ok(true)
    }

    /// Looks for a list of tracks byte by byte; with one, the reader stands behind it.
    fn search(&mut self, mut search: ByteReader) -> Result<(), DecodeError> {
        while self.track.is_none() && self.tries <= MAX_TRIES && search.remaining() > 0 {
            skip_to(&mut search, &[TRACKS])?;
            let at = search.position();
            self.reader = self.reader.at(at);
            if let Ok(Some(header)) = ebml::header(search.peek(ebml::MAX_HEADER_BYTES)?) {
                self.take(header)?;
            }
        }
        Ok(())
    }

    fn refuse(&mut self, reason: DecodeError) {
        self.refusal.get_or_insert(reason);
    }
}

/// Moves on, by at least a byte, to the next of these elements, or to the end.
fn skip_to(reader: &mut ByteReader, wanted: &[u32]) -> io::Result<()> {
    reader.skip(1);
    while reader.remaining() > 0 {
        let ahead = reader.peek(4)?.first_chunk();
        let id = ahead.map_or(0, |bytes| u32::from_be_bytes(*bytes));
        if wanted.contains(&id) {
            break;
        }
        reader.skip(1);
    }
    Ok(())
}
