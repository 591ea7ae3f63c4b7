use std::ops::Range;

use super::decode::{decode, voiced};
use super::method::Method;
use super::viterbi::path;
use crate::manifest::TensorRole;
use crate::pitch_repair::Estimate;
use crate::sections::{Decode, F0};
use crate::session::{Input, Session, Values};
use crate::source::Sound;
use crate::{ModelError, Package, Runtime};

/// Frames per run of the graph, as in RVC's pipeline. A Viterbi path ends with them.
const BATCH: usize = 512;
/// The least deviation that a frame is divided by, from torchcrepe.
const SMALLEST_DEVIATION: f64 = 1e-10;

/// A graph that takes frames of a wave, each on its own, and gives the salience of each pitch: CREPE.
pub(super) struct FramesMethod {
    session: Session,
    format: F0,
}

impl FramesMethod {
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
        format: &F0,
        threads: usize,
    ) -> Result<Self, ModelError> {
        Ok(Self {
            session: Session::load(runtime, package, threads)?,
            format: format.clone(),
        })
    }

    fn batch(&self, values: Vec<f32>) -> Result<Vec<Estimate>, ModelError> {
        let (length, bins) = (self.format.n_fft as usize, self.format.bins as usize);
        let count = values.len() / length;
        let output = self.session.run(vec![Input {
            role: TensorRole::Frames,
            shape: vec![count, length],
            values: Values::F32(values),
        }])?;
        if output.shape != [count, bins] {
            return Err(self
                .session
                .fault(format!("gave a salience of the shape {:?}", output.shape)));
        }
        if self.format.decode == Decode::Viterbi {
            return Ok(along_path(&output.values, &self.format));
        }
        let frames = output.values.chunks_exact(bins);
        Ok(frames.map(|salience| self.decode(salience)).collect())
    }

    /// Bins outside the searched pitch range cannot win.
    fn decode(&self, salience: &[f32]) -> Estimate {
        let mut inside = salience.to_vec();
        for (bin, value) in inside.iter_mut().enumerate() {
            let cents = self.format.cents_base + self.format.cents_step * bin as f64;
            let hz = 10.0 * (cents / 1_200.0).exp2();
            let above = self.format.fmax_hz > 0.0 && hz > self.format.fmax_hz;
            if hz < self.format.fmin_hz || above {
                *value = 0.0;
            }
        }
        decode(&inside, &self.format)
    }
}

/// The pitch at the middle of each bin on the most likely path, and its salience: `torchcrepe.predict`, without the random part of a bin
/// that it moves every pitch by.
fn along_path(salience: &[f32], format: &F0) -> Vec<Estimate> {
    let bins = format.bins as usize;
    let path = path(salience, bins, &searched(format));
    let frames = salience.chunks_exact(bins).zip(path);
    let estimate = |(frame, bin): (&[f32], usize)| {
        let cents = format.cents_base + format.cents_step * bin as f64;
        Estimate {
            f0_hz: (10.0 * (cents / 1_200.0).exp2()) as f32,
            salience: frame[bin],
        }
    };
    frames.map(estimate).collect()
}

/// The bins of the searched pitch range, including those at its ends (`torchcrepe.postprocess`).
fn searched(format: &F0) -> Range<usize> {
    let bins = format.bins as usize;
    let place = |hz: f64| (1_200.0 * (hz / 10.0).log2() - format.cents_base) / format.cents_step;
    let end = if format.fmax_hz > 0.0 {
        (place(format.fmax_hz).ceil().max(0.0) as usize).min(bins)
    } else {
        bins
    };
    let start = place(format.fmin_hz).floor().max(0.0) as usize;
    start.min(end.saturating_sub(1))..end
}

impl Method for FramesMethod {
    fn grid(&self) -> usize {
        match self.format.decode {
            Decode::Viterbi => BATCH,
            _ => 1,
        }
    }

    fn estimate(
        &self,
        sound: &dyn Sound,
        frames: Range<usize>,
        _silence_rms: f32,
    ) -> Result<Vec<f32>, ModelError> {
        let (hop, length) = (self.format.hop as usize, self.format.n_fft as usize);
        let mut estimates = Vec::with_capacity(frames.len());
        for first in frames.clone().step_by(BATCH) {
            let count = BATCH.min(frames.end - first);
            // Frames are centred, and there is silence around the sound.
            let start = (first * hop) as i64 - length as i64 / 2;
            let samples = sound.samples(start, (count - 1) * hop + length)?;
            let mut values = Vec::with_capacity(count * length);
            for frame in 0..count {
                let piece = &samples[frame * hop..][..length];
                if self.format.standardize {
                    values.extend(standardized(piece));
                } else {
                    values.extend(piece);
                }
            }
            estimates.extend(self.batch(values)?);
        }
        Ok(voiced(&estimates, &self.format))
    }
}

/// A frame less its mean, divided by its (unbiased) standard deviation.
fn standardized(frame: &[f32]) -> Vec<f32> {
    let count = frame.len() as f64;
    let mean = frame.iter().map(|value| f64::from(*value)).sum::<f64>() / count;
    let squares: f64 = frame
        .iter()
        .map(|value| (f64::from(*value) - mean).powi(2))
        .sum();
    let deviation = (squares / (count - 1.0)).sqrt().max(SMALLEST_DEVIATION);
    let scaled = frame
        .iter()
        .map(|value| ((f64::from(*value) - mean) / deviation) as f32);
    scaled.collect()
}

#[cfg(test)]
mod tests {
    use vocalhost_testing::repository;

    use super::*;
    use crate::golden;

    /// Gliding salience with noise around it and, now and then, a frame an octave too high.
    fn leaping(frames: usize) -> Vec<f32> {
        let value = |frame: usize, bin: u32| {
            let leap = if frame % 17 == 3 { 60.0 } else { 0.0 };
            let (frame, bin) = (frame as f64, f64::from(bin));
            let off = bin - (150.0 + 60.0 * (frame / 25.0).sin() + leap);
            let bump = 0.9 * (frame * 0.11).sin().abs() * (-off * off / 8.0).exp();
            (bump + 0.05 * (bin * 12.989_8 + frame * 78.233).sin().abs()) as f32
        };
        (0..frames)
            .flat_map(|frame| (0..360).map(move |bin| value(frame, bin)))
            .collect()
    }

    fn crepe() -> F0 {
        let folder = repository("tests/fixtures/rvc-estimators/crepe");
        let package = Package::open(&folder).expect("a package");
        package.manifest().f0.clone().expect("an estimator")
    }

    #[test]
    fn the_likeliest_path_equals_the_libraries() {
        let format = F0 {
            threshold: 0.1,
            ..crepe()
        };
        let pieces = leaping(600);
        let pieces = pieces.chunks(BATCH * 360);
        let estimates: Vec<Estimate> = pieces.flat_map(|one| along_path(one, &format)).collect();
        let found = voiced(&estimates, &format);
        let expected = golden::listed(&golden::of_libraries()["viterbi"]);
        assert_eq!(found.len(), expected.len());
        for (frame, (found, expected)) in found.iter().zip(expected).enumerate() {
            let off = (f64::from(*found) - expected).abs();
            assert!(off <= 1e-5 * expected, "{frame}: {found} {expected}");
        }
    }

    #[test]
    fn the_bins_at_both_ends_of_the_range_are_looked_at() {
        let format = crepe();
        assert_eq!(searched(&format), 39..308);
        let open = F0 {
            fmin_hz: 0.0,
            fmax_hz: 0.0,
            ..format
        };
        assert_eq!(searched(&open), 0..360);
    }

    #[test]
    fn a_standardized_frame_has_no_mean_and_a_deviation_of_one() {
        let frame = standardized(&[1.0, 2.0, 3.0, 6.0]);
        let expected = [-0.925_820_1, -0.462_910_05, 0.0, 1.388_730_2];
        for (found, expected) in frame.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
        assert_eq!(standardized(&[0.5; 8]), [0.0; 8]);
    }
}
