use std::ops::Range;

/// One block: its packets, and how much of their sound does not belong to the recording.
#[derive(Debug, Default)]
pub(super) struct Packets {
    /// The whole body.
    pub(super) bytes: Vec<u8>,
    /// Where the packets lie in the body.
    pub(super) cuts: Vec<Range<usize>>,
    /// How much of the block's sound is padding, in nanoseconds: at its end, or at its beginning when negative.
    pub(super) discard_ns: i64,
    /// When the block begins, in the segment's ticks.
    pub(super) time: i64,
}

impl Packets {
    /// One packet.
    pub(super) fn get(&self, index: usize) -> Option<&[u8]> {
        self.bytes.get(self.cuts.get(index)?.clone())
    }

    /// Bytes of the whole block.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// All packets.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.cuts.iter().map(|cut| &self.bytes[cut.clone()])
    }
}
