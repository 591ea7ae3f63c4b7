use std::io;
use std::sync::Arc;

use super::super::byte_reader::ByteReader;
use super::super::source::Reason;
use super::ebml::{self, Header};
use super::elements::{
    BLOCK, BLOCK_GROUP, CLUSTER, DISCARD_PADDING, EBML, MAX_NUMBER_BYTES, SEGMENT, SIMPLE_BLOCK,
    TIMESTAMP, is_expected, is_known, is_number, is_plain,
};
use super::head;
use super::lace;
use super::packets::Packets;
use super::resync;
use super::track::Track;

/// The largest block of sound that is held in memory: even a second of all channels without lossy compression would be smaller.
pub(super) const MAX_BLOCK_BYTES: u64 = 1 << 20;

/// How often repeated headers are accepted: each time they are searched.
const MAX_REPEATS: u32 = 16;

/// The longest number of a track, and the relative time and flags behind it.
const MAX_BLOCK_HEADER_BYTES: usize = 8 + 3;

/// What comes next on a walk over blocks.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Met {
    /// A block of the track.
    Block,
    /// So many bytes that make no sense; the stream goes on after them.
    Hole(u64, Reason),
    /// An unknown element of so many bytes that may be a damaged block; the times of other blocks tell whether it was.
    Strange(u64, Reason),
    /// Nothing more, and why, if that is too early.
    End(Option<String>),
}

/// Why an element cannot be read.
enum Trouble {
    Io(io::Error),
    /// The file ends inside of it.
    Short,
    /// It reaches beyond its cluster: one of the two is wrong about its length.
    Beyond,
    /// A second recording begins.
    Second,
    /// Nothing says where it ends.
    Broken(Reason),
    /// Only its contents make no sense; the reader stands after it.
    Inside(Reason),
    /// It should not be there; the reader stands after it.
    Strange(Reason),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Walks the blocks of one track, wherever in the clusters they lie.
///
/// Clusters are entered rather than measured, since a recording browser does not know how long they will be. Times are used only to measure
/// what was lost: time that passes between two blocks and is in neither of them is missing from the file.
pub(super) struct BlockReader {
    reader: ByteReader,
    track: Arc<Track>,
    /// Where the current cluster ends, when it says so.
    cluster_end: Option<u64>,
    /// When it begins, in the segment's ticks.
    cluster_time: i64,
    /// Where the segment ends, when it says so and that is not known to be wrong.
    segment_end: Option<u64>,
    /// Whether a block of our track was met.
    is_begun: bool,
    /// Whether a block has held several packets.
    is_laced: bool,
    /// How often the headers have been repeated.
    repeats: u32,
}

impl BlockReader {
    /// The blocks of `track` from where `reader` stands, inside a segment that states its end as `segment_end`.
    pub(super) fn new(reader: ByteReader, track: Arc<Track>, segment_end: Option<u64>) -> Self {
        Self {
            reader,
            track,
            cluster_end: None,
            cluster_time: 0,
            segment_end,
            is_begun: false,
            is_laced: false,
            repeats: 0,
        }
    }

    /// Another reader of the same blocks from here on.
    pub(super) fn fork(&self) -> Self {
        Self {
            reader: self.reader.fork(),
            track: Arc::clone(&self.track),
            ..*self
        }
    }

    /// Reads on up to the next block, which goes into `packets`, or up to something else worth reporting. A recording without stated
    /// lengths may end after any element; a file that ends inside one is cut short.
    pub(super) fn next(&mut self, packets: &mut Packets) -> io::Result<Met> {
        loop {
            let at = self.reader.position();
            self.cluster_end = self.cluster_end.filter(|end| at < *end);
            if self.segment_ends(at)? {
                return Ok(Met::End(None));
            }
            if self.reader.remaining() == 0 {
                let whole = self.missing() == 0 && self.cluster_end.is_none();
                return Ok(Met::End((!whole).then(|| self.cut_short())));
            }
            let reason = match self.element(packets) {
                Ok(true) => return Ok(Met::Block),
                Ok(false) => continue,
                Err(Trouble::Io(error)) => return Err(error),
                Err(Trouble::Second) => {
                    let reason = "a second recording, which is not heard, follows the first one";
                    return Ok(Met::End(Some(reason.to_owned())));
                }
                Err(Trouble::Inside(reason)) => {
                    return Ok(Met::Hole(self.reader.position() - at, reason));
                }
                Err(Trouble::Strange(reason)) => {
                    return Ok(Met::Strange(self.reader.position() - at, reason));
                }
                Err(Trouble::Beyond) => {
                    self.cluster_end = None;
                    let mut here = self.reader.at(at);
                    if resync::goes_on(&mut here, self.track.number)? {
                        // The cluster's length is wrong.
                        self.reader = here;
                        continue;
                    }
                    Some("an element reaches beyond its cluster".into())
                }
                Err(Trouble::Broken(reason)) => Some(reason),
                Err(Trouble::Short) => None,
            };
            self.cluster_end = None;
            let mut ahead = self.reader.at(at + 1);
            if resync::find(&mut ahead, self.track.number)? {
                self.reader = ahead;
                let bytes = self.reader.position() - at;
                let reason = reason.unwrap_or_else(|| "bytes that are no WebM element".into());
                return Ok(Met::Hole(bytes, reason));
            }
            self.reader.skip(u64::MAX);
            return Ok(Met::End(Some(match reason {
                Some(reason) => format!("the end of the file is broken: {reason}"),
                None => self.cut_short(),
            })));
        }
    }

    /// Whether the segment ends here, as it says. It is wrong when the stream goes on, or when an element reached over its end.
    fn segment_ends(&mut self, at: u64) -> io::Result<bool> {
        let Some(end) = self.segment_end.filter(|end| at >= *end) else {
            return Ok(false);
        };
        self.segment_end = None;
        Ok(at == end && !resync::goes_on(&mut self.reader, self.track.number)?)
    }

    /// How many bytes the file is shorter than the segment says.
    fn missing(&self) -> u64 {
        let file_end = self.reader.position() + self.reader.remaining();
        self.segment_end
            .map_or(0, |end| end.saturating_sub(file_end))
    }

    /// Says that the file ends where more should follow.
    fn cut_short(&self) -> String {
        match self.missing() {
            0 => "the file is cut short".to_owned(),
            missing => format!("the file is cut short, {missing} bytes are missing"),
        }
    }

    /// Steps over an element, or into a cluster; returns whether it was a block of our track.
    fn element(&mut self, packets: &mut Packets) -> Result<bool, Trouble> {
        let at = self.reader.position();
        let header = self.header()?;
        let bytes = match (header.id, header.body_bytes) {
            (CLUSTER, body_bytes) => {
                let start = self.reader.position();
                self.cluster_end = body_bytes.map(|bytes| start.saturating_add(bytes));
                return Ok(false);
            }
            (EBML | SEGMENT, _) if self.is_begun && !self.is_repeated(at)? => {
                return Err(Trouble::Second);
            }
            (EBML | SEGMENT, body_bytes) => {
                // The headers are repeated.
                self.cluster_end = None;
                let bytes = body_bytes.filter(|_| header.id == EBML);
                let bytes = bytes.filter(|bytes| *bytes <= self.reader.remaining());
                self.reader.skip(bytes.unwrap_or_default());
                return Ok(false);
            }
            (_, None) => return Err(Trouble::Broken("an element of unknown length".into())),
            (_, Some(bytes)) => bytes,
        };
        self.check(header.id, bytes)?;
        let end = self.reader.position().saturating_add(bytes);
        let found = match header.id {
            SIMPLE_BLOCK => {
                packets.discard_ns = 0;
                self.block(bytes, packets)
            }
            BLOCK_GROUP => self.group(end, packets),
            id if is_number(id) && bytes > MAX_NUMBER_BYTES => {
                Err(Trouble::Strange("a number that is too long".into()))
            }
            TIMESTAMP => {
                let body = self.reader.take(bytes as usize)?;
                self.cluster_time = ebml::unsigned(body).unwrap_or_default() as i64;
                Ok(false)
            }
            id if is_known(id) => Ok(false),
            _ => return self.unknown(end),
        };
        self.reader.skip(end.saturating_sub(self.reader.position()));
        found
    }

    /// Whether an element can be as long as it says; the reader stands in its body.
    fn check(&mut self, id: u32, bytes: u64) -> Result<(), Trouble> {
        let end = self.reader.position().saturating_add(bytes);
        if self.cluster_end.is_some_and(|cluster| end > cluster) {
            return Err(Trouble::Beyond);
        }
        if self.reader.remaining() < bytes {
            return Err(Trouble::Short);
        }
        let is_doubtful = match id {
            _ if is_plain(id) => bytes > MAX_NUMBER_BYTES,
            _ if is_expected(id) => !resync::is_followed(&mut self.reader, bytes)?,
            _ => false,
        };
        let is_of_none = match id {
            SIMPLE_BLOCK | BLOCK_GROUP => {
                let is_listed = |number: u64| self.track.is_listed(number);
                !resync::is_of_a_track(&mut self.reader, id, is_listed)?
            }
            _ => false,
        };
        let number = self.track.number;
        if is_doubtful && resync::hides_blocks(&mut self.reader, bytes, number)?
            || is_of_none && resync::holds_blocks(&mut self.reader, bytes, number)?
        {
            return Err(Trouble::Broken("an element of a wrong length".into()));
        }
        // Meaningless bytes could look like hundreds of packets, each of which would be silence.
        if is_doubtful
            && id == SIMPLE_BLOCK
            && !self.is_laced
            && lace::is_laced(self.reader.peek(MAX_BLOCK_HEADER_BYTES)?)
            && !resync::goes_on_behind(&mut self.reader, bytes, number)?
        {
            return Err(Trouble::Broken("a block that nothing follows".into()));
        }
        Ok(())
    }

    /// Whether the headers at `at` repeat those of this recording: they lie inside a cluster or segment that states its end, and list the
    /// same track or none. Otherwise a second recording begins.
    fn is_repeated(&mut self, at: u64) -> Result<bool, Trouble> {
        let mut ends = [self.cluster_end, self.segment_end].into_iter().flatten();
        if self.repeats == MAX_REPEATS || !ends.any(|end| at < end) {
            return Ok(false);
        }
        self.repeats += 1;
        let track = head::track_behind(self.reader.at(at))?;
        Ok(track.is_none_or(|track| track == *self.track))
    }

    /// Steps over an unknown element, up to `end`, if the stream goes on after it. Where the stream goes on inside it, it is a cluster
    /// whose name is damaged.
    fn unknown(&mut self, end: u64) -> Result<bool, Trouble> {
        if resync::goes_on(&mut self.reader, self.track.number)? {
            return Ok(false);
        }
        let reason = Reason::from("an element that nobody knows");
        let mut behind = self.reader.at(end);
        if behind.remaining() > 0 && !resync::goes_on(&mut behind, self.track.number)? {
            return Err(Trouble::Broken(reason));
        }
        self.reader.skip(end.saturating_sub(self.reader.position()));
        Err(Trouble::Strange(reason))
    }

    /// The header of the next element, stepped over.
    fn header(&mut self) -> Result<Header, Trouble> {
        let header = ebml::header(self.reader.peek(ebml::MAX_HEADER_BYTES)?)
            .map_err(|malformed| Trouble::Broken(malformed.into()))?
            .ok_or(Trouble::Short)?;
        self.reader.skip(header.bytes as u64);
        Ok(header)
    }

    /// Reads the group around a block, and what the group says about it; returns whether it is of our track.
    fn group(&mut self, end: u64, packets: &mut Packets) -> Result<bool, Trouble> {
        let beyond = || Trouble::Inside("an element reaches beyond its group".into());
        let mut is_found = false;
        packets.discard_ns = 0;
        while self.reader.position() < end {
            let header = match self.header() {
                Err(Trouble::Io(error)) => return Err(error.into()),
                Err(_) => return Err(beyond()),
                Ok(header) => header,
            };
            let bytes = header.body_bytes.unwrap_or(u64::MAX);
            if self.reader.position().saturating_add(bytes) > end {
                return Err(beyond());
            }
            match header.id {
                BLOCK => is_found |= self.block(bytes, packets)?,
                DISCARD_PADDING if bytes <= 8 => {
                    let body = self.reader.take(bytes as usize)?;
                    packets.discard_ns = ebml::signed(body).unwrap_or_default();
                }
                _ => self.reader.skip(bytes),
            }
        }
        Ok(is_found)
    }

    /// Steps over the body of a block, which the file holds whole; reads it when it is of our track.
    fn block(&mut self, bytes: u64, packets: &mut Packets) -> Result<bool, Trouble> {
        let peeked = bytes.min(MAX_BLOCK_HEADER_BYTES as u64) as usize;
        let head = self.reader.peek(peeked)?;
        let Some((track, at)) = ebml::number(head) else {
            return Err(Trouble::Inside(
                "a block without the number of its track".into(),
            ));
        };
        if track != self.track.number {
            self.reader.skip(bytes);
            if self.track.is_listed(track) {
                return Ok(false);
            }
            return Err(Trouble::Strange(
                "a block of a track that is not there".into(),
            ));
        }
        let relative = head
            .get(at..at + 2)
            .map_or(0, |time| i64::from(i16::from_be_bytes([time[0], time[1]])));
        packets.time = self.cluster_time.saturating_add(relative);
        if bytes > MAX_BLOCK_BYTES {
            return Err(Trouble::Broken(
                format!("a block of sound of {bytes} bytes").into(),
            ));
        }
        packets.bytes.clear();
        let body = self.reader.take(bytes as usize)?;
        packets.bytes.extend_from_slice(body);
        packets.cuts = lace::packets(&packets.bytes).ok_or(Trouble::Inside(
            "a block whose packets do not fit into it".into(),
        ))?;
        self.is_begun = true;
        self.is_laced |= lace::is_laced(&packets.bytes);
        Ok(true)
    }
}
