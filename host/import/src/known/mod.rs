//! Separators that UVR's users have, known by what they hold: the MD5 of their last 10,000 KiB, as UVR counts. So a known file
//! needs nobody to say what it does not say itself.

mod bands;
mod checkpoints;
mod mdx_net;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::str::SplitWhitespace;

use md5::{Digest, Md5};

pub(crate) use bands::{Band, Bands, bands, names_of_bands};
pub(crate) use checkpoints::{Checkpoint, Separator, Vr, VrKind, by_digest, checkpoint};
pub(crate) use mdx_net::{Estimate, MdxNet, mdx_net};

/// Bytes at the end of a file that are hashed.
const HASHED_BYTES: usize = 10_000 * 1_024;

/// The digest of a file that is in memory, in lower-case hexadecimal digits.
fn digest(file: &[u8]) -> String {
    let from = file.len().saturating_sub(HASHED_BYTES);
    base16ct::lower::encode_string(&Md5::digest(&file[from..]))
}

/// The digest of the file at `path`, of which no more than its end is read.
pub(crate) fn digest_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(HASHED_BYTES as u64)))?;
    let mut end = Vec::new();
    file.take(HASHED_BYTES as u64).read_to_end(&mut end)?;
    Ok(digest(&end))
}

/// The words of the line of a table that begins with `digest`, behind it.
fn line(table: &'static str, digest: &str) -> Option<SplitWhitespace<'static>> {
    let mut lines = lines(table).map(str::split_whitespace);
    lines.find_map(|mut words| (words.next()? == digest).then_some(words))
}

fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_tables_have_whole_hashes_and_each_once() {
        let all = [mdx_net::TABLE, checkpoints::SEPARATORS, checkpoints::VR];
        let all: Vec<&str> = all.into_iter().flat_map(lines).collect();
        assert_eq!(all.len(), 44 + 42 + 30);
        for (place, text) in all.iter().enumerate() {
            let (digest, _) = text.split_once(' ').expect("a hash and more");
            let is_hash = digest.len() == 32 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
            assert!(is_hash && digest == digest.to_lowercase(), "{text}");
            assert!(all[..place].iter().all(|other| !other.starts_with(digest)));
        }
    }

    #[test]
    fn only_the_end_of_a_long_file_counts_in_memory_and_on_disk() {
        // RFC 1321: the MD5 of "abc".
        assert_eq!(digest(b"abc"), "900150983cd24fb0d6963f7d28e17f72");
        let mut long = vec![1_u8; HASHED_BYTES + 5];
        let before = digest(&long);
        long[4] = 9;
        assert_eq!(digest(&long), before);
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        fs::write(file.path(), &long).expect("writable");
        assert_eq!(digest_of(file.path()).expect("readable"), before);
        long[5] = 9;
        assert_ne!(digest(&long), before);
        assert_eq!(mdx_net(&long), None);
        fs::write(file.path(), b"abc").expect("writable");
        assert_eq!(digest_of(file.path()).expect("readable"), digest(b"abc"));
    }
}
