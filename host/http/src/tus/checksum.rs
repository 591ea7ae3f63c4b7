use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::StatusCode;
use hyper::header::{HeaderMap, HeaderName};
use sha1::Sha1;
use sha2::{Digest as _, Sha256};

use crate::Refusal;

/// The algorithms, as `OPTIONS` lists them. The protocol asks for the first one.
pub const ALGORITHMS: &str = "sha1,sha256";

const HEADER: HeaderName = HeaderName::from_static("upload-checksum");

/// The checksum that a piece must have, and the one of what has arrived so far.
#[derive(Debug)]
pub struct Checksum {
    wanted: Vec<u8>,
    so_far: SoFar,
}

#[derive(Debug, Clone)]
enum SoFar {
    Sha1(Sha1),
    Sha256(Sha256),
}

impl Checksum {
    /// What `Upload-Checksum` asks for, if it is there.
    pub fn asked(headers: &HeaderMap) -> Result<Option<Self>, Refusal> {
        let Some(value) = headers.get(HEADER) else {
            return Ok(None);
        };
        let text = value.to_str().unwrap_or_default();
        Self::parse(text).map(Some).ok_or_else(|| {
            let detail = format!(
                "`Upload-Checksum` is an algorithm out of {ALGORITHMS}, a blank, and the sum in base64."
            );
            Refusal::Upload {
                status: StatusCode::BAD_REQUEST,
                code: "E_CHECKSUM_UNKNOWN",
                detail,
            }
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let (algorithm, sum) = text.trim().split_once(' ')?;
        let (so_far, length) = match algorithm {
            "sha1" => (SoFar::Sha1(Sha1::new()), 20),
            "sha256" => (SoFar::Sha256(Sha256::new()), 32),
            _ => return None,
        };
        let wanted = STANDARD.decode(sum.trim()).ok()?;
        (wanted.len() == length).then_some(Self { wanted, so_far })
    }

    /// Takes more of the piece in.
    pub(super) fn update(&mut self, bytes: &[u8]) {
        match &mut self.so_far {
            SoFar::Sha1(hash) => hash.update(bytes),
            SoFar::Sha256(hash) => hash.update(bytes),
        }
    }

    /// Whether the piece has the checksum that was sent with it.
    #[must_use]
    pub(super) fn holds(&self) -> bool {
        match self.so_far.clone() {
            SoFar::Sha1(hash) => hash.finalize().as_slice() == self.wanted,
            SoFar::Sha256(hash) => hash.finalize().as_slice() == self.wanted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_holds_for_its_own_bytes_alone() {
        // The examples of FIPS 180: "abc".
        for text in [
            "sha1 qZk+NkcGgWq6PiVxeFDCbJzQ2J0=",
            "sha256 ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=",
        ] {
            let mut sum = Checksum::parse(text).expect("a checksum");
            sum.update(b"a");
            assert!(!sum.holds());
            sum.update(b"bc");
            assert!(sum.holds());
        }
        for wrong in ["", "sha1", "md5 AAAA", "sha1 AAAA", "sha1 !"] {
            assert!(Checksum::parse(wrong).is_none(), "{wrong}");
        }
    }
}
