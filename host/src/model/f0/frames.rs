use std::ops::Range;

use super::Method;
use super::decode::{decode, voiced};
use crate::model::manifest::TensorRole;
use crate::model::pitch_repair::Estimate;
use crate::model::sections::F0;
use crate::model::session::{Input, Session, Values};
use crate::model::source::Sound;
use crate::model::{ModelError, Package, Runtime};

/// Frames that go into the graph at a time, as in RVC's pipeline.
const BATCH: usize = 512;
/// The smallest deviation that a frame is divided by, from torchcrepe.
const SMALLEST_DEVIATION: f64 = 1e-10;

/// A graph that hears frames of a wave, each on its own, and says how salient each pitch is: CREPE.
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
        let frames = output.values.chunks_exact(bins);
        Ok(frames.map(|salience| self.decode(salience)).collect())
    }

    /// Bins outside the range of pitches that is looked for cannot win.
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

impl Method for FramesMethod {
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

/// A frame with its mean taken off, divided by its (unbiased) standard deviation.
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
    use super::*;

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
