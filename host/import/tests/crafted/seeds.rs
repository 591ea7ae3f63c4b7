/// Numbers that look random and that a seed decides (xorshift64*; Vigna, "An experimental exploration of Marsaglia's xorshift
/// generators, scrambled", 2016).
pub(crate) struct Seeds {
    /// Which file of its kind it is.
    pub(crate) number: u64,
    state: u64,
}

impl Seeds {
    pub(crate) fn of(number: u64) -> Self {
        Self {
            number,
            state: number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        }
    }

    /// The next number.
    pub(crate) fn next(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// The next number below a bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// One of several.
    pub(crate) fn one_of<'t, T>(&mut self, several: &'t [T]) -> &'t T {
        &several[self.below(several.len() as u64) as usize]
    }

    /// A word of small letters.
    pub(crate) fn word(&mut self) -> String {
        let letters = 3 + self.below(9);
        (0..letters)
            .map(|_| char::from(b'a' + self.below(26) as u8))
            .collect()
    }

    /// Bytes.
    pub(crate) fn bytes(&mut self, count: u64) -> Vec<u8> {
        (0..count).map(|_| self.next() as u8).collect()
    }
}
