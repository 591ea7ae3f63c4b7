//! Upper limits for packages, so that a hostile one cannot keep the host busy.

/// The largest manifest that is read; real ones are under 8 KiB.
pub(super) const MAX_MANIFEST_BYTES: u64 = 256 * 1024;
/// More files than any package has, so that a hostile manifest cannot make the host compute hashes for hours.
pub(super) const MAX_FILES: usize = 64;
/// The largest file: ONNX itself stops at 2 GiB, and voices are well under 1 GiB.
pub(super) const MAX_FILE_BYTES: u64 = 1 << 30;
/// The widest content vector: `HuBERT` large has 1,024 channels.
pub(super) const MAX_CONTENT_DIM: u32 = 4_096;
/// The most index rows: 10,000 is usual; a million of 768 channels is already 3 GiB of memory.
pub const MAX_INDEX_ROWS: u64 = 200_000;
/// The most cells of an index: FAISS uses at most 16 times the square root of the number of rows.
pub const MAX_INDEX_CELLS: u32 = 65_536;
/// The longest text of a field that people read: 2,000 characters of any script.
pub(super) const MAX_TEXT_BYTES: usize = 8_000;
