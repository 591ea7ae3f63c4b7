use std::f64::consts::PI;

/// Zeros of the filter's sinc on each side, in samples of the lower rate, and the shape parameter of its Kaiser window, as in
/// `scipy.signal.resample_poly`.
const ZEROS: usize = 10;
const SHAPE: f64 = 5.0;

/// Resamples as `scipy.signal.resample_poly` does: models with several bands were trained on sound that had passed this filter, including
/// the edge of its passband.
pub(super) struct Polyphase {
    up: usize,
    down: usize,
    /// Samples of the filter before its middle.
    half: usize,
    /// For each position between two samples, the factors on the samples around it, the earliest first.
    phases: Vec<Vec<f32>>,
}

impl Polyphase {
    /// For two rates whose ratio has small terms, which the manifest's check ensures.
    pub(super) fn new(from_hz: u32, to_hz: u32) -> Self {
        let common = greatest_common_divisor(from_hz, to_hz);
        let (up, down) = ((to_hz / common) as usize, (from_hz / common) as usize);
        let widest = up.max(down);
        let half = ZEROS * widest;
        let filter = filter(half, widest);
        let phase = |first: usize| {
            let taps = filter.iter().skip(first).step_by(up).rev();
            taps.map(|tap| (tap * up as f64) as f32).collect()
        };
        Self {
            up,
            down,
            half,
            phases: (0..up).map(phase).collect(),
        }
    }

    /// The resampled sound, long enough to cover the whole input. Silence surrounds it.
    pub(super) fn convert(&self, sound: &[f32]) -> Vec<f32> {
        let length = (sound.len() * self.up).div_ceil(self.down);
        let sample = |place: usize| {
            let middle = place * self.down + self.half;
            let taps = &self.phases[middle % self.up];
            // One after the last sample that the filter reaches.
            let end = middle / self.up + 1;
            let first = end as i64 - taps.len() as i64;
            let skipped = usize::try_from(-first).unwrap_or_default();
            let from = usize::try_from(first).unwrap_or_default();
            let heard = sound.get(from..end.min(sound.len())).unwrap_or_default();
            let taps = taps.iter().skip(skipped);
            heard.iter().zip(taps).map(|(a, b)| a * b).sum()
        };
        (0..length).map(sample).collect()
    }
}

/// A low-pass of `2 * half + 1` samples whose gain is one half at a `widest`th of the Nyquist frequency, and one at 0.
fn filter(half: usize, widest: usize) -> Vec<f64> {
    let tap = |place: usize| {
        let at = place as f64 - half as f64;
        let turn = PI * at / widest as f64;
        let sinc = if place == half {
            1.0
        } else {
            turn.sin() / turn
        };
        let across = at / half as f64;
        sinc * bessel(SHAPE * (1.0 - across * across).max(0.0).sqrt()) / bessel(SHAPE)
    };
    let taps: Vec<f64> = (0..=2 * half).map(tap).collect();
    let sum: f64 = taps.iter().sum();
    taps.into_iter().map(|tap| tap / sum).collect()
}

/// The modified Bessel function of the first kind and order zero, by its series.
fn bessel(x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for step in 1..64 {
        term *= (x / (2.0 * f64::from(step))).powi(2);
        sum += term;
    }
    sum
}

/// The greatest number that divides both.
pub(super) fn greatest_common_divisor(one: u32, other: u32) -> u32 {
    if other == 0 {
        one.max(1)
    } else {
        greatest_common_divisor(other, one % other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_those_of_the_definition() {
        let sound: Vec<f32> = (0..50).map(|n| (n as f32 * 0.7).sin()).collect();
        for (from, to) in [(3, 1), (1, 3), (16, 3), (3, 16), (2, 1)] {
            let converter = Polyphase::new(from, to);
            let widest = from.max(to) as usize;
            let half = ZEROS * widest;
            let taps = filter(half, widest);
            let found = converter.convert(&sound);
            assert_eq!(found.len(), (50 * to as usize).div_ceil(from as usize));
            for (place, found) in found.iter().enumerate() {
                // The sound with zeros in between, filtered and decimated.
                let sum = (sound.iter().enumerate()).map(|(at, sample)| {
                    let tap =
                        half as i64 + (place * from as usize) as i64 - (at * to as usize) as i64;
                    let tap = usize::try_from(tap).ok().and_then(|tap| taps.get(tap));
                    f64::from(*sample) * tap.copied().unwrap_or_default() * f64::from(to)
                });
                let sum: f64 = sum.sum();
                assert!(
                    (f64::from(*found) - sum).abs() < 1e-5,
                    "{from} {to} {place}"
                );
            }
        }
    }

    #[test]
    fn a_low_tone_goes_down_and_up_again_unchanged() {
        let tone: Vec<f32> = (0..4_410).map(|n| (n as f32 * 0.05).sin()).collect();
        let low = Polyphase::new(44_100, 14_700).convert(&tone);
        let back = Polyphase::new(14_700, 44_100).convert(&low);
        assert_eq!((low.len(), back.len()), (1_470, 4_410));
        for (place, (back, tone)) in back.iter().zip(&tone).enumerate().skip(100).take(4_200) {
            assert!((back - tone).abs() < 2e-3, "{place}: {back} {tone}");
        }
    }
}
