use std::borrow::Cow;
use std::io;
use std::ops::Range;

use super::super::byte_reader::ByteReader;
use super::super::source::Fault;
use super::ebml::{self, Header};
use super::lace;

/// Element identifiers of RFC 9559 section 5.1.
const SEGMENT: u32 = 0x1853_8067;
const CLUSTER: u32 = 0x1f43_b675;
const SIMPLE_BLOCK: u32 = 0xa3;
const BLOCK_GROUP: u32 = 0xa0;
const BLOCK: u32 = 0xa1;
const DISCARD_PADDING: u32 = 0x75a2;

/// What begins a file, and a second one that somebody has put behind the first.
const EBML: u32 = 0x1a45_dfa3;

/// The largest block of sound that is held in memory: a second of all channels coded without loss would be smaller.
const MAX_BLOCK_BYTES: u64 = 1 << 20;

/// The longest number of a track, and the relative time and flags behind it.
const MAX_BLOCK_HEADER_BYTES: usize = 8 + 3;

/// One block: some packets and what of their sound is not of the recording.
#[derive(Debug, Default)]
pub(super) struct Packets {
    bytes: Vec<u8>,
    cuts: Vec<Range<usize>>,
    /// How much of the block's sound is padding, in nanoseconds: at its end, or at its beginning when negative.
    pub(super) discard_ns: i64,
}

impl Packets {
    /// One packet.
    pub(super) fn get(&self, index: usize) -> Option<&[u8]> {
        self.bytes.get(self.cuts.get(index)?.clone())
    }

    /// All packets.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.cuts.iter().map(|cut| &self.bytes[cut.clone()])
    }
}

/// Walks the blocks of one track, wherever in the clusters they lie.
///
/// Clusters are entered rather than measured: a browser that records does not know how long they will be. Times are not
/// looked at: what lies between two blocks that claim to be apart is not in the file.
pub(super) struct BlockReader {
    reader: ByteReader,
    track: u64,
    /// Where the cluster ends that the reader stands in, when it says so.
    cluster_end: Option<u64>,
    /// Bytes that the segment says it has and the file lacks.
    missing: u64,
}

impl BlockReader {
    /// The blocks of `track` from where `reader` stands, inside the segment, of which the file lacks `missing` bytes.
    pub(super) fn new(reader: ByteReader, track: u64, missing: u64) -> Self {
        Self {
            reader,
            track,
            cluster_end: None,
            missing,
        }
    }

    /// Another reader of the same blocks from here on.
    pub(super) fn fork(&self) -> io::Result<Self> {
        Ok(Self {
            reader: self.reader.fork()?,
            ..*self
        })
    }

    /// Reads the next block into `packets`; false at the end. A recording may end behind any element where nothing says how long it
    /// is; a file that ends inside one is cut short.
    pub(super) fn next(&mut self, packets: &mut Packets) -> Result<bool, Fault> {
        loop {
            let at = self.reader.position();
            self.cluster_end = self.cluster_end.filter(|end| at < *end);
            if self.reader.remaining() == 0 {
                return self.end();
            }
            let header = self.header()?;
            match (header.id, header.body_bytes) {
                (CLUSTER, body_bytes) => {
                    let start = self.reader.position();
                    self.cluster_end = body_bytes.map(|bytes| start.saturating_add(bytes));
                }
                (EBML | SEGMENT, _) => {
                    return Err(broken("a second recording follows the first one"));
                }
                (_, None) => return Err(broken("an element of unknown length")),
                (id, Some(bytes)) => {
                    let end = self.reader.position().saturating_add(bytes);
                    if self.cluster_end.is_some_and(|cluster| end > cluster) {
                        return Err(broken("an element reaches beyond its cluster"));
                    }
                    if self.reader.remaining() < bytes {
                        return Err(self.cut_short());
                    }
                    let is_found = match id {
                        SIMPLE_BLOCK => {
                            packets.discard_ns = 0;
                            self.block(bytes, packets)?
                        }
                        BLOCK_GROUP => self.group(end, packets)?,
                        _ => {
                            self.reader.skip(bytes);
                            false
                        }
                    };
                    if is_found {
                        return Ok(true);
                    }
                }
            }
        }
    }

    /// Nothing comes any more, as it should be or not.
    fn end(&self) -> Result<bool, Fault> {
        if self.missing == 0 && self.cluster_end.is_none() {
            return Ok(false);
        }
        Err(self.cut_short())
    }

    /// The end of the file where more should come.
    fn cut_short(&self) -> Fault {
        match self.missing {
            0 => broken("the file is cut short"),
            missing => Fault::Broken(Cow::Owned(format!(
                "the file is cut short, {missing} bytes are missing"
            ))),
        }
    }

    /// The header of the next element, stepped over.
    fn header(&mut self) -> Result<Header, Fault> {
        let header = ebml::header(self.reader.peek(ebml::MAX_HEADER_BYTES)?)
            .map_err(|malformed| Fault::Broken(malformed.into()))?
            .ok_or_else(|| self.cut_short())?;
        self.reader.skip(header.bytes as u64);
        Ok(header)
    }

    /// A block with its own element around it, and what that says about it; whether it is of our track.
    fn group(&mut self, end: u64, packets: &mut Packets) -> Result<bool, Fault> {
        let mut is_found = false;
        packets.discard_ns = 0;
        while self.reader.position() < end {
            let header = self.header()?;
            let bytes = header.body_bytes.unwrap_or(u64::MAX);
            if self.reader.position().saturating_add(bytes) > end {
                return Err(broken("an element reaches beyond its group"));
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

    /// The body of a block, which the file has whole; read when it is of our track.
    fn block(&mut self, bytes: u64, packets: &mut Packets) -> Result<bool, Fault> {
        let peeked = bytes.min(MAX_BLOCK_HEADER_BYTES as u64) as usize;
        let head = self.reader.peek(peeked)?;
        match ebml::number(head) {
            Some((track, _)) if track == self.track => {}
            Some(_) => {
                self.reader.skip(bytes);
                return Ok(false);
            }
            None => return Err(broken("a block without the number of its track")),
        }
        if bytes > MAX_BLOCK_BYTES {
            return Err(Fault::Broken(Cow::Owned(format!(
                "a block of sound of {bytes} bytes"
            ))));
        }
        packets.bytes.clear();
        let body = self.reader.take(bytes as usize)?;
        packets.bytes.extend_from_slice(body);
        packets.cuts = lace::packets(&packets.bytes)
            .ok_or_else(|| broken("a block whose packets do not fit into it"))?;
        Ok(true)
    }
}

fn broken(reason: &'static str) -> Fault {
    Fault::Broken(reason.into())
}
