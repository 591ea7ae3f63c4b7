use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use rand::TryRng as _;
use rand::rngs::SysRng;

use super::StoreError;

/// Length of a key's public part, as the contract has it.
const ID_CHARACTERS: usize = 8;

/// Bytes of a key's secret part: 256 bits, more than the 192 that the contract asks for.
const SECRET_BYTES: usize = 32;

/// Bytes of a message's id, so that no two installations give the same one.
const MESSAGE_ID_BYTES: usize = 16;

/// What a key's public part is made of. A byte's lower six bits that point beyond the end are drawn again.
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The two parts of a key.
pub(super) struct Secret {
    /// Public.
    pub(super) id: String,
    /// Never stored.
    pub(super) secret: String,
}

/// A new key from the system's random numbers: a key must not be a function of anything that a test could pass.
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

/// A secret that signs webhooks, as Standard Webhooks 1.0 writes it: 24 to 64 bytes in base64 after a word.
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
