//! Names of elements.

/// Element identifiers of RFC 9559 section 5.1.
pub(super) const SEGMENT: u32 = 0x1853_8067;
pub(super) const CLUSTER: u32 = 0x1f43_b675;
pub(super) const TIMESTAMP: u32 = 0xe7;
pub(super) const SIMPLE_BLOCK: u32 = 0xa3;
pub(super) const BLOCK_GROUP: u32 = 0xa0;
pub(super) const BLOCK: u32 = 0xa1;
pub(super) const DISCARD_PADDING: u32 = 0x75a2;

/// Others that stand in a cluster: its position and previous size, silent tracks, encrypted blocks, fillings, checksums.
const IN_CLUSTERS: [u32; 6] = [0xa7, 0xab, 0x5854, 0xaf, 0xec, 0xbf];

/// Others that stand between or behind clusters: what is known of the recording, tracks, tables of places, chapters, tags, files.
const IN_SEGMENTS: [u32; 7] = [
    0x1549_a966,
    0x1654_ae6b,
    0x114d_9b74,
    0x1c53_bb6b,
    0x1043_a770,
    0x1254_c367,
    0x1941_a469,
];

/// Whether an element is one that a recording has, and no more is to be known of it.
pub(super) fn is_known(id: u32) -> bool {
    id == TIMESTAMP || IN_CLUSTERS.contains(&id) || IN_SEGMENTS.contains(&id)
}

/// What begins a file, and a second one that somebody has put behind the first.
pub(super) const EBML: u32 = 0x1a45_dfa3;
