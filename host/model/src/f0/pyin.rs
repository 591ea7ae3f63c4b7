use std::ops::Range;
use std::sync::Arc;

use vocalhost_fourier::{RealToComplex, forward_f64};

use super::method::Method;
use super::track::{BINS, LOW_HZ, Observation, bin_of, most_likely};
use crate::ModelError;
use crate::source::Sound;

/// Context that the most likely track needs on both sides.
pub(super) const CONTEXT_S: f64 = 1.0;

const RATE_HZ: f64 = 16_000.0;
const HOP: usize = 160;
/// Samples over which a frame is compared with itself: more than two periods of the lowest pitch.
const FRAME: usize = 1_024;
/// Length of the transform: a frame with room for its shifted self.
const TRANSFORM: usize = 2 * FRAME;
/// The highest pitch, as in RVC's pipeline; [`LOW_HZ`] is the lowest.
const HIGH_HZ: f64 = 1_100.0;
const SHORTEST: usize = (RATE_HZ / HIGH_HZ) as usize;
const LONGEST: usize = (RATE_HZ / LOW_HZ) as usize;
/// Number of thresholds, and the second parameter of their prior, a beta distribution whose first is 2.
const THRESHOLDS: usize = 100;
const BETA: i32 = 18;
/// How much less likely a trough is for each earlier one below the same threshold.
const TROUGH_DECAY: f64 = 2.0;
/// Samples on each side of a candidate's period in which the exact one is searched.
const NEARBY: usize = 2;
/// The probability of the deepest trough when none is below a threshold.
const NO_TROUGH: f64 = 0.01;

/// pYIN: the periods at which a sound repeats itself, weighted over a hundred thresholds, and the most likely track through them (M. Mauch
/// and S. Dixon, 2014; the difference function is YIN's, A. de Cheveigné and H. Kawahara, 2002). Parameters and details are those of
/// `librosa.pyin`, which a test compares with.
pub(super) struct Pyin {
    fft: Arc<dyn RealToComplex<f64>>,
    /// The probability of each threshold.
    beliefs: Vec<f64>,
}

impl Pyin {
    pub(super) fn new() -> Self {
        // The distribution function of a beta distribution of 2 and b is 1 - (1 - x)^b (1 + b x).
        let below = |place: usize| {
            let x = place as f64 / THRESHOLDS as f64;
            1.0 - (1.0 - x).powi(BETA) * (1.0 + f64::from(BETA) * x)
        };
        Self {
            fft: forward_f64(TRANSFORM),
            beliefs: (0..THRESHOLDS)
                .map(|place| below(place + 1) - below(place))
                .collect(),
        }
    }

    /// The candidates of a frame.
    fn observe(&self, frame: &[f32]) -> Vec<Observation> {
        let likeness = self.likeness(frame);
        let difference = likeness.difference();
        let mut found: Vec<Observation> = Vec::new();
        for (place, belief) in self.troughs(&difference) {
            let period = (SHORTEST + place) as f64 + shift(&difference, place);
            let bin = bin_of(RATE_HZ / period);
            // Of two candidates in one bin, the longer period stays.
            found.retain(|other| other.bin != bin);
            if bin < BINS && belief > 0.0 {
                let hz = RATE_HZ / likeness.refined(period);
                found.push(Observation { bin, hz, belief });
            }
        }
        found
    }

    /// The candidates of each frame. Frames with no more energy than `silent_energy` have none.
    fn observations(
        &self,
        samples: &[f32],
        count: usize,
        silent_energy: f64,
    ) -> Vec<Vec<Observation>> {
        let frames = (0..count).map(|frame| &samples[frame * HOP..][..FRAME]);
        let observed = frames.map(|frame| {
            let energy: f64 = frame.iter().map(|sample| f64::from(*sample).powi(2)).sum();
            if energy > silent_energy {
                self.observe(frame)
            } else {
                Vec::new()
            }
        });
        observed.collect()
    }

    fn likeness(&self, frame: &[f32]) -> Likeness {
        let mut input = self.fft.make_input_vec();
        let mut spectrum = self.fft.make_output_vec();
        for (value, sample) in input.iter_mut().zip(frame) {
            *value = f64::from(*sample);
        }
        let mut energies = vec![0.0; FRAME + 1];
        for place in 0..FRAME {
            energies[place + 1] = energies[place] + input[place].powi(2);
        }
        self.fft
            .process(&mut input, &mut spectrum)
            .expect("the buffers were made by the same plan");
        // The power spectrum is real and even, so the same transform also inverts it.
        let mut powers = self.fft.make_input_vec();
        for (place, bin) in spectrum.iter().enumerate() {
            powers[place] = bin.norm_sqr() / TRANSFORM as f64;
            powers[(TRANSFORM - place) % TRANSFORM] = powers[place];
        }
        self.fft
            .process(&mut powers, &mut spectrum)
            .expect("the buffers were made by the same plan");
        Likeness {
            products: spectrum.iter().map(|value| value.re).collect(),
            energies,
        }
    }

    /// The local minima of the difference, and the probability of each.
    fn troughs(&self, difference: &[f64]) -> Vec<(usize, f64)> {
        let places: Vec<usize> = (0..difference.len())
            .filter(|place| is_trough(difference, *place))
            .collect();
        let mut beliefs = vec![0.0; places.len()];
        let Some(deepest) = (0..places.len())
            .min_by(|a, b| difference[places[*a]].total_cmp(&difference[places[*b]]))
        else {
            return Vec::new();
        };
        for (number, belief) in self.beliefs.iter().enumerate() {
            let threshold = (number + 1) as f64 / THRESHOLDS as f64;
            let below = |trough: &usize| difference[places[*trough]] < threshold;
            let below: Vec<usize> = (0..places.len()).filter(below).collect();
            if below.is_empty() {
                beliefs[deepest] += NO_TROUGH * belief;
            }
            let whole = 1.0 - (-TROUGH_DECAY * below.len() as f64).exp();
            for (rank, trough) in below.into_iter().enumerate() {
                let share = (1.0 - (-TROUGH_DECAY).exp()) * (-TROUGH_DECAY * rank as f64).exp();
                beliefs[trough] += belief * share / whole;
            }
        }
        places.into_iter().zip(beliefs).collect()
    }
}

/// The autocorrelation of a frame.
struct Likeness {
    /// The sum of products of the frame with its shifted self, by shift.
    products: Vec<f64>,
    /// The energy of the samples before each position.
    energies: Vec<f64>,
}

impl Likeness {
    /// The difference between the frame and its shifted self, divided by its mean over all shorter shifts; from the shortest period on.
    fn difference(&self) -> Vec<f64> {
        let mut total = 0.0;
        let mut differences = Vec::with_capacity(LONGEST + 1 - SHORTEST);
        for shift in 1..=LONGEST {
            let unlike = self.products[0] - self.products[shift];
            let difference = 2.0 * unlike - self.energies[shift];
            total += difference;
            if shift >= SHORTEST {
                differences.push(difference / (total / shift as f64 + f64::MIN_POSITIVE));
            }
        }
        differences
    }

    /// Refines a period. The difference above counts the end of the frame, which has nothing to be compared with, as different, and so
    /// favours short periods; this one compares only samples that have a counterpart.
    fn refined(&self, period: f64) -> f64 {
        let unlike = |shift: usize| {
            let whole = self.energies[FRAME];
            let energy = self.energies[FRAME - shift] + whole - self.energies[shift];
            1.0 - 2.0 * self.products[shift] / (energy + f64::MIN_POSITIVE)
        };
        let nearest = (period.round() as usize).clamp(2, LONGEST);
        let lowest = (nearest - NEARBY.min(nearest - 2)).max(2);
        let best = (lowest..=nearest + NEARBY)
            .min_by(|a, b| unlike(*a).total_cmp(&unlike(*b)))
            .unwrap_or(nearest);
        let around = [best - 1, best, best + 1].map(unlike);
        best as f64 + shift(&around, 1)
    }
}

impl Method for Pyin {
    fn estimate(
        &self,
        sound: &dyn Sound,
        frames: Range<usize>,
        silence_rms: f32,
    ) -> Result<Vec<f32>, ModelError> {
        let start = (frames.start * HOP) as i64 - FRAME as i64 / 2;
        let length = (frames.len().max(1) - 1) * HOP + FRAME;
        let samples = sound.samples(start, length)?;
        let silent_energy = f64::from(silence_rms).powi(2) * FRAME as f64;
        let observed = self.observations(&samples, frames.len(), silent_energy);
        Ok(most_likely(&observed))
    }
}

fn is_trough(values: &[f64], place: usize) -> bool {
    let falls = place == 0 || values[place] < values[place - 1];
    let next = values.get(place + 1);
    let rises = next.is_none_or(|next| values[place] <= *next);
    // The first value has no predecessor, so it must be below its successor.
    falls && rises && (place > 0 || next.is_some_and(|next| values[0] < *next))
}

/// The offset of the minimum of the parabola through a value and its neighbours.
fn shift(values: &[f64], place: usize) -> f64 {
    if place == 0 || place + 1 >= values.len() {
        return 0.0;
    }
    let (before, here, after) = (values[place - 1], values[place], values[place + 1]);
    let bend = after + before - 2.0 * here;
    let slope = (after - before) / 2.0;
    if slope.abs() >= bend.abs() {
        0.0
    } else {
        -slope / bend
    }
}

#[cfg(test)]
mod tests {
    use super::super::track::voiced_bins;
    use super::*;
    use crate::golden;

    /// Samples as they are.
    struct Samples(Vec<f32>);

    impl Sound for Samples {
        fn len(&self) -> u64 {
            self.0.len() as u64
        }

        fn samples(&self, start: i64, count: usize) -> Result<Vec<f32>, ModelError> {
            let at = |place: i64| {
                usize::try_from(place)
                    .ok()
                    .and_then(|place| self.0.get(place))
            };
            let places = start..start + count as i64;
            Ok(places
                .map(|place| at(place).copied().unwrap_or(0.0))
                .collect())
        }
    }

    /// Harmonics of a gliding pitch, then a pause, then lower ones, over a little noise, as in `tests/parity/dsp`.
    fn sung(count: usize) -> Vec<f32> {
        let (mut phase, mut state) = (0.0, 12_345_u64);
        (0..count)
            .map(|index| {
                let n = index as f64;
                let share = n / count as f64;
                let octave = if share < 0.4 { 0.0 } else { -1.3 };
                let f0 = 200.0 * (octave + 0.4 * (n / 9_000.0).sin()).exp2();
                phase += std::f64::consts::TAU * f0 / RATE_HZ;
                let wave: f64 = (1..9)
                    .map(|k| (f64::from(k) * phase).sin() / f64::from(k))
                    .sum();
                state = (state * 1_103_515_245 + 12_345) % (1 << 31);
                let noise = state as f64 / f64::from(1 << 30) - 1.0;
                let pause = n > count as f64 * 0.4 && n < count as f64 * 0.55;
                (if pause { 0.0 } else { 0.2 * wave } + 0.003 * noise) as f32
            })
            .collect()
    }

    #[test]
    fn the_track_is_librosas() {
        let sound = Samples(sung(48_000));
        let expected = golden::listed(&golden::of_libraries()["pyin"]);
        let length = (expected.len() - 1) * HOP + FRAME;
        let samples = sound.samples(-(FRAME as i64) / 2, length).expect("samples");
        let observed = Pyin::new().observations(&samples, expected.len(), 0.0);
        let found = voiced_bins(&observed);
        let expected = expected
            .iter()
            .map(|bin| (*bin >= 0.0).then_some(*bin as usize));
        let other = found
            .iter()
            .zip(expected)
            .filter(|(found, expected)| *found != expected);
        // Ties in the last digits of the transform may turn a frame or two.
        assert!(other.count() <= 2, "{found:?}");
        let voiced = found.iter().flatten().count();
        assert!((200..290).contains(&voiced), "{voiced} frames are voiced");
    }

    #[test]
    fn a_tone_is_found_to_the_cent_and_silence_has_no_pitch() {
        for hz in [82.4, 220.0, 441.7, 987.8] {
            let wave = |n: usize| (std::f64::consts::TAU * hz * n as f64 / RATE_HZ).sin();
            let sound = Samples((0..16_000).map(|n| 0.3 * wave(n) as f32).collect());
            let track = Pyin::new().estimate(&sound, 0..100, 0.0).expect("finds");
            for found in &track[10..90] {
                let cents = 1_200.0 * (f64::from(*found) / hz).log2();
                assert!(cents.abs() < 1.0, "{hz}: {found}");
            }
        }
        let silence = Samples(vec![0.0; 16_000]);
        let track = Pyin::new().estimate(&silence, 0..101, 0.0).expect("finds");
        assert!(track.iter().all(|f0| *f0 == 0.0));
    }
}
