use super::super::DecodeError;

/// How samples are stored in a WAV data chunk, little-endian throughout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SampleEncoding {
    /// Unsigned, centred on 128: the only width that WAV stores so.
    Unsigned8,
    /// Signed, of so many bytes (2 to 4); fewer valid bits are stored at the top.
    Signed(usize),
    /// IEEE 754 single precision.
    Float32,
    /// IEEE 754 double precision.
    Float64,
    /// ITU-T G.711, as telephones in most of the world use.
    ALaw,
    /// ITU-T G.711, as telephones in America and Japan use.
    MuLaw,
}

impl SampleEncoding {
    /// Finds the encoding that the header describes.
    pub(super) fn find(is_float: bool, sample_bytes: usize) -> Result<Self, DecodeError> {
        match (is_float, sample_bytes) {
            (false, 1) => Ok(Self::Unsigned8),
            (false, 2..=4) => Ok(Self::Signed(sample_bytes)),
            (true, 4) => Ok(Self::Float32),
            (true, 8) => Ok(Self::Float64),
            _ => Err(DecodeError::undecodable(format!(
                "wav samples of {sample_bytes} bytes are not supported"
            ))),
        }
    }

    /// Bytes of one sample of one channel.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::Unsigned8 | Self::ALaw | Self::MuLaw => 1,
            Self::Signed(bytes) => bytes,
            Self::Float32 => 4,
            Self::Float64 => 8,
        }
    }

    /// Whether it can hold invalid samples; integers are always within full scale.
    pub(super) fn is_float(self) -> bool {
        matches!(self, Self::Float32 | Self::Float64)
    }

    /// One sample. Integers are divided by 2^(bits-1), so that up to 24 bits pass without loss.
    #[inline]
    pub(super) fn decode(self, bytes: &[u8]) -> f32 {
        const FULL_SCALE: f32 = 2_147_483_648.0;
        match self {
            Self::Unsigned8 => (f32::from(bytes[0]) - 128.0) / 128.0,
            Self::Signed(width) => {
                let mut word = [0; 4];
                word[4 - width..].copy_from_slice(&bytes[..width]);
                i32::from_le_bytes(word) as f32 / FULL_SCALE
            }
            Self::Float32 => f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            Self::Float64 => {
                let mut word = [0; 8];
                word.copy_from_slice(&bytes[..8]);
                f64::from_le_bytes(word) as f32
            }
            Self::ALaw => f32::from(a_law(bytes[0])) / 32_768.0,
            Self::MuLaw => f32::from(mu_law(bytes[0])) / 32_768.0,
        }
    }
}

/// A sample of A-law as 16 bits (G.711 table 1a: every second bit is inverted; a segment of three bits and a step of four; the value is the
/// middle of the step).
fn a_law(byte: u8) -> i16 {
    let turned = byte ^ 0x55;
    let (segment, step) = ((turned >> 4) & 7, i16::from(turned & 0xf));
    let magnitude = match segment {
        0 => (step << 4) + 8,
        _ => ((step << 4) + 0x108) << (segment - 1),
    };
    if turned & 0x80 == 0 {
        -magnitude
    } else {
        magnitude
    }
}

/// A sample of mu-law as 16 bits (G.711 table 2a: all bits are inverted, and segments begin at 33 steps of 14 bits).
fn mu_law(byte: u8) -> i16 {
    const BIAS: i16 = 33 << 2;
    let turned = !byte;
    let (segment, step) = ((turned >> 4) & 7, i16::from(turned & 0xf));
    let magnitude = (((step << 3) + BIAS) << segment) - BIAS;
    if turned & 0x80 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

#[cfg(test)]
#[expect(
    clippy::float_cmp,
    reason = "what is only moved or scaled by a power of two is exact"
)]
mod tests {
    use super::*;

    #[test]
    fn every_width_reaches_from_minus_one_to_just_below_one() {
        let cases: [(SampleEncoding, &[u8], f32); 8] = [
            (SampleEncoding::Unsigned8, &[0], -1.0),
            (SampleEncoding::Unsigned8, &[255], 127.0 / 128.0),
            (SampleEncoding::Signed(2), &[0, 0x80], -1.0),
            (SampleEncoding::Signed(2), &[0xff, 0x7f], 32767.0 / 32768.0),
            (SampleEncoding::Signed(3), &[0, 0, 0x80], -1.0),
            (SampleEncoding::Signed(3), &[1, 0, 0], 1.0 / 8_388_608.0),
            (SampleEncoding::Signed(4), &[0, 0, 0, 0xc0], -0.5),
            (SampleEncoding::Float64, &0.25_f64.to_le_bytes(), 0.25),
        ];
        for (encoding, bytes, expected) in cases {
            assert_eq!(encoding.decode(bytes), expected, "{encoding:?} {bytes:?}");
        }
    }

    #[test]
    fn telephones_are_heard_as_the_tables_of_g711_say() {
        // Decision values of 13 and 14 bits in the tables, here in 16.
        for (byte, wanted) in [
            (0xd5, 8),
            (0x55, -8),
            (0xaa, 32_256),
            (0x2a, -32_256),
            (0x80, 5_504),
        ] {
            assert_eq!(a_law(byte), wanted, "A-law {byte:#x}");
        }
        for (byte, wanted) in [
            (0xff, 0),
            (0x7f, 0),
            (0x80, 32_124),
            (0x00, -32_124),
            (0xfe, 8),
        ] {
            assert_eq!(mu_law(byte), wanted, "mu-law {byte:#x}");
        }
        let loudest = (0..=u8::MAX).map(a_law).max();
        assert_eq!(loudest, Some(32_256));
    }
}
