//! The MD5 of the end of a file, as UVR counts it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use md5::{Digest, Md5};

/// Bytes at the end of a file that are hashed.
const HASHED_BYTES: usize = 10_000 * 1_024;

/// The digest of a file that is in memory, in lower-case hexadecimal digits.
pub(super) fn digest(file: &[u8]) -> String {
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::known::mdx_net;

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
