use std::f64::consts::TAU;

use super::sections::{AnalysisWindow, JoinWindow};

/// The least weight of a sample, 120 dB below the greatest: a sample covered only by the zero of a window keeps its
/// estimate instead of becoming zero divided by zero.
const LEAST_WEIGHT: f64 = 1e-6;

/// A window for spectra, `length` samples in the middle of `n_fft`.
pub(super) fn analysis(kind: AnalysisWindow, length: usize, n_fft: usize) -> Vec<f32> {
    let mut window = vec![0.0; n_fft];
    let place = (n_fft - length) / 2;
    for (index, value) in window[place..place + length].iter_mut().enumerate() {
        let symmetric = (length - 1).max(1) as f64;
        *value = match kind {
            AnalysisWindow::HannPeriodic => raised_cosine(0.5, index, length as f64),
            AnalysisWindow::HannSymmetric => raised_cosine(0.5, index, symmetric),
            AnalysisWindow::Hamming => raised_cosine(0.54, index, symmetric),
            AnalysisWindow::Rect => 1.0,
        } as f32;
    }
    window
}

/// The weights of a piece's estimate. `fade` is the length of each ramp of a linear fade.
pub(super) fn join(kind: JoinWindow, length: usize, fade: usize) -> Vec<f32> {
    let period = length.saturating_sub(1).max(1) as f64;
    let weight = |index: usize| match kind {
        JoinWindow::Rect => 1.0,
        JoinWindow::HannSymmetric => raised_cosine(0.5, index, period),
        JoinWindow::HammingSymmetric => raised_cosine(0.54, index, period),
        // 1, 2, … up to the middle and down again, over the greatest.
        JoinWindow::Triangle => {
            let from_ends = (index + 1).min(length - index);
            from_ends as f64 / length.div_ceil(2) as f64
        }
        JoinWindow::LinearFade => {
            let from_ends = index.min(length - 1 - index);
            let steps = fade.saturating_sub(1).max(1);
            (from_ends as f64 / steps as f64).min(1.0)
        }
    };
    (0..length)
        .map(|index| weight(index).max(LEAST_WEIGHT) as f32)
        .collect()
}

fn raised_cosine(middle: f64, index: usize, period: f64) -> f64 {
    middle - (1.0 - middle) * (TAU * index as f64 / period).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: &[f32], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (f64::from(*found) - expected).abs() < 2e-6,
                "{found} {expected}"
            );
        }
    }

    #[test]
    fn windows_are_those_of_the_references() {
        // scipy.signal.get_window("hann", 4), numpy.hanning(5), numpy.hamming(5)
        near(
            &analysis(AnalysisWindow::HannPeriodic, 4, 4),
            &[0.0, 0.5, 1.0, 0.5],
        );
        near(
            &analysis(AnalysisWindow::HannSymmetric, 5, 5),
            &[0.0, 0.5, 1.0, 0.5, 0.0],
        );
        near(
            &analysis(AnalysisWindow::Hamming, 5, 5),
            &[0.08, 0.54, 1.0, 0.54, 0.08],
        );
        // A shorter window lies in the middle of the transform.
        near(
            &analysis(AnalysisWindow::HannSymmetric, 3, 7),
            &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        );
        near(&analysis(AnalysisWindow::Rect, 2, 4), &[0.0, 1.0, 1.0, 0.0]);
        near(
            &join(JoinWindow::Triangle, 5, 0),
            &[1.0 / 3.0, 2.0 / 3.0, 1.0, 2.0 / 3.0, 1.0 / 3.0],
        );
        near(&join(JoinWindow::Triangle, 4, 0), &[0.5, 1.0, 1.0, 0.5]);
        near(
            &join(JoinWindow::LinearFade, 8, 3),
            &[0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 0.5, 0.0],
        );
    }

    #[test]
    fn no_sample_is_without_weight_however_short_the_piece() {
        for kind in [
            JoinWindow::Rect,
            JoinWindow::HannSymmetric,
            JoinWindow::HammingSymmetric,
            JoinWindow::Triangle,
            JoinWindow::LinearFade,
        ] {
            for length in [1, 2, 3, 10] {
                let weights = join(kind, length, 1);
                assert!(weights.iter().all(|weight| *weight > 0.0 && *weight <= 1.0));
            }
        }
    }
}
