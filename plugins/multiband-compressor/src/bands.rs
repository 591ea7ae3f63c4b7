//! Three bands that sum flat.

use vocalhost_effect::dsp::{Crossover, STRETCH_FRAMES, StateVariable};

/// Room for one stretch of each band.
pub type Stretches = [[f32; STRETCH_FRAMES]; 3];

/// Splits one channel into a low, a middle and a high band of fourth order.
///
/// The low band goes through the phase of the second crossover too, which it does not
/// pass; without it the bands would cancel where they overlap.
#[derive(Clone, Copy, Debug)]
pub struct Bands {
    lower: Crossover,
    upper: Crossover,
    aligned: StateVariable,
}

impl Bands {
    /// Bands that meet at the two frequencies.
    pub fn new(rate_hz: f64, low_hz: f64, high_hz: f64) -> Self {
        Self {
            lower: Crossover::new(rate_hz, low_hz),
            upper: Crossover::new(rate_hz, high_hz),
            aligned: StateVariable::new(rate_hz, high_hz),
        }
    }

    /// Writes the bands of the next samples, at most a stretch.
    pub fn split(&mut self, samples: &[f32], bands: &mut Stretches) {
        let [low, middle, high] = bands;
        let places = low.iter_mut().zip(middle).zip(high);
        for (sample, ((low, middle), high)) in samples.iter().zip(places) {
            let (below, above) = self.lower.split(f64::from(*sample));
            let (between, top) = self.upper.split(above);
            *low = self.aligned.turn(below) as f32;
            *middle = between as f32;
            *high = top as f32;
        }
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        self.lower.forget();
        self.upper.forget();
        self.aligned.forget();
    }
}
