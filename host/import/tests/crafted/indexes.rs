//! Indexes of FAISS whose numbers are not those of what follows.

use std::fs;

use crate::Crafted;
use crate::seeds::Seeds;
use vocalhost_testing::repository;

/// Honest ones, of six channels where the voice has 256, so that none of them is taken by chance.
const HONEST: [&str; 8] = [
    "flat",
    "ivf",
    "hnsw-flat",
    "hnsw-sq8",
    "pq",
    "ivf-pq",
    "sq6",
    "ivf-sq8",
];

pub(crate) fn crafted(seeds: &mut Seeds) -> Crafted {
    let name = HONEST[seeds.number as usize % HONEST.len()];
    let path = repository("tests/fixtures/index").join(format!("{name}.index"));
    let mut bytes = fs::read(path).expect("the fixture is there");
    match seeds.number / HONEST.len() as u64 {
        // So many vectors that their bytes are none.
        0 => bytes[8..16].copy_from_slice(&(u64::MAX / 2 - seeds.below(99)).to_le_bytes()),
        // Vectors so long that a few of them are a gigabyte.
        1 => bytes[4..8].copy_from_slice(&(1_u32 << 30 | seeds.next() as u32).to_le_bytes()),
        // A length in the middle that nothing covers.
        2 => {
            let at = 37 + seeds.below(16) as usize;
            bytes[at..at + 8].copy_from_slice(&(1_u64 << 61).to_le_bytes());
        }
        // An end that comes too early.
        3 => bytes.truncate(bytes.len() - 1 - seeds.below(80) as usize),
        // More behind the end.
        _ => bytes.extend(seeds.bytes(64)),
    }
    Crafted::beside("added.index", bytes)
}
