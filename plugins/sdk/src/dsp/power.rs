//! Powers that compilers can compute several at a time.

use std::f32::consts::LN_2;

/// Bits of √½, from which the split into exponent and mantissa counts.
const HALF_ROOT_BITS: i32 = 0x3f35_04f3;

/// `base` to the power of `exponent`, for a `base` that is not negative.
///
/// The relative error is below 10⁻⁵ while the result lies between 10⁻⁶ and 10⁶;
/// results below the smallest normal number are 0. Without branches and calls, so
/// that a loop over it becomes vector code, and made of basic operations only, so
/// that it gives the same bits on every machine. `f32::powf` does neither.
///
/// log₂ m = 2/ln 2 · artanh((m − 1)/(m + 1)) on [√½, √2), and the Taylor series of
/// 2ˣ on [−½, ½].
#[inline]
#[must_use]
pub fn power(base: f32, exponent: f32) -> f32 {
    exp2(exponent * log2(base))
}

#[inline]
fn log2(value: f32) -> f32 {
    // Not `f32::max`, which is a call on WebAssembly because of how it treats NaN.
    let normal = if value > f32::MIN_POSITIVE {
        value
    } else {
        f32::MIN_POSITIVE
    };
    let bits = normal.to_bits() as i32;
    // Nothing here overflows; a check for it would keep a loop from becoming vector code.
    let whole = bits.wrapping_sub(HALF_ROOT_BITS) >> 23;
    let mantissa = f32::from_bits(bits.wrapping_sub(whole << 23) as u32);
    let s = (mantissa - 1.0) / (mantissa + 1.0);
    let square = s * s;
    let series =
        1.0 + square * (1.0 / 3.0 + square * (0.2 + square * (1.0 / 7.0 + square * (1.0 / 9.0))));
    whole as f32 + (2.0 / LN_2) * s * series
}

#[inline]
fn exp2(value: f32) -> f32 {
    let limited = value.clamp(-127.0, 127.0);
    // Rounds to the nearest whole number: the sum has no room for a fraction.
    let shifted = limited + 12_582_912.0;
    let whole = shifted - 12_582_912.0;
    let x = (limited - whole) * LN_2;
    let series = 1.0
        + x * (1.0
            + x * (0.5
                + x * (1.0 / 6.0
                    + x * (1.0 / 24.0
                        + x * (1.0 / 120.0 + x * (1.0 / 720.0 + x * (1.0 / 5040.0)))))));
    // The whole number sits in the lowest bits of the sum; as an exponent it is a
    // power of two, and −127 is the exponent of 0.
    let exponent = (shifted.to_bits() as i32).wrapping_add(127 - 0x4b40_0000);
    series * f32::from_bits((exponent << 23) as u32)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, reason = "0 and 1 are to come out exactly")]

    use super::power;

    #[test]
    fn powers_agree_with_the_standard_library() {
        for base_db in -1200..=2000 {
            let base = 10_f32.powf(base_db as f32 / 200.0);
            for exponent in [-0.99, -0.75, -0.5, -0.1, 0.0, 0.5, 1.0, 9.0, 99.0] {
                let exact = f64::from(base).powf(f64::from(exponent));
                if (1e-6..1e6).contains(&exact) {
                    let error = f64::from(power(base, exponent)) / exact - 1.0;
                    assert!(error.abs() < 1e-5, "{base}^{exponent}: off by {error}");
                }
            }
        }
    }

    #[test]
    fn zero_gives_zero_or_one() {
        assert_eq!(power(0.0, 9.0), 0.0);
        assert_eq!(power(0.0, 0.0), 1.0);
        assert!(power(0.0, 1.0) < 1e-37);
    }

    #[test]
    fn one_stays_one() {
        for exponent in [-1.0, -0.3, 0.0, 2.0, 99.0] {
            assert_eq!(power(1.0, exponent), 1.0);
        }
    }
}
