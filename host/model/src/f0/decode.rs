use crate::pitch_repair::Estimate;
use crate::sections::{Decode, F0};

/// Bins on each side of the best one that take part in the mean. From RMVPE's `to_local_average_cents`.
const MEAN_REACH: i64 = 4;

/// The pitch of a frame: the mean of the bins around the most salient one, weighted by salience.
pub(super) fn decode(salience: &[f32], format: &F0) -> Estimate {
    let best = (0..salience.len())
        .max_by(|a, b| salience[*a].total_cmp(&salience[*b]).then(b.cmp(a)))
        .unwrap_or_default();
    let last = salience.len() as i64 - 1;
    let around = (best as i64 - MEAN_REACH..=best as i64 + MEAN_REACH).filter_map(|bin| {
        let inside = bin.clamp(0, last);
        (inside == bin || format.decode == Decode::LocalArgmax).then_some(inside as usize)
    });
    let (mut weights, mut sum) = (0.0_f64, 0.0_f64);
    for bin in around {
        let weight = f64::from(salience[bin]).max(0.0);
        weights += weight;
        sum += weight * (format.cents_base + format.cents_step * bin as f64);
    }
    if weights <= 0.0 {
        return Estimate {
            f0_hz: 0.0,
            salience: 0.0,
        };
    }
    Estimate {
        f0_hz: (10.0 * (sum / weights / 1_200.0).exp2()) as f32,
        salience: salience[best],
    }
}

/// Decides by the threshold alone which frames are voiced. For CREPE, whichever way its pitch is decoded, both the salience and the pitch
/// are smoothed first, as RVC's pipeline does with `torchcrepe.filter`: the median and the mean of three frames.
pub(super) fn voiced(estimates: &[Estimate], format: &F0) -> Vec<f32> {
    let threshold = format.threshold as f32;
    if !matches!(format.decode, Decode::Smoothed | Decode::Viterbi) {
        return estimates
            .iter()
            .map(|estimate| {
                let is_voiced = estimate.salience > threshold;
                if is_voiced { estimate.f0_hz } else { 0.0 }
            })
            .collect();
    }
    (0..estimates.len())
        .map(|frame| {
            let around = frame.saturating_sub(1)..(frame + 2).min(estimates.len());
            let around = &estimates[around];
            let mut salience: Vec<f32> = around.iter().map(|frame| frame.salience).collect();
            salience.sort_by(f32::total_cmp);
            let sum: f32 = around.iter().map(|frame| frame.f0_hz).sum();
            if salience[(salience.len() - 1) / 2] < threshold {
                return 0.0;
            }
            sum / around.len() as f32
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    /// Frames with one bump of salience each, the first and the last cut off by the ends of the range.
    fn bumps(format: &F0) -> Vec<Estimate> {
        let frame = |number: usize| {
            let middle = 0.3 + 358.5 * number as f64 / 39.0;
            let height = 0.02 + 0.9 * (number as f64 * 0.7).sin().abs();
            let bump = |bin: usize| {
                let off = bin as f64 - middle;
                (height * (-off * off / 6.0).exp()) as f32
            };
            decode(&(0..360).map(bump).collect::<Vec<f32>>(), format)
        };
        (0..40).map(frame).collect()
    }

    fn format(decode: Decode) -> F0 {
        F0 {
            decode,
            ..golden::estimator()
        }
    }

    #[test]
    fn the_ways_to_read_salience_equal_their_originals() {
        for (way, name) in [
            (Decode::LocalArgmax, "local_argmax"),
            (Decode::Smoothed, "smoothed"),
        ] {
            let format = format(way);
            let found = voiced(&bumps(&format), &format);
            let expected = golden::listed(&golden::of_libraries()[name]);
            assert_eq!(found.len(), expected.len());
            for (frame, (found, expected)) in found.iter().zip(expected).enumerate() {
                let off = (f64::from(*found) - expected).abs();
                assert!(
                    off <= 1e-4 * expected,
                    "{name}, {frame}: {found} {expected}"
                );
            }
        }
    }
}
