//! A phaser: a row of first-order all-passes, mixed with the input.
//!
//! H(z) = (a + z⁻¹) / (1 + a z⁻¹) with a = (t − 1) / (t + 1), t = tan(π f / rate), turns
//! the phase by 90° at f and by 180° far above; n of them cancel the plain sound where
//! their phases add up to an odd number of half turns, which makes n / 2 notches
//! (J. O. Smith, "Physical Audio Signal Processing", "Phasing with First-Order Allpass
//! Filters"). f swings around the centre by up to two octaves either way, along a sine,
//! equally far in octaves. Feedback takes the row's last output, one frame late.
//!
//! The all-passes are normalised lattices (A. H. Gray and J. D. Markel, "A Normalized
//! Digital Filter Structure", IEEE Trans. ASSP 23 (3), 1975): y = a x + c s,
//! s ← c x − a s, with c = √(1 − a²). Such a section keeps the energy of its input
//! and state exactly however a moves, so that with feedback below 1 the row cannot
//! blow up at any speed of the sweep.

use std::f64::consts::TAU;

use vocalhost_effect::dsp::{SILENCE, STRETCH_FRAMES, prewarped};
use vocalhost_effect::{Planar, Settings};

/// How far the frequency swings either way at depth 1.
const MAX_SWING_OCTAVES: f64 = 2.0;

/// Frames from one computed coefficient to the next; straight lines join them. At 10 Hz
/// and 8 kHz a period still has 50 of them.
const GRID_FRAMES: u64 = 16;

/// The most all-passes in a row.
pub const MAX_STAGES: usize = 12;

/// A phaser over any number of channels, all of which move together.
#[derive(Clone, Debug)]
pub struct Phaser {
    sweep: Sweep,
    stages: usize,
    feedback: f64,
    dry: f64,
    wet: f64,
    tail_frames: u64,
    /// Two channels at a time; an odd last channel has a silent partner.
    pairs: Vec<Pair>,
}

/// The coefficient of all all-passes over time.
#[derive(Clone, Debug)]
struct Sweep {
    rate_hz: f64,
    centre_hz: f64,
    swing_octaves: f64,
    /// Periods of the sine from one point of the grid to the next.
    step: f64,
    /// Frames since the start.
    position: u64,
    /// The coefficients at the points of the grid around `position`.
    ends: [f64; 2],
}

/// The memory of two channels, side by side.
#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    states: [[f64; 2]; MAX_STAGES],
    fed_back: [f64; 2],
}

/// The lattice's coefficients a and c for every frame of a stretch.
type Stretch = [(f64, f64); STRETCH_FRAMES];

impl Phaser {
    /// A phaser with the descriptor's settings.
    #[must_use]
    pub fn for_channels(rate_hz: f64, settings: &Settings, channels: usize) -> Self {
        let stages = settings
            .choice("stages")
            .parse()
            .map_or(MAX_STAGES, |stages: usize| stages.clamp(1, MAX_STAGES));
        let sweep = Sweep::new(rate_hz, settings);
        let feedback = settings.number("feedback");
        let mix = settings.number("mix");
        let lowest = prewarped(rate_hz, sweep.centre_hz * (-sweep.swing_octaves).exp2());
        let highest = prewarped(rate_hz, sweep.centre_hz * sweep.swing_octaves.exp2());
        // Above a quarter of the rate the poles lie on the other side, mirrored.
        let slowest = lowest.min(1.0 / highest);
        Self {
            stages,
            feedback,
            dry: 1.0 - mix,
            wet: mix,
            tail_frames: decay_frames(slowest, stages as f64, feedback),
            sweep,
            pairs: vec![Pair::default(); channels.div_ceil(2)],
        }
    }

    /// Mixes the turned copy into the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        let mut stretch: Stretch = [(0.0, 0.0); STRETCH_FRAMES];
        let mut at = 0;
        while at < sound.frames() {
            let frames = STRETCH_FRAMES.min(sound.frames() - at);
            let stretch = &mut stretch[..frames];
            self.sweep.fill(stretch);
            let mut channels = sound.channels();
            for pair in &mut self.pairs {
                let Some(left) = channels.next() else { break };
                let left = &mut left[at..at + frames];
                let mixed = (self.feedback, self.dry, self.wet);
                let row = &mut pair.states[..self.stages];
                let right = match channels.next() {
                    Some(right) => &mut right[at..at + frames],
                    None => &mut [],
                };
                process_pair(row, &mut pair.fed_back, stretch, mixed, (left, right));
            }
            at += frames;
        }
    }

    /// Frames until the ringing is over.
    #[must_use]
    pub fn tail_frames(&self) -> u64 {
        if self.wet == 0.0 { 0 } else { self.tail_frames }
    }

    /// Forgets all sound and starts the sweep anew.
    pub fn forget(&mut self) {
        self.pairs.fill(Pair::default());
        self.sweep.forget();
    }
}

impl Sweep {
    fn new(rate_hz: f64, settings: &Settings) -> Self {
        let mut sweep = Self {
            rate_hz,
            centre_hz: settings.number("centre_frequency_hz"),
            swing_octaves: settings.number("depth") * MAX_SWING_OCTAVES,
            step: settings.number("rate_hz") / rate_hz * GRID_FRAMES as f64,
            position: 0,
            ends: [0.0; 2],
        };
        sweep.forget();
        sweep
    }

    fn coefficient(&self, point: u64) -> f64 {
        let turn = (point as f64 * self.step).fract();
        let octaves = self.swing_octaves * (TAU * turn).sin();
        let tangent = prewarped(self.rate_hz, self.centre_hz * octaves.exp2());
        (tangent - 1.0) / (tangent + 1.0)
    }

    fn fill(&mut self, stretch: &mut [(f64, f64)]) {
        for value in stretch {
            let offset = self.position % GRID_FRAMES;
            let share = offset as f64 / GRID_FRAMES as f64;
            let a = self.ends[0] + share * (self.ends[1] - self.ends[0]);
            *value = (a, (1.0 - a * a).sqrt());
            self.position += 1;
            if offset == GRID_FRAMES - 1 {
                let next = self.coefficient(self.position / GRID_FRAMES + 1);
                self.ends = [self.ends[1], next];
            }
        }
    }

    fn forget(&mut self) {
        self.position = 0;
        self.ends = [self.coefficient(0), self.coefficient(1)];
    }
}

/// Runs a stretch of two channels; `right` may be empty.
fn process_pair(
    row: &mut [[f64; 2]],
    fed_back: &mut [f64; 2],
    stretch: &[(f64, f64)],
    (feedback, dry, wet): (f64, f64, f64),
    (left, right): (&mut [f32], &mut [f32]),
) {
    let mut last = *fed_back;
    for (frame, &(a, c)) in stretch.iter().enumerate() {
        let other = right.get(frame).copied().unwrap_or(0.0);
        let plain = [f64::from(left[frame]), f64::from(other)];
        let mut turned = [plain[0] + feedback * last[0], plain[1] + feedback * last[1]];
        for state in &mut *row {
            for (x, s) in turned.iter_mut().zip(state) {
                let out = a * *x + c * *s;
                *s = c * *x - a * *s;
                *x = out;
            }
        }
        last = turned;
        left[frame] = (dry * plain[0] + wet * turned[0]) as f32;
        if let Some(sample) = right.get_mut(frame) {
            *sample = (dry * plain[1] + wet * turned[1]) as f32;
        }
    }
    *fed_back = last;
}

/// Frames until `stages` all-passes at the prewarped frequency `tangent` have decayed by
/// 120 dB.
///
/// An all-pass has its pole at −a and at 0 Hz delays by 1 / `tangent` frames; the
/// loop of all of them rings longest there, and loses −ln(feedback) per round trip.
fn decay_frames(tangent: f64, stages: f64, feedback: f64) -> u64 {
    let pole = ((1.0 - tangent) / (1.0 + tangent)).abs();
    let row_decay = -pole.max(SILENCE).ln();
    let wanted = -SILENCE.ln();
    // n equal poles decay like nᵏ rⁿ: three more time constants for each cover that.
    let row = (wanted + 3.0 * stages) / row_decay;
    let size = feedback.abs();
    let rounds = if size > SILENCE {
        // The delay near the pole is longer than at 0 Hz, hence the factor of 2.
        let round_trip = 2.0 * (stages / tangent + 1.0);
        let loops = (wanted - (1.0 - size).ln()) / -size.ln();
        loops * round_trip
    } else {
        0.0
    };
    (row + rounds).ceil() as u64
}
