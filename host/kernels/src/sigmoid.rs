/// Beyond this, the exponential function leaves the normal range of single precision, and the sigmoid is 0 or 1.
const LIMIT: f32 = 87.0;

/// 1.5 * 2^23: adding it rounds a number to a whole one.
const WHOLE: f32 = 12_582_912.0;

/// The exponent's bias of single precision, and where its bits begin.
const BIAS: u32 = 127;
const EXPONENT: u32 = 23;

/// The natural logarithm of 2 in two parts; products of the first with exponents are exact.
const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];

/// 1 / n!, from the seventh down to the first: enough of the exponential function's series between -0.35 and 0.35.
const SERIES: [f32; 7] = [
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
];

/// 1 / (1 + e^-x), without a branch or a call, so that a loop of it becomes vector instructions.
#[inline(always)]
pub(super) fn sigmoid(x: f32) -> f32 {
    let power = (-x).clamp(-LIMIT, LIMIT);
    let shifted = power.mul_add(std::f32::consts::LOG2_E, WHOLE);
    let doublings = shifted - WHOLE;
    let rest = doublings.mul_add(-LN_2[1], doublings.mul_add(-LN_2[0], power));
    let series = SERIES
        .iter()
        .fold(0.0, |sum: f32, one| sum.mul_add(rest, *one));
    let exponential = series.mul_add(rest, 1.0)
        * f32::from_bits(shifted.to_bits().wrapping_add(BIAS) << EXPONENT);
    1.0 / (1.0 + exponential)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_definition() {
        for step in -40_000..40_000_i32 {
            let x = step as f32 / 400.0;
            let wanted = 1.0 / (1.0 + (-f64::from(x)).exp());
            let apart = (f64::from(sigmoid(x)) - wanted).abs();
            assert!(apart <= 2e-7 * wanted + 1e-37, "{x}: {apart:e}");
        }
        assert!(sigmoid(f32::INFINITY) > 1.0 - 1e-7);
        assert!(sigmoid(f32::NEG_INFINITY) < 1e-37);
        assert!(sigmoid(f32::NAN).is_nan());
    }
}
