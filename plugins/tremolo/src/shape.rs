//! The curves along which the loudness moves.

use std::f32::consts::FRAC_PI_2;

/// How long a jump takes, in seconds: shorter ones would click.
const EDGE_S: f64 = 2.0e-3;

/// One period of a curve between −1 (softest) and 1 (loudest); every curve starts at,
/// or just falls from, its loudest point.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A cosine.
    Sine,
    /// A triangle.
    Triangle,
    /// A triangle that is too high by this factor and cut off at both ends.
    Square { steepness: f32 },
    /// Falls for this share of the period and rises during the rest.
    Fading { falling: f32 },
    /// Like `Fading`, with the time turned around.
    Swelling { rising: f32 },
}

impl Shape {
    /// The curve of this name, repeated `frequency_hz` times a second.
    pub fn named(name: &str, frequency_hz: f64) -> Self {
        let edge = (EDGE_S * frequency_hz).min(0.5);
        match name {
            "triangle" => Self::Triangle,
            // A triangle's slope takes half a period.
            "square" => Self::Square {
                steepness: (0.5 / edge).max(1.0) as f32,
            },
            "fading" => Self::Fading {
                falling: (1.0 - edge) as f32,
            },
            "swelling" => Self::Swelling {
                rising: (1.0 - edge) as f32,
            },
            _ => Self::Sine,
        }
    }

    /// Replaces phases from 0 to 1, in periods, by the curve there.
    pub fn draw(self, values: &mut [f32]) {
        match self {
            Self::Sine => {
                for value in values {
                    *value = quarter(triangle(*value));
                }
            }
            Self::Triangle => {
                for value in values {
                    *value = triangle(*value);
                }
            }
            Self::Square { steepness } => {
                for value in values {
                    *value = (triangle(*value) * steepness).clamp(-1.0, 1.0);
                }
            }
            Self::Fading { falling } => {
                for value in values {
                    *value = ramp(*value, falling);
                }
            }
            Self::Swelling { rising } => {
                for value in values {
                    *value = ramp(1.0 - *value, rising);
                }
            }
        }
    }
}

/// From 1 down to −1 in the middle of the period and back.
#[inline]
fn triangle(phase: f32) -> f32 {
    (4.0 * phase - 2.0).abs() - 1.0
}

/// From 1 down to −1 at `falling`, then back for the rest of the period.
#[inline]
fn ramp(phase: f32, falling: f32) -> f32 {
    let down = 1.0 - 2.0 * phase / falling;
    let up = 1.0 - 2.0 * (1.0 - phase) / (1.0 - falling);
    if phase < falling { down } else { up }
}

/// sin(x π/2) for −1 ≤ x ≤ 1 by its Taylor series, within 10⁻⁶ and without a call, so
/// that a loop becomes vector code. Over a triangle it gives a cosine.
#[inline]
fn quarter(x: f32) -> f32 {
    let angle = x * FRAC_PI_2;
    let square = angle * angle;
    angle
        * (1.0
            + square
                * (-1.0 / 6.0
                    + square
                        * (1.0 / 120.0
                            + square
                                * (-1.0 / 5_040.0
                                    + square * (1.0 / 362_880.0 - square / 39_916_800.0)))))
}

#[cfg(test)]
mod tests {
    use super::Shape;

    fn values(name: &str) -> [f32; 1000] {
        let mut values = [0.0; 1000];
        for (index, value) in values.iter_mut().enumerate() {
            *value = index as f32 / 1000.0;
        }
        Shape::named(name, 5.0).draw(&mut values);
        values
    }

    #[test]
    fn the_sine_is_a_cosine() {
        for (index, value) in values("sine").iter().enumerate() {
            let exact = (std::f64::consts::TAU * index as f64 / 1000.0).cos();
            assert!((f64::from(*value) - exact).abs() < 2e-6, "{index}: {value}");
        }
    }

    #[test]
    fn every_curve_reaches_both_ends_and_never_leaves_them() {
        for name in ["sine", "triangle", "square", "fading", "swelling"] {
            let values = values(name);
            let (low, high) = values.iter().fold((9.0_f32, -9.0_f32), |(low, high), &v| {
                (low.min(v), high.max(v))
            });
            assert!((-1.000_001..-0.99).contains(&low), "{name}: {low}");
            assert!((0.99..1.000_001).contains(&high), "{name}: {high}");
        }
    }

    #[test]
    fn jumps_take_two_milliseconds() {
        // At 5 Hz that is a hundredth of the period, ten values.
        for name in ["square", "fading", "swelling"] {
            let values = values(name);
            let steepest = values.windows(2).fold(0.0_f32, |steepest, pair| {
                steepest.max((pair[1] - pair[0]).abs())
            });
            assert!((0.19..0.205).contains(&steepest), "{name}: {steepest}");
        }
    }
}
