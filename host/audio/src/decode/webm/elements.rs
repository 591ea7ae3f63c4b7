//! Element identifiers of Matroska.

/// Element identifiers of RFC 9559 section 5.1.
pub(super) const SEGMENT: u32 = 0x1853_8067;
pub(super) const CLUSTER: u32 = 0x1f43_b675;
pub(super) const TIMESTAMP: u32 = 0xe7;
pub(super) const SIMPLE_BLOCK: u32 = 0xa3;
pub(super) const BLOCK_GROUP: u32 = 0xa0;
pub(super) const BLOCK: u32 = 0xa1;
pub(super) const DISCARD_PADDING: u32 = 0x75a2;

const VOID: u32 = 0xec;

/// Others that occur in a cluster: its position and previous size, silent tracks, encrypted blocks, padding, checksums.
const IN_CLUSTERS: [u32; 6] = [0xa7, 0xab, 0x5854, 0xaf, VOID, 0xbf];

/// Others that occur between or after clusters: what is known of the recording, tracks, seek tables, chapters, tags, files.
const IN_SEGMENTS: [u32; 7] = [
    0x1549_a966,
    0x1654_ae6b,
    0x114d_9b74,
    0x1c53_bb6b,
    0x1043_a770,
    0x1254_c367,
    0x1941_a469,
];

/// The most bytes of a number in a cluster, or of a checksum.
pub(super) const MAX_NUMBER_BYTES: u64 = 8;

/// Whether an element holds a number: a time, a position, a size, a checksum.
pub(super) fn is_number(id: u32) -> bool {
    [TIMESTAMP, 0xa7, 0xab, 0xbf].contains(&id)
}

/// Whether an element occurs in or between clusters and holds no other elements: numbers, checksums, padding.
pub(super) fn is_plain(id: u32) -> bool {
    id == VOID || is_number(id)
}

/// Whether an element is a usual part of a recording that can be skipped.
pub(super) fn is_known(id: u32) -> bool {
    id == TIMESTAMP || IN_CLUSTERS.contains(&id) || IN_SEGMENTS.contains(&id)
}

/// Whether an element may follow a block.
pub(super) fn is_expected(id: u32) -> bool {
    [CLUSTER, SIMPLE_BLOCK, BLOCK_GROUP, EBML, SEGMENT].contains(&id) || is_known(id)
}

/// What begins a file, or a second one that was appended to it.
pub(super) const EBML: u32 = 0x1a45_dfa3;
