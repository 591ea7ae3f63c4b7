use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use rand::TryRng;
use rand::rngs::SysRng;
use sha2::Sha256;

/// The secret has as many bits as the hash.
const KEY_BYTES: usize = 32;

/// Links to pictures and demo recordings repeat within this time, so that clients can cache them.
const STABLE_S: u64 = 3_600;

/// Signs links, so that they work without a key for a while.
///
/// A link's path ends in `files/{expiry}/{signature}/{target}`: the expiry in seconds since the Unix epoch, the
/// signature HMAC-SHA256 over target and expiry in URL-safe base64, and the target with the file's true extension at
/// the very end of the link.
#[derive(Clone)]
pub struct UrlSigner {
    key: Vec<u8>,
    /// Links signed with this are believed too.
    former: Option<Vec<u8>>,
}

/// A secret that nobody guesses.
pub fn draw_key() -> io::Result<Vec<u8>> {
    let mut key = vec![0; KEY_BYTES];
    SysRng.try_fill_bytes(&mut key).map_err(io::Error::other)?;
    Ok(key)
}

/// The secret that is kept in `file`, if the file is there.
pub fn kept_key(file: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(file) {
        Ok(key) if key.len() >= KEY_BYTES => Ok(Some(key)),
        Ok(_) => {
            let reason = format!("{} is too short for a signing key", file.display());
            Err(io::Error::new(io::ErrorKind::InvalidData, reason))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Keeps a secret in `file`, which is not there yet, readable for its owner alone.
pub fn keep_key(file: &Path, key: &[u8]) -> io::Result<()> {
    let mut made = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)?;
    made.write_all(key)?;
    made.sync_all()
}

/// Why a signed link does not work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkError {
    /// The server did not sign this.
    Invalid,
    /// It did, but the time is over.
    Expired,
}

impl UrlSigner {
    /// A signer with the given secret.
    #[must_use]
    pub fn new(key: &[u8]) -> Self {
        Self {
            key: key.to_vec(),
            former: None,
        }
    }

    /// The same, which also believes what was signed with the secret `former`.
    #[must_use]
    pub fn believing(self, former: &[u8]) -> Self {
        Self {
            former: Some(former.to_vec()),
            ..self
        }
    }

    /// The signer whose secret is kept in `file`, which is made at first use and readable for its owner alone.
    pub fn open(file: &Path) -> io::Result<Self> {
        if let Some(key) = kept_key(file)? {
            return Ok(Self::new(&key));
        }
        let key = draw_key()?;
        keep_key(file, &key)?;
        Ok(Self::new(&key))
    }

    /// The part of a link after `files/`: works until `expires_at_s`.
    #[must_use]
    pub fn sign(&self, target: &str, expires_at_s: u64) -> String {
        let signature = mac(&self.key, target, expires_at_s).finalize().into_bytes();
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature);
        format!("{expires_at_s}/{signature}/{target}")
    }

    /// Whether the server signed this and the time is not over.
    pub fn check(
        &self,
        (expiry, signature, target): (&str, &str, &str),
        now_s: u64,
    ) -> Result<(), LinkError> {
        let expires_at_s: u64 = expiry.parse().map_err(|_| LinkError::Invalid)?;
        // Only the one spelling that was signed: a leading zero or plus would be another link to the same file.
        if expires_at_s.to_string() != expiry {
            return Err(LinkError::Invalid);
        }
        let signature = BASE64_URL_SAFE_NO_PAD
            .decode(signature)
            .map_err(|_| LinkError::Invalid)?;
        // `verify_slice` compares in constant time.
        let is_signed_with = |key: &Vec<u8>| {
            let mac = mac(key, target, expires_at_s);
            mac.verify_slice(&signature).is_ok()
        };
        if !is_signed_with(&self.key) && !self.former.as_ref().is_some_and(is_signed_with) {
            return Err(LinkError::Invalid);
        }
        if now_s >= expires_at_s {
            return Err(LinkError::Expired);
        }
        Ok(())
    }
}

fn mac(key: &[u8], target: &str, expires_at_s: u64) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(expires_at_s.to_string().as_bytes());
    mac.update(b"\n");
    mac.update(target.as_bytes());
    mac
}

/// The expiry of a link that should repeat for an hour and work for at least `ttl_s`: rounded up to the hour after.
#[must_use]
pub fn stable_expiry_s(now_s: u64, ttl_s: u64) -> u64 {
    (now_s / STABLE_S + 1) * STABLE_S + ttl_s
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const TARGET: &str = "voice-conversions/7/output.wav";

    fn split(link: &str) -> (&str, &str, &str) {
        let (expiry, rest) = link.split_once('/').unwrap();
        let (signature, target) = rest.split_once('/').unwrap();
        (expiry, signature, target)
    }

    #[test]
    fn a_signed_link_works_until_it_expires() {
        let signer = UrlSigner::new(b"secret");
        let link = signer.sign(TARGET, 1_000);
        assert!(link.ends_with("/output.wav"));
        assert_eq!(signer.check(split(&link), 999), Ok(()));
        assert_eq!(signer.check(split(&link), 1_000), Err(LinkError::Expired));
    }

    #[test]
    fn an_altered_link_is_invalid_even_when_it_has_expired() {
        let signer = UrlSigner::new(b"secret");
        let link = signer.sign(TARGET, 1_000);
        let (expiry, signature, target) = split(&link);
        let shorter = &signature[..signature.len() - 1];
        let zeroed = format!("0{expiry}");
        for altered in [
            ("2000", signature, target),
            ("x", signature, target),
            (zeroed.as_str(), signature, target),
            (expiry, shorter, target),
            (expiry, "", target),
            (expiry, signature, "voice-conversions/8/output.wav"),
        ] {
            assert_eq!(
                signer.check(altered, 5_000),
                Err(LinkError::Invalid),
                "{altered:?}"
            );
        }
        let other = UrlSigner::new(b"other");
        assert_eq!(other.check(split(&link), 999), Err(LinkError::Invalid));
    }

    #[test]
    fn links_that_were_signed_with_a_former_secret_open_still() {
        let link = UrlSigner::new(b"former").sign(TARGET, 1_000);
        let signer = UrlSigner::new(b"secret").believing(b"former");
        assert_eq!(signer.check(split(&link), 999), Ok(()));
        assert_eq!(
            signer.sign(TARGET, 1_000),
            UrlSigner::new(b"secret").sign(TARGET, 1_000)
        );
        let other = UrlSigner::new(b"other").sign(TARGET, 1_000);
        assert_eq!(signer.check(split(&other), 999), Err(LinkError::Invalid));
    }

    #[test]
    fn a_stable_link_repeats_within_the_hour_and_lasts_long_enough() {
        let first = stable_expiry_s(7_200, 14_400);
        assert_eq!(first, stable_expiry_s(7_200 + 3_599, 14_400));
        assert_ne!(first, stable_expiry_s(7_200 + 3_600, 14_400));
        assert!(first >= 7_200 + 3_599 + 14_400);
    }

    #[test]
    fn the_key_file_is_kept_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("url-signing.key");
        let link = UrlSigner::open(&file).unwrap().sign(TARGET, 1_000);
        assert_eq!(UrlSigner::open(&file).unwrap().sign(TARGET, 1_000), link);
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
