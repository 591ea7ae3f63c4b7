//! Names that nobody can guess: of leases, uploads, packages.

use std::io;

use rand::TryRng as _;
use rand::rngs::SysRng;

/// A name that no two things share and nobody can guess: 128 random bits in lower-case hex.
///
/// # Errors
/// When the system gives no random numbers.
pub fn draw() -> io::Result<String> {
    let mut bytes = [0; 16];
    SysRng
        .try_fill_bytes(&mut bytes)
        .map_err(io::Error::other)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    #[test]
    fn tokens_differ_and_have_32_characters() {
        let (one, other) = (super::draw(), super::draw());
        let one = one.expect("the system has random numbers");
        assert_eq!(one.len(), 32);
        assert_ne!(Some(one), other.ok());
    }
}
