//! Checkpoints of encoders that people have, known by their whole content.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

/// Lengths in bytes, SHA-256 and the encoders that they are of. RVC's `hubert_base.pt` is `ContentVec` (`checkpoint_best_legacy_500.pt`),
/// whatever its name says; its programs check it by this digest. Digests are facts about the files.
const KNOWN: [(u64, &str, &str); 1] = [(
    189_507_909,
    "f54b40fd2802423a5643779c4861af1e9ee9c1564dc9d32f54f20b5ffba7db96",
    "contentvec",
)];
/// Bytes that are read at a time.
const BLOCK_BYTES: usize = 1 << 16;

/// The identity of the encoder whose file this is, if it is a known one. A file of another length is not read.
pub(super) fn known(path: &Path) -> io::Result<Option<&'static str>> {
    let mut file = File::open(path)?;
    let bytes = file.metadata()?.len();
    if !KNOWN.iter().any(|(length, _, _)| *length == bytes) {
        return Ok(None);
    }
    let (mut hasher, mut block) = (Sha256::new(), vec![0; BLOCK_BYTES]);
    loop {
        let count = file.read(&mut block)?;
        if count == 0 {
            break;
        }
        hasher.update(&block[..count]);
    }
    let digest = base16ct::lower::encode_string(&hasher.finalize());
    let found = KNOWN.iter().find(|(_, known, _)| *known == digest);
    Ok(found.map(|(_, _, identity)| *identity))
}

#[cfg(test)]
mod tests {
    use super::*;
    use vocalhost_model::encoder_identity;

    #[test]
    fn digests_are_whole_and_a_file_of_the_length_alone_is_not_known() {
        for (_, digest, identity) in KNOWN {
            assert_eq!(digest.len(), 64);
            assert_eq!(encoder_identity(identity).as_deref(), Some(identity));
        }
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.as_file()
            .set_len(KNOWN[0].0)
            .expect("holes take no room");
        assert_eq!(known(file.path()).expect("readable"), None);
    }
}
