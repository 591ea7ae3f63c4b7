//! The curves that a network is to draw of a sound: as the voices that come with the program were trained
//! (`models/training/voices/train_instrument.py` and `training_frames.py`).

use super::{ANALYSIS_HOP, ANALYSIS_RATE_HZ};
use crate::BANDS;
use crate::world::{Envelopes, Roughness};

/// Silence: about -100 dB of full scale, as a logarithm of a gain.
pub(crate) const LOWEST_GAIN: f32 = -11.5;
/// Pulses where a pitch is said and none is there, against the noise, as a logarithm of a gain: -13 dB.
const UNVOICED_BREATH: f32 = -13.0 / 8.686;
/// Samples of a transform.
const LENGTH: usize = 2_048;
/// A band is the mean of so many places around its middle.
const PLACES: usize = 5;
/// What the logarithm of an envelope's power is at least.
const FLOOR: f64 = -32.2;
/// Where the estimates of noise are, besides at the bands of [`Roughness`]: in decibels at 0 Hz.
const LOWEST_ROUGHNESS_DB: f64 = -60.0;
/// Aperiodicity is at least and at most.
const ROUGHNESS_DB: std::ops::RangeInclusive<f64> = -60.0..=-0.008_69;
/// Above what a recording has an envelope goes on at the level of so many hertz below, and falls by so much.
const EDGE_HZ: f64 = 1_200.0;
const FALL_DB_PER_KHZ: f64 = 3.0;
const BAND_COUNT: usize = BANDS as usize;

/// What is wanted of a frame: logarithms of the gain of both parts together, and of the share that is noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curves {
    /// The gain.
    pub total: [f32; BAND_COUNT],
    /// The share of noise, as an amplitude.
    pub rough: [f32; BAND_COUNT],
}

/// Draws curves from sound.
pub struct Targets {
    envelopes: Envelopes,
    roughness: Roughness,
    /// For every band the places of its points, in hertz.
    points_hz: Vec<[f64; PLACES]>,
    centres_hz: Vec<f64>,
    known_hz: f64,
}

fn to_mel(hz: f64) -> f64 {
    2_595.0 * (1.0 + hz / 700.0).log10()
}

fn from_mel(mel: f64) -> f64 {
    700.0 * (10.0_f64.powf(mel / 2_595.0) - 1.0)
}

impl Targets {
    /// Of sound that has nothing above `known_hz`.
    #[must_use]
    pub fn new(known_hz: f64) -> Self {
        let highest = to_mel(f64::from(ANALYSIS_RATE_HZ) / 2.0);
        let step = highest / (BAND_COUNT - 1) as f64;
        let points = |band: usize| {
            let middle = band as f64 * step;
            [-2.0, -1.0, 0.0, 1.0, 2.0].map(|place: f64| {
                let mel = middle + place / PLACES as f64 * step;
                from_mel(mel.clamp(0.0, highest))
            })
        };
        Self {
            envelopes: Envelopes::new(ANALYSIS_RATE_HZ, LENGTH),
            roughness: Roughness::new(ANALYSIS_RATE_HZ),
            points_hz: (0..BAND_COUNT).map(points).collect(),
            centres_hz: (0..BAND_COUNT)
                .map(|band| from_mel(band as f64 * step))
                .collect(),
            known_hz,
        }
    }

    /// The curves of a frame, counted from 0; a pitch of 0 is none.
    pub fn at(&mut self, samples: &[f32], frame: usize, f0_hz: f64) -> Curves {
        let moment = (frame * ANALYSIS_HOP) as f64 / f64::from(ANALYSIS_RATE_HZ);
        let envelope = self.envelopes.at(samples, moment, f0_hz);
        let per_hz = LENGTH as f64 / f64::from(ANALYSIS_RATE_HZ);
        let mut total = [0.0; BAND_COUNT];
        for (total, points) in total.iter_mut().zip(&self.points_hz) {
            let sum: f64 = points
                .iter()
                .map(|hz| line(envelope, hz * per_hz).max(FLOOR))
                .sum();
            *total = ((0.5 * sum / PLACES as f64) as f32).max(LOWEST_GAIN);
        }
        self.go_on(&mut total);
        let bands = self.roughness.at(samples, moment, f0_hz);
        let bands = bands.unwrap_or_else(|| vec![0.0; self.roughness.bands()]);
        let mut rough = [0.0; BAND_COUNT];
        for ((rough, points), middle) in rough.iter_mut().zip(&self.points_hz).zip(&self.centres_hz)
        {
            let sum: f64 = points.iter().map(|hz| rough_db(&bands, *hz)).sum();
            let amplitude = 10.0_f64.powf(sum / PLACES as f64 / 20.0);
            let least = if *middle > self.known_hz {
                0.95 * ((middle - 4_000.0) / 5_000.0).clamp(0.0, 1.0)
            } else {
                0.0
            };
            *rough = amplitude.max(least) as f32;
        }
        Curves { total, rough }
    }

    /// Goes on above what the sound has.
    fn go_on(&self, total: &mut [f32; BAND_COUNT]) {
        let known = self.centres_hz.partition_point(|hz| *hz <= self.known_hz);
        let edge = self
            .centres_hz
            .partition_point(|hz| *hz <= self.known_hz - EDGE_HZ);
        if known >= BAND_COUNT || edge >= known {
            return;
        }
        let below = &total[edge..known];
        let start = below.iter().sum::<f32>() / below.len() as f32;
        for (gain, hz) in total.iter_mut().zip(&self.centres_hz).skip(known) {
            let fall_db = (hz - self.known_hz) / 1_000.0 * FALL_DB_PER_KHZ;
            *gain = (start - (fall_db / 8.686) as f32).max(LOWEST_GAIN);
        }
    }
}

/// The value between two others.
fn line(values: &[f64], place: f64) -> f64 {
    let low = (place as usize).min(values.len() - 2);
    let share = place - low as f64;
    values[low] * (1.0 - share) + values[low + 1] * share
}

/// The share of noise at a frequency, in decibels: straight lines between the bands, as WORLD has them.
fn rough_db(bands: &[f64], hz: f64) -> f64 {
    const BAND_HZ: f64 = 3_000.0;
    let at = |place: usize| match place {
        0 => LOWEST_ROUGHNESS_DB,
        place => bands.get(place - 1).copied().unwrap_or(0.0),
    };
    let low = (hz / BAND_HZ) as usize;
    let top = if low >= bands.len() {
        f64::from(ANALYSIS_RATE_HZ) / 2.0
    } else {
        (low + 1) as f64 * BAND_HZ
    };
    let bottom = low.min(bands.len()) as f64 * BAND_HZ;
    let share = (hz - bottom) / (top - bottom);
    let (low, high) = (low.min(bands.len()), low.min(bands.len()) + 1);
    let db = at(low) * (1.0 - share) + at(high) * share;
    db.clamp(*ROUGHNESS_DB.start(), *ROUGHNESS_DB.end())
}

/// The gains of the harmonic part and of the noise, for a frame that has a pitch or not, and is said to have one or not.
#[must_use]
pub(crate) fn split(
    curves: &Curves,
    louder: f32,
    is_voiced: bool,
    is_said: bool,
) -> [[f32; BAND_COUNT]; 2] {
    let (mut harmonic, mut noise) = ([0.0; BAND_COUNT], [0.0; BAND_COUNT]);
    for (band, (total, rough)) in curves.total.iter().zip(&curves.rough).enumerate() {
        let total = (total + louder).max(LOWEST_GAIN);
        let (above, below) = if is_voiced && is_said {
            (0.5 * (-rough * rough).ln_1p(), rough.ln())
        } else {
            (UNVOICED_BREATH, 0.0)
        };
        harmonic[band] = (total + above).max(LOWEST_GAIN);
        noise[band] = (total + below).max(LOWEST_GAIN);
    }
    [harmonic, noise]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_recording_lacks_goes_on_falling() {
        let mut state = 1_u64;
        let mut draw = || {
            state = (state * 1_103_515_245 + 12_345) % (1 << 31);
            state as f32 / (1_u64 << 30) as f32 - 1.0
        };
        let samples: Vec<f32> = (0..32_000).map(|_| 0.1 * draw()).collect();
        let whole = Targets::new(16_000.0).at(&samples, 50, 0.0);
        let known = Targets::new(6_000.0).at(&samples, 50, 0.0);
        let below = |curves: &Curves| curves.total[..30].to_vec();
        assert_eq!(below(&whole), below(&known));
        let top = known.total[63];
        assert!(top < whole.total[63] - 2.0, "{top} {}", whole.total[63]);
        // Noise of this power has a density of 0.1² / 3 over all bins.
        let mean = whole.total.iter().sum::<f32>() / 64.0;
        assert!(
            (mean - (0.1_f32 * 0.1 / 3.0).ln() / 2.0).abs() < 0.5,
            "{mean}"
        );
    }

    #[test]
    fn lines_between_bands_are_those_of_world() {
        let bands = [-30.0, -20.0, -10.0, -6.0];
        for (hz, db) in [
            (0.0, -60.0),
            (1_500.0, -45.0),
            (3_000.0, -30.0),
            (10_500.0, -8.0),
            (14_000.0, -3.0),
        ] {
            assert!((rough_db(&bands, hz) - db).abs() < 1e-9, "{hz}");
        }
    }

    #[test]
    fn both_parts_together_have_the_whole_power() {
        let curves = Curves {
            total: [-3.0; BAND_COUNT],
            rough: [0.6; BAND_COUNT],
        };
        let [harmonic, noise] = split(&curves, 0.0, true, true);
        let power = (2.0 * harmonic[5]).exp() + (2.0 * noise[5]).exp();
        assert!((power - (-6.0_f32).exp()).abs() < 1e-6);
        let [harmonic, noise] = split(&curves, 0.0, false, true);
        assert!((noise[0] + 3.0).abs() < 1e-6 && (harmonic[0] + 3.0 + 1.496_7).abs() < 1e-3);
    }
}
