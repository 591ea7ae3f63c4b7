use std::ops::Range;

use super::method::Method;
use crate::manifest::{Direction, TensorRole};
use crate::sections::F0;
use crate::session::{Input, Session, Values};
use crate::source::Sound;
use crate::{ModelError, Package, Runtime};

/// How many frames fewer than asked for a graph may give at its end; they count as unvoiced.
const MISSING_FRAMES: usize = 2;
/// Frames that RMVPE pools into one.
const POOLED: usize = 32;

/// A graph that takes a wave and gives its pitch: RMVPE with its spectrogram inside.
pub(super) struct WaveMethod {
    session: Session,
    format: F0,
    wave_rank: usize,
    threshold_rank: usize,
}

impl WaveMethod {
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
        format: &F0,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let rank = |role| {
            let tensor = package.manifest().tensor(Direction::In, role);
            tensor.map_or(0, |tensor| tensor.shape.len())
        };
        Ok(Self {
            session: Session::load(runtime, package, threads)?,
            format: format.clone(),
            wave_rank: rank(TensorRole::SourceWave),
            threshold_rank: rank(TensorRole::Threshold),
        })
    }
}

impl Method for WaveMethod {
    fn grid(&self) -> usize {
        POOLED
    }

    fn estimate(
        &self,
        sound: &dyn Sound,
        frames: Range<usize>,
        _silence_rms: f32,
    ) -> Result<Vec<f32>, ModelError> {
        let hop = self.format.hop as usize;
        let start = frames.start * hop;
        // The last frame is centred on the last sample, as far as the sound goes.
        let end = ((frames.end - 1) * hop).max(start + hop);
        let samples = sound.reflected(start as i64, end - start)?;
        let wave_shape = [
            vec![1; self.wave_rank.saturating_sub(1)],
            vec![samples.len()],
        ];
        let mut inputs = vec![Input {
            role: TensorRole::SourceWave,
            shape: wave_shape.concat(),
            values: Values::F32(samples),
        }];
        if self.session.takes(TensorRole::Threshold) {
            inputs.push(Input {
                role: TensorRole::Threshold,
                shape: vec![1; self.threshold_rank],
                values: Values::F32(vec![self.format.threshold as f32]),
            });
        }
        let output = self.session.run(inputs)?;
        let mut f0_hz = output.values;
        if f0_hz.len() + MISSING_FRAMES < frames.len() {
            return Err(self.session.fault(format!(
                "gave {} frames instead of {}",
                f0_hz.len(),
                frames.len()
            )));
        }
        f0_hz.resize(frames.len(), 0.0);
        for f0 in &mut f0_hz {
            *f0 = f0.max(0.0);
        }
        Ok(f0_hz)
    }
}
