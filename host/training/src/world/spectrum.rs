use std::sync::Arc;

use vocalhost_fourier::num_complex::Complex64;
use vocalhost_fourier::{RealToComplex, forward_f64};

/// A transform with its working memory.
pub(super) struct Transform {
    plan: Arc<dyn RealToComplex<f64>>,
    input: Vec<f64>,
    pub(super) bins: Vec<Complex64>,
    scratch: Vec<Complex64>,
}

impl Transform {
    pub(super) fn of(length: usize) -> Self {
        let plan = forward_f64(length);
        Self {
            input: plan.make_input_vec(),
            bins: plan.make_output_vec(),
            scratch: plan.make_scratch_vec(),
            plan,
        }
    }

    pub(super) fn length(&self) -> usize {
        self.input.len()
    }

    /// Transforms samples, padded with zeros, into `bins`.
    pub(super) fn run(&mut self, samples: impl IntoIterator<Item = f64>) {
        self.input.fill(0.0);
        for (place, sample) in self.input.iter_mut().zip(samples) {
            *place = sample;
        }
        let done =
            self.plan
                .process_with_scratch(&mut self.input, &mut self.bins, &mut self.scratch);
        done.expect("the lengths are the plan's own");
    }

    /// The power of every bin.
    pub(super) fn power(&self, into: &mut Vec<f64>) {
        into.clear();
        into.extend(self.bins.iter().map(Complex64::norm_sqr));
    }
}

/// The value between bins, interpolated linearly; beyond the ends that of the end.
fn between(values: &[f64], place: f64) -> f64 {
    let last = values.len() - 1;
    if place <= 0.0 {
        return values[0];
    }
    let low = place as usize;
    if low >= last {
        return values[last];
    }
    let share = place - low as f64;
    values[low] + (values[low + 1] - values[low]) * share
}

/// Adds the part below the fundamental to itself, mirrored at half of the fundamental: a window that spans few periods loses half of it to
/// negative frequencies. `step_hz` is the distance of bins.
pub(super) fn mirror_below_fundamental(power: &mut [f64], f0_hz: f64, step_hz: f64) {
    let place = f0_hz / step_hz;
    let count = (place as usize + 1).min(power.len());
    let mirrored = (0..count).map(|bin| between(power, place - bin as f64));
    let mirrored: Vec<f64> = mirrored.collect();
    for (value, mirrored) in power.iter_mut().zip(mirrored) {
        *value += mirrored;
    }
}

/// The mean of a spectrum over `width_hz` around every bin, by differences of its integral; both ends are mirrored.
pub(super) fn smooth(spectrum: &mut [f64], width_hz: f64, step_hz: f64, integral: &mut Vec<f64>) {
    let last = spectrum.len() - 1;
    let beyond = (width_hz / step_hz) as usize + 1;
    let at = |place: usize| match place.checked_sub(beyond) {
        None => spectrum[(beyond - place).min(last)],
        Some(bin) if bin <= last => spectrum[bin],
        Some(bin) => spectrum[(2 * last).saturating_sub(bin)],
    };
    integral.clear();
    let mut sum = 0.0;
    for place in 0..=(last + 2 * beyond) {
        sum += at(place) * step_hz;
        integral.push(sum);
    }
    // The integral up to the upper edge of a bin is kept at its place.
    let edge = beyond as f64 - 0.5;
    let half = width_hz / 2.0 / step_hz;
    for (bin, value) in spectrum.iter_mut().enumerate() {
        let middle = bin as f64 + edge;
        *value = (between(integral, middle + half) - between(integral, middle - half)) / width_hz;
    }
}
