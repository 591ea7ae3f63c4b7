//! The slow sine that moves the delay.

use std::f32::consts::{FRAC_PI_2, PI, TAU};

/// A sine that starts at 0 and falls first.
///
/// The phase is kept and added up in `f32`. Its rounding makes the rate differ from
/// the one asked for by less than 10⁻⁴, and by the same amount as in other programs
/// with this effect, so that long recordings stay in step with theirs.
#[derive(Clone, Copy, Debug)]
pub struct Oscillator {
    step: f32,
    phase: f32,
}

impl Oscillator {
    /// A sine of `frequency_hz`, below half of `rate_hz`.
    #[must_use]
    pub fn new(rate_hz: f64, frequency_hz: f64) -> Self {
        Self {
            step: TAU * frequency_hz as f32 / rate_hz as f32,
            phase: 0.0,
        }
    }

    /// Writes the next values.
    pub fn fill(&mut self, values: &mut [f32]) {
        let mut phase = self.phase;
        for value in &mut *values {
            *value = phase;
            phase += self.step;
            if phase >= TAU {
                phase -= TAU;
            }
        }
        self.phase = phase;
        for value in values {
            *value = sine(*value - PI);
        }
    }

    /// Back to the start.
    pub fn forget(&mut self) {
        self.phase = 0.0;
    }
}

/// sin x for −π ≤ x ≤ π, within 10⁻⁶: the Taylor series on [−π/2, π/2], where the
/// outer quarters are folded. Without a call, so that a loop becomes vector code.
#[inline]
fn sine(x: f32) -> f32 {
    let folded = if x > FRAC_PI_2 {
        PI - x
    } else if x < -FRAC_PI_2 {
        -PI - x
    } else {
        x
    };
    let square = folded * folded;
    let series = 1.0
        + square
            * (-1.0 / 6.0
                + square
                    * (1.0 / 120.0
                        + square
                            * (-1.0 / 5_040.0
                                + square * (1.0 / 362_880.0 + square * (-1.0 / 39_916_800.0)))));
    folded * series
}

#[cfg(test)]
mod tests {
    use super::{Oscillator, sine};
    use std::f32::consts::PI;

    #[test]
    fn the_sine_agrees_with_the_standard_library() {
        for step in -1000..=1000 {
            let x = PI * step as f32 / 1000.0;
            assert!((sine(x) - x.sin()).abs() < 1e-6, "{x}");
        }
    }

    #[test]
    fn a_quarter_period_after_the_start_the_sine_is_at_its_lowest() {
        let mut values = [0.0; 1000];
        Oscillator::new(1000.0, 1.0).fill(&mut values);
        assert!(values[0].abs() < 1e-6);
        assert!((values[250] + 1.0).abs() < 1e-5);
        assert!((values[750] - 1.0).abs() < 1e-5);
    }
}
