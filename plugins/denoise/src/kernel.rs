//! A band-limited look between the samples of a signal.

use std::f64::consts::PI;

/// Zero crossings of the kernel on each side.
const CROSSINGS: usize = 16;

/// Values of the kernel for each zero crossing; between them it is a line.
const STEPS: usize = 256;

/// Where the pass band ends, as a share of half the lower rate: the slope reaches its floor a little above 1.
const CUTOFF: f64 = 0.92;

/// Shape of the window: about 80 dB of stop band (J. F. Kaiser, "Nonrecursive Digital Filter Design Using the I0-sinh Window Function",
/// Proc. IEEE Symp. Circuits and Systems, 1974).
const BETA: f64 = 8.0;

/// A sinc under a Kaiser window, to be laid over the samples of a signal at any place between them.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// One side of the kernel, from its middle on.
    side: Vec<f32>,
    /// Steps of `side` for each sample of the signal.
    steps_per_sample: f64,
    /// Samples of the signal that the kernel reaches over on each side.
    reach: usize,
}

impl Kernel {
    /// A kernel over a signal at `from_hz` that keeps what a signal at `to_hz` can have.
    pub fn new(from_hz: u32, to_hz: u32) -> Self {
        let share = CUTOFF * (f64::from(to_hz) / f64::from(from_hz)).min(1.0);
        let last = CROSSINGS * STEPS;
        let value = |step: usize| {
            let place = step as f64 / STEPS as f64;
            let sinc = if step == 0 {
                1.0
            } else {
                (PI * place).sin() / (PI * place)
            };
            let within = 1.0 - (place / CROSSINGS as f64).powi(2);
            (share * sinc * bessel(BETA * within.sqrt()) / bessel(BETA)) as f32
        };
        let mut side: Vec<f32> = (0..=last).map(value).collect();
        // What the last value is joined with.
        side.push(0.0);
        Self {
            side,
            steps_per_sample: share * STEPS as f64,
            reach: (CROSSINGS as f64 / share).ceil() as usize,
        }
    }

    /// Samples of the signal that are needed before and after a place.
    pub fn reach(&self) -> usize {
        self.reach
    }

    /// The signal `fraction` of a sample (0 to 1) after its sample `at`, which `sample` gives by their numbers.
    pub fn look(&self, at: i64, fraction: f64, sample: impl Fn(i64) -> f32) -> f32 {
        let reach = self.reach as i64;
        let mut sum = 0.0;
        for offset in -reach..=reach {
            let steps = (offset as f64 - fraction).abs() * self.steps_per_sample;
            let step = steps as usize;
            if step + 1 < self.side.len() {
                let (one, next) = (self.side[step], self.side[step + 1]);
                let weight = one + (next - one) * (steps - step as f64) as f32;
                sum += weight * sample(at + offset);
            }
        }
        sum
    }
}

/// The modified Bessel function of the first kind and order 0, by its series.
fn bessel(x: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 1.0;
    for n in 1..40 {
        term *= (x / 2.0 / f64::from(n)).powi(2);
        sum += term;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tone_is_seen_between_its_samples_and_one_that_does_not_fit_is_not() {
        let tone = |frequency_hz: f64, rate_hz: f64| {
            move |at: f64| (2.0 * PI * frequency_hz * at / rate_hz).sin()
        };
        for (from_hz, to_hz) in [(44_100, 48_000), (48_000, 8_000), (192_000, 48_000)] {
            let kernel = Kernel::new(from_hz, to_hz);
            let lower = f64::from(from_hz.min(to_hz));
            let passes = tone(0.35 * lower, from_hz.into());
            let mut worst = 0.0_f64;
            for place in 0..500 {
                let (at, fraction) = (1_000 + place, f64::from(place as u32 % 97) / 97.0);
                let seen = kernel.look(at, fraction, |n| passes(n as f64) as f32);
                worst = worst.max((f64::from(seen) - passes(at as f64 + fraction)).abs());
            }
            assert!(worst < 1e-3, "{from_hz} to {to_hz}: {worst}");
            if to_hz < from_hz {
                let stops = tone(0.56 * lower, from_hz.into());
                let seen = kernel.look(1_000, 0.5, |n| stops(n as f64) as f32);
                assert!(seen.abs() < 1e-3, "{from_hz} to {to_hz}: {seen}");
            }
        }
    }
}
