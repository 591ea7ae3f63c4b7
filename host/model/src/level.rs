use vocalhost_audio::Spool;

use super::ModelError;

/// Samples of a hop, the grid that levels are kept on: 10 ms at 16 kHz.
const HOP: usize = 160;
/// Samples that are read at a time while measuring.
const READ_SAMPLES: usize = 1 << 16;
/// Hops quieter than this are silence, whatever the rest is: -70 dBFS, the absolute gate of ITU-R BS.1770.
pub(super) const SILENT_POWER: f64 = 1e-7;
/// Hops this much below the mean power are pauses: 20 dB.
pub(super) const PAUSE_RATIO: f64 = 0.01;
/// Feedback of the filter that keeps DC offsets and rumble out of the measured levels: a corner near 50 Hz, where RVC's pipeline has its
/// high-pass.
pub(super) const OFFSET_FEEDBACK: f64 = 0.98;
/// Hops in half a second, the grid of the slow envelope.
const ENVELOPE_STEP: usize = 50;

/// The levels of a whole recording, eight bytes per 10 ms, measured in one pass over the spool.
pub(super) struct Levels {
    /// The sum of squares of each hop.
    hops: Vec<f64>,
    samples: u64,
}

impl Levels {
    /// Measures a recording at 16 kHz.
    pub(super) fn measure(spool: &Spool) -> Result<Self, ModelError> {
        let mut hops = vec![0.0; spool.frames().div_ceil(HOP as u64) as usize];
        let (mut last_in, mut last_out) = (0.0, 0.0);
        let mut position = 0;
        while (position as u64) < spool.frames() {
            let count = READ_SAMPLES.min((spool.frames() - position as u64) as usize);
            let block = spool.read(position as i64, count)?;
            for (offset, sample) in block.channel(0).iter().enumerate() {
                let sample = f64::from(*sample);
                last_out = sample - last_in + OFFSET_FEEDBACK * last_out;
                last_in = sample;
                hops[(position + offset) / HOP] += last_out * last_out;
            }
            position += count;
        }
        Ok(Self {
            hops,
            samples: spool.frames(),
        })
    }

    /// The RMS over the sounding parts, without silence and pauses. `None` when nothing sounds.
    pub(super) fn sounding_rms(&self) -> Option<f64> {
        let mean_over = |threshold: f64| {
            let sounding = self.hops.iter().map(|sum| sum / HOP as f64);
            let sounding = sounding.filter(|power| *power >= threshold);
            let (count, sum) = sounding.fold((0_u64, 0.0), |(n, sum), power| (n + 1, sum + power));
            (count > 0).then(|| sum / count as f64)
        };
        let mean = mean_over(SILENT_POWER)?;
        mean_over(SILENT_POWER.max(mean * PAUSE_RATIO)).map(f64::sqrt)
    }

    /// The RMS of 20 ms around the start of each frame of 10 ms.
    pub(super) fn frame_rms(&self, frame: usize) -> f64 {
        let hop = |index: Option<usize>| index.and_then(|index| self.hops.get(index));
        let around = [hop(frame.checked_sub(1)), hop(Some(frame))];
        let sum: f64 = around.into_iter().flatten().sum();
        (sum / (2 * HOP) as f64).sqrt()
    }

    /// The slow envelope of the recording, see [`envelope_point`].
    pub(super) fn envelope(&self) -> Vec<f64> {
        let points = envelope_points(self.samples, HOP);
        (0..points)
            .map(|point| envelope_point(&self.hops, HOP, point))
            .collect()
    }
}

/// Number of points of the slow envelope of `samples` samples with hops of `hop_samples`.
pub(super) fn envelope_points(samples: u64, hop_samples: usize) -> usize {
    1 + (samples / (ENVELOPE_STEP * hop_samples) as u64) as usize
}

/// Hops that must be complete before a point of the envelope can be computed.
pub(super) fn envelope_reach(point: usize) -> usize {
    (point + 1) * ENVELOPE_STEP
}

/// A point of the slow envelope: the RMS of one second centred on `point` half seconds, with silence around the track, as RVC's pipeline
/// computes it with `librosa.feature.rms` (frame one second, hop half a second, centred).
pub(super) fn envelope_point(hops: &[f64], hop_samples: usize, point: usize) -> f64 {
    let first = (point * ENVELOPE_STEP)
        .saturating_sub(ENVELOPE_STEP)
        .min(hops.len());
    let end = envelope_reach(point).min(hops.len());
    let sum: f64 = hops[first..end].iter().sum();
    (sum / (2 * ENVELOPE_STEP * hop_samples) as f64).sqrt()
}

/// Where the samples of a track lie between the points of an envelope: the points are spread evenly over the whole track and interpolated
/// linearly, as `torch.nn.functional.interpolate(mode="linear")` does in RVC's pipeline.
pub(super) struct Places {
    last: usize,
    points_per_sample: f64,
}

impl Places {
    /// For `points` points, at least one, over `samples` samples.
    pub(super) fn new(points: usize, samples: u64) -> Self {
        Self {
            last: points - 1,
            points_per_sample: points as f64 / samples as f64,
        }
    }

    /// The two points around a sample and the share of the second.
    pub(super) fn of(&self, sample: u64) -> (usize, usize, f64) {
        let place = (sample as f64 + 0.5) * self.points_per_sample - 0.5;
        let place = place.clamp(0.0, self.last as f64);
        // Rounds down, since it is not negative.
        let first = place as usize;
        (first, (first + 1).min(self.last), place - first as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;

    #[test]
    fn the_envelope_equals_the_reference_numbers() {
        let signal = golden::signal(53_000);
        let mut hops = vec![0.0; signal.len().div_ceil(HOP)];
        for (index, sample) in signal.iter().enumerate() {
            hops[index / HOP] += f64::from(*sample).powi(2);
        }
        let expected = golden::numbers("/envelope");
        assert_eq!(envelope_points(53_000, HOP), expected.len());
        for (point, expected) in expected.iter().enumerate() {
            let found = envelope_point(&hops, HOP, point);
            assert!(
                (found - expected).abs() < 2e-4 * expected,
                "{found} {expected}"
            );
        }
    }
}
