use sha2::{Digest as _, Sha256};

/// The SHA-256 of bytes as registries write it: `sha256:` and lower-case hex.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    format!(
        "sha256:{}",
        base16ct::lower::encode_string(&Sha256::digest(bytes))
    )
}

/// Whether a text is such a digest.
pub fn is_digest(text: &str) -> bool {
    text.strip_prefix("sha256:").is_some_and(|hex| {
        hex.len() == 64
            && hex
                .bytes()
                .all(|letter| matches!(letter, b'0'..=b'9' | b'a'..=b'f'))
    })
}
