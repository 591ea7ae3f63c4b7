//! Reading sound between its samples.

use std::f64::consts::PI;

/// Samples that one value is made from, half of them on each side.
pub const TAPS: usize = 32;

/// Places between two samples that the table knows; between them it is linear.
const PLACES: usize = 256;

/// Cut-off against half the sample rate, so that the filter has room to fall.
const CUT_OFF: f64 = 0.95;

/// A windowed sinc (J. O. Smith, *Digital Audio Resampling*, with a Blackman window).
#[derive(Clone, Debug)]
pub struct Interpolation {
    table: Vec<[f32; TAPS]>,
}

impl Interpolation {
    pub fn new() -> Self {
        let table = (0..=PLACES)
            .map(|place| {
                let fraction = place as f64 / PLACES as f64;
                let mut taps = [0.0; TAPS];
                for (index, tap) in taps.iter_mut().enumerate() {
                    let distance = index as f64 - (TAPS / 2 - 1) as f64 - fraction;
                    *tap = windowed_sinc(distance) as f32;
                }
                let sum: f32 = taps.iter().sum();
                taps.map(|tap| tap / sum)
            })
            .collect();
        Self { table }
    }

    /// The value `fraction` after the sample in the middle of `samples`, the one with
    /// `TAPS / 2 - 1` before it.
    pub fn read(&self, samples: &[f32; TAPS], fraction: f64) -> f32 {
        let place = fraction * PLACES as f64;
        let index = (place as usize).min(PLACES - 1);
        let share = (place - index as f64) as f32;
        let (one, other) = (&self.table[index], &self.table[index + 1]);
        let mut sums = [0.0_f32; 4];
        for group in 0..TAPS / 4 {
            for (lane, sum) in sums.iter_mut().enumerate() {
                let tap = group * 4 + lane;
                *sum += samples[tap] * (one[tap] + share * (other[tap] - one[tap]));
            }
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }
}

fn windowed_sinc(distance: f64) -> f64 {
    let turn = PI * distance / (TAPS / 2) as f64;
    if turn.abs() >= PI {
        return 0.0;
    }
    let window = 0.42 + 0.5 * turn.cos() + 0.08 * (2.0 * turn).cos();
    let x = PI * CUT_OFF * distance;
    let sinc = if x.abs() < 1e-9 { 1.0 } else { x.sin() / x };
    CUT_OFF * sinc * window
}

#[cfg(test)]
mod tests {
    use super::{Interpolation, TAPS};

    #[test]
    fn a_tone_is_read_between_its_samples() {
        let interpolation = Interpolation::new();
        for step in [0.1, 1.0, 2.0] {
            let samples: [f32; TAPS] =
                std::array::from_fn(|index| (step * index as f64).sin() as f32);
            for fraction in [0.0, 0.123, 0.5, 0.999] {
                let exact = (step * (15.0 + fraction)).sin();
                let read = f64::from(interpolation.read(&samples, fraction));
                assert!((read - exact).abs() < 1e-3, "{step}, {fraction}: {read}");
            }
        }
    }
}
