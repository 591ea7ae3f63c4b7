use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use rand::TryRng as _;
use rand::rngs::SysRng;

use super::StoreError;

/// Length of a key's public part, as the contract has it.
const ID_CHARACTERS: usize = 8;

/// Bytes of a key's secret part: 256 bits, more than the 192 that the contract asks for.
const SECRET_BYTES: usize = 32;

/// Bytes of a message's id, enough that no two installations draw the same one.
const MESSAGE_ID_BYTES: usize = 16;

/// The characters of a key's public part. If the lower six bits of a byte point beyond the end, they are drawn again.
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The two parts of a key.
pub(super) struct Secret {
    /// Public.
    pub(super) id: String,
    /// Never stored.
    pub(super) secret: String,
}

/// A new key from the system's random numbers: keys must not depend on anything that a test could pass.
pub(super) fn draw() -> Result<Secret, StoreError> {
    let mut id = String::with_capacity(ID_CHARACTERS);
    while id.len() < ID_CHARACTERS {
        let [byte] = random_bytes()?;
        if let Some(&character) = ALPHABET.get(usize::from(byte & 0x3f)) {
            id.push(char::from(character));
        }
    }
    let secret = URL_SAFE_NO_PAD.encode(random_bytes::<SECRET_BYTES>()?);
    Ok(Secret { id, secret })
}

/// A secret that signs webhooks, in the form of Standard Webhooks 1.0: a prefix, then 24 to 64 bytes in base64.
pub(super) fn draw_for_webhook() -> Result<String, StoreError> {
    let secret = STANDARD.encode(random_bytes::<SECRET_BYTES>()?);
    Ok(format!("whsec_{secret}"))
}

/// The id of a message that is sent to webhooks.
pub(super) fn draw_message_id() -> Result<String, StoreError> {
    let random = URL_SAFE_NO_PAD.encode(random_bytes::<MESSAGE_ID_BYTES>()?);
    Ok(format!("msg_{random}"))
}

pub(super) fn random_bytes<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    SysRng
        .try_fill_bytes(&mut bytes)
        .map_err(|error| StoreError::Randomness(error.to_string()))?;
    Ok(bytes)
}
