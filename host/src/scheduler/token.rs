use rand::TryRng as _;
use rand::rngs::SysRng;

/// A new lease token: 128 random bits in hex, so that no two attempts ever share one and none can be guessed.
pub(super) fn draw() -> Result<String, rand::rngs::SysError> {
    let mut bytes = [0; 16];
    SysRng.try_fill_bytes(&mut bytes)?;
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
