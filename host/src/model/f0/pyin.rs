use std::ops::Range;
use std::sync::Arc;

use realfft::{RealFftPlanner, RealToComplex};

use super::Method;
use super::track::{BINS, LOW_HZ, Observation, bin_of, most_likely};
use crate::model::ModelError;
use crate::model::source::Sound;

/// Sound that the most likely track wants to know on both sides.
pub(super) const CONTEXT_S: f64 = 1.0;

const RATE_HZ: f64 = 16_000.0;
const HOP: usize = 160;
/// Samples that a frame is compared with itself over: two periods of the lowest pitch and more.
const FRAME: usize = 1_024;
/// The transform of a frame with room for its shifted self.
const TRANSFORM: usize = 2 * FRAME;
/// The highest pitch, as in RVC's pipeline; [`LOW_HZ`] is the lowest.
const HIGH_HZ: f64 = 1_100.0;
const SHORTEST: usize = (RATE_HZ / HIGH_HZ) as usize;
const LONGEST: usize = (RATE_HZ / LOW_HZ) as usize;
/// Thresholds that are tried, and the shape of the belief in them: a beta distribution of 2 and this.
const THRESHOLDS: usize = 100;
const BETA: i32 = 18;
/// How much less likely a trough is for each one below the same threshold before it.
const TROUGH_DECAY: f64 = 2.0;
/// The belief in the deepest trough when none is below a threshold.
const NO_TROUGH: f64 = 0.01;

/// pYIN: the periods at which a sound repeats itself, weighed over a hundred thresholds, and the most likely track through
/// them (M. Mauch and S. Dixon, 2014; the difference function is YIN's, A. de Cheveigné and H. Kawahara, 2002). Parameters
/// and details are those of `librosa.pyin`, which a test compares with.
pub(super) struct Pyin {
    fft: Arc<dyn RealToComplex<f64>>,
    /// The belief in each threshold.
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
            fft: RealFftPlanner::new().plan_fft_forward(TRANSFORM),
            beliefs: (0..THRESHOLDS)
                .map(|place| below(place + 1) - below(place))
                .collect(),
        }
    }

    /// The candidates of a frame.
    fn observe(&self, frame: &[f32]) -> Vec<Observation> {
        let difference = self.difference(frame);
        let mut found: Vec<Observation> = Vec::new();
        for (place, belief) in self.troughs(&difference) {
            let period = (SHORTEST + place) as f64 + shift(&difference, place);
            let hz = RATE_HZ / period;
            let bin = bin_of(hz);
            // Of two candidates in one bin the longer period stays.
            found.retain(|other| other.bin != bin);
            if bin < BINS && belief > 0.0 {
                found.push(Observation { bin, hz, belief });
            }
        }
        found
    }

    /// The difference between a frame and itself later, by its mean over all shorter shifts; from the shortest period on.
    fn difference(&self, frame: &[f32]) -> Vec<f64> {
        let mut input = self.fft.make_input_vec();
        let mut spectrum = self.fft.make_output_vec();
        for (value, sample) in input.iter_mut().zip(frame) {
            *value = f64::from(*sample);
        }
        let samples = input.clone();
        self.fft
            .process(&mut input, &mut spectrum)
            .expect("the buffers were made by the same plan");
        // The power spectrum is real and even, so that the same transform leads back.
        let mut powers = self.fft.make_input_vec();
        for (place, bin) in spectrum.iter().enumerate() {
            powers[place] = bin.norm_sqr() / TRANSFORM as f64;
            powers[(TRANSFORM - place) % TRANSFORM] = powers[place];
        }
        self.fft
            .process(&mut powers, &mut spectrum)
            .expect("the buffers were made by the same plan");
        let likeness = |shift: usize| spectrum[shift].re;
        let (mut energy, mut total) = (0.0, 0.0);
        let mut differences = Vec::with_capacity(LONGEST + 1 - SHORTEST);
        for shift in 1..=LONGEST {
            energy += samples[shift - 1].powi(2);
            let difference = 2.0 * (likeness(0) - likeness(shift)) - energy;
            total += difference;
            if shift >= SHORTEST {
                differences.push(difference / (total / shift as f64 + f64::MIN_POSITIVE));
            }
        }
        differences
    }

    /// The places where the difference is least, and the belief in each.
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
        let observations: Vec<Vec<Observation>> = (0..frames.len())
            .map(|frame| {
                let frame = &samples[frame * HOP..][..FRAME];
                let energy: f64 = frame.iter().map(|sample| f64::from(*sample).powi(2)).sum();
                if energy > silent_energy {
                    self.observe(frame)
                } else {
                    Vec::new()
                }
            })
            .collect();
        Ok(most_likely(&observations))
    }
}

fn is_trough(values: &[f64], place: usize) -> bool {
    let falls = place == 0 || values[place] < values[place - 1];
    let next = values.get(place + 1);
    let rises = next.is_none_or(|next| values[place] <= *next);
    // The first value has nothing before it, so that it must lie below the one behind it.
    falls && rises && (place > 0 || next.is_some_and(|next| values[0] < *next))
}

/// How far beside a place the parabola through it and its neighbours has its least value.
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
