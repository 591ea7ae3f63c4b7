use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

/// Pieces in which files are read.
const PIECE_BYTES: usize = 256 << 10;

/// SHA-256 of a file, lower-case hexadecimal.
pub(super) fn digest_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            return Ok(base16ct::lower::encode_string(&hasher.finalize()));
        }
        hasher.update(&piece[..read]);
    }
}
