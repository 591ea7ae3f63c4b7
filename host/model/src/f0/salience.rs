use std::ops::Range;

use super::decode::{decode, voiced};
use super::method::Method;
use crate::manifest::{Dimension, Direction, TensorRole};
use crate::mel::LogMel;
use crate::periodicity::Wave;
use crate::pitch_repair::{Estimate, repair};
use crate::sections::F0;
use crate::session::{Input, Session, Values};
use crate::source::Sound;
use crate::{ModelError, Package, Runtime};
use vocalhost_system::work::Part;

/// A graph that takes a log-mel spectrogram and gives the salience of each pitch: RMVPE, FCPE and our own.
pub(super) struct SalienceMethod {
    session: Session,
    mel: LogMel,
    format: F0,
    bands_last: bool,
}

impl SalienceMethod {
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
        format: &F0,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let manifest = package.manifest();
        let mel = manifest.tensor(Direction::In, TensorRole::Mel);
        let last = mel.and_then(|tensor| tensor.shape.get(2));
        Ok(Self {
            session: Session::load(runtime, package, threads)?,
            mel: LogMel::new(format, manifest.audio.sample_rate_hz),
            format: format.clone(),
            bands_last: matches!(last, Some(Dimension::Fixed(_))),
        })
    }

    /// The salience of the pitch bins of `count` frames, whose spectrogram is `[bands, count]`.
    fn salience(&self, mel: &[f32], count: usize) -> Result<Vec<Estimate>, ModelError> {
        let bands = self.format.mels as usize;
        let padded = count.next_multiple_of(self.format.pad_multiple as usize);
        // The padding is 0, even where that does not mean silence: so does RMVPE's pipeline.
        let mut values = vec![0.0; bands * padded];
        for band in 0..bands {
            for frame in 0..count {
                let place = if self.bands_last {
                    frame * bands + band
                } else {
                    band * padded + frame
                };
                values[place] = mel[band * count + frame];
            }
        }
        let shape = if self.bands_last {
            vec![1, padded, bands]
        } else {
            vec![1, bands, padded]
        };
        let output = self.session.run(vec![Input {
            role: TensorRole::Mel,
            shape,
            values: Values::F32(values),
        }])?;
        let bins = self.format.bins as usize;
        if output.shape != [1, padded, bins] {
            return Err(self
                .session
                .fault(format!("gave a salience of the shape {:?}", output.shape)));
        }
        let saliences = output.values.chunks_exact(bins).take(count);
        Ok(saliences
            .map(|salience| decode(salience, &self.format))
            .collect())
    }
}

impl Method for SalienceMethod {
    /// Graphs that need multiples of some number of frames pool that many into one.
    fn grid(&self) -> usize {
        self.format.pad_multiple as usize
    }

    fn estimate(
        &self,
        sound: &dyn Sound,
        frames: Range<usize>,
        silence_rms: f32,
    ) -> Result<Vec<f32>, ModelError> {
        let (hop, count) = (self.format.hop as usize, frames.len());
        let lead = self.mel.lead();
        let start = (frames.start * hop) as i64 - lead as i64;
        let length = (count.max(1) - 1) * hop + self.format.n_fft as usize;
        let samples = sound.reflected(start, length)?;
        let mel = Part::Transforms.count(|| self.mel.compute(&samples, count));
        let estimates = self.salience(&mel, count)?;
        if !self.format.repair {
            return Ok(voiced(&estimates, &self.format));
        }
        let wave = Wave::new(&samples, lead);
        let threshold = self.format.threshold as f32;
        Ok(repair(&estimates, &wave, threshold, silence_rms))
    }
}
