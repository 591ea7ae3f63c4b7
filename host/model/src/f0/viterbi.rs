//! The most likely path through the pitches of successive frames, as in torchcrepe (its `decode.viterbi`, which calls
//! `librosa.sequence.viterbi`).

use std::ops::Range;

/// The largest step, in bins, from one frame to the next: the likelihood of a step falls linearly with its length and reaches zero beyond.
const REACH: usize = 12;
/// Added by librosa to every likelihood before the logarithm: the smallest normal single-precision number.
const TINY: f64 = f32::MIN_POSITIVE as f64;

/// The bin of every frame on the most likely path. `salience` has `bins` numbers for each frame; bins that are not `allowed` have no
/// likelihood.
pub(super) fn path(salience: &[f32], bins: usize, allowed: &Range<usize>) -> Vec<usize> {
    let mut frames = salience.chunks_exact(bins);
    let Some(first) = frames.next() else {
        return Vec::new();
    };
    let steps = Steps::among(bins);
    let start = (1.0 / bins as f64 + TINY).ln();
    let mut ways = likelihoods(first, allowed);
    for way in &mut ways {
        *way += start;
    }
    let mut origins = Vec::new();
    for frame in frames {
        let (moved, from) = steps.take(&ways);
        ways = likelihoods(frame, allowed);
        for (way, moved) in ways.iter_mut().zip(moved) {
            *way += moved;
        }
        origins.push(from);
    }
    let mut bin = best(&ways);
    let mut path = vec![bin];
    for from in origins.iter().rev() {
        bin = usize::from(from[bin]);
        path.push(bin);
    }
    path.reverse();
    path
}

/// Logarithms of the likelihood of each bin of a frame, from the salience of the allowed bins as logits.
fn likelihoods(frame: &[f32], allowed: &Range<usize>) -> Vec<f64> {
    let inside = &frame[allowed.clone()];
    let most = inside.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let power = |value: &f32| f64::from(*value - most).exp();
    let sum: f64 = inside.iter().map(power).sum();
    let mut logs = vec![TINY.ln(); frame.len()];
    for (log, value) in logs[allowed.clone()].iter_mut().zip(inside) {
        *log = (power(value) / sum + TINY).ln();
    }
    logs
}

/// The first of the most likely paths.
fn best(ways: &[f64]) -> usize {
    let mut best = 0;
    for (bin, way) in ways.iter().enumerate() {
        if *way > ways[best] {
            best = bin;
        }
    }
    best
}

/// Transitions from bin to bin.
struct Steps {
    /// Logarithm of the weight of a step by its length.
    lengths: Vec<f64>,
    /// Logarithm of the summed weights of all steps from a bin: there are fewer at both ends.
    totals: Vec<f64>,
}

impl Steps {
    fn among(bins: usize) -> Self {
        let weight = |length: usize| (REACH - length) as f64;
        let total = |from: usize| -> f64 {
            let reached = from.saturating_sub(REACH - 1)..(from + REACH).min(bins);
            reached.map(|bin| weight(bin.abs_diff(from))).sum()
        };
        Self {
            lengths: (0..REACH).map(|length| weight(length).ln()).collect(),
            totals: (0..bins).map(|from| total(from).ln()).collect(),
        }
    }

    /// The likelihood of the best path into each bin, and the bin that it comes from.
    fn take(&self, ways: &[f64]) -> (Vec<f64>, Vec<u16>) {
        let bins = ways.len();
        // A longer step is never quite impossible.
        let leap = best(ways);
        let into = |bin: usize| {
            let mut found = (ways[leap] + TINY.ln(), leap as u16);
            let reached = bin.saturating_sub(REACH - 1)..(bin + REACH).min(bins);
            for (from, way) in reached.clone().zip(&ways[reached]) {
                let way = way + self.lengths[from.abs_diff(bin)] - self.totals[from];
                if way > found.0 {
                    found = (way, from as u16);
                }
            }
            found
        };
        (0..bins).map(into).unzip()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers between 0 and 1.
    fn numbers(count: usize, mut state: u32) -> Vec<f32> {
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 24) as f32
        };
        (0..count).map(|_| next()).collect()
    }

    /// The likelihood of one path by the definition: the product of all that it goes through.
    fn likelihood(path: &[usize], salience: &[f32], bins: usize, allowed: &Range<usize>) -> f64 {
        let weight = |from: usize, to: usize| (12 - from.abs_diff(to) as i32).max(0);
        let mut product = 1.0 / bins as f64;
        for (frame, bin) in path.iter().enumerate() {
            let row = &salience[frame * bins..][..bins];
            let sum: f64 = row[allowed.clone()]
                .iter()
                .map(|one| f64::from(*one).exp())
                .sum();
            let inside = if allowed.contains(bin) {
                f64::from(row[*bin]).exp() / sum
            } else {
                0.0
            };
            product *= inside + TINY;
            if let Some(last) = frame.checked_sub(1).map(|last| path[last]) {
                let all: i32 = (0..bins).map(|to| weight(last, to)).sum();
                product *= f64::from(weight(last, *bin)) / f64::from(all) + TINY;
            }
        }
        product
    }

    /// The most likely of all possible paths.
    fn tried(salience: &[f32], bins: usize, allowed: &Range<usize>) -> Vec<usize> {
        let frames = salience.len() / bins;
        let all = (0..bins.pow(frames as u32)).map(|mut number| {
            let mut path = Vec::new();
            for _ in 0..frames {
                path.push(number % bins);
                number /= bins;
            }
            path
        });
        let of = |path: &Vec<usize>| likelihood(path, salience, bins, allowed);
        all.max_by(|a, b| of(a).total_cmp(&of(b))).expect("a path")
    }

    #[test]
    fn the_path_is_the_likeliest_of_all() {
        for (bins, frames, allowed) in [
            (7, 5, 0..7),
            (7, 5, 2..6),
            (40, 3, 0..40),
            (40, 3, 5..33),
            (5, 1, 1..5),
        ] {
            for seed in 0..5 {
                // Far apart, so that moving pays.
                let salience: Vec<f32> = numbers(bins * frames, seed)
                    .iter()
                    .map(|one| one.powi(4) * 9.0)
                    .collect();
                let found = path(&salience, bins, &allowed);
                assert_eq!(found, tried(&salience, bins, &allowed), "{bins} {seed}");
            }
        }
    }

    #[test]
    fn an_octave_that_only_one_frame_says_is_not_sung() {
        let mut salience = vec![0.1; 360 * 9];
        for frame in 0..9 {
            salience[360 * frame + 120] = 0.8;
        }
        salience[360 * 4 + 180] = 0.9;
        assert_eq!(path(&salience, 360, &(39..308)), [120; 9]);
    }

    #[test]
    fn nothing_has_no_path() {
        assert!(path(&[], 360, &(39..308)).is_empty());
    }
}
