use super::manifest::{Dimension, Direction, TensorRole};
use super::noise::PriorNoise;
use super::pitch::coarse;
use super::sections::Voice;
use super::session::{Input, Session, Values};
use super::{ModelError, Package, Runtime};

/// A voice's decoder: from content and pitch to sound.
pub(super) struct Decoder {
    session: Session,
    voice: Voice,
    noise_rows: usize,
}

/// What a decoder speaks from.
pub(super) struct Speech<'s> {
    /// Content vectors at 100 Hz, vector after vector.
    pub(super) content: Vec<f32>,
    /// Pitch in hertz at 100 Hz, 0 where unvoiced.
    pub(super) f0_hz: &'s [f32],
    /// Number of the first frame in the track, which the noise depends on.
    pub(super) first_frame: usize,
    /// Phase of the fundamental at the first frame, as a fraction of a period.
    pub(super) phase: f64,
}

impl Decoder {
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let session = Session::load(runtime, package, threads)?;
        let manifest = package.manifest();
        let Some(voice) = manifest.voice.clone() else {
            return Err(session.fault("is not a voice"));
        };
        let noise = manifest.tensor(Direction::In, TensorRole::PriorNoise);
        let noise_rows = match noise.and_then(|tensor| tensor.shape.get(1)) {
            Some(Dimension::Fixed(rows)) => *rows as usize,
            _ => 0,
        };
        Ok(Self {
            session,
            voice,
            noise_rows,
        })
    }

    /// Output samples per frame of 10 ms.
    pub(super) fn hop_samples(&self) -> usize {
        self.voice.upp as usize
    }

    /// The noise of a seed, in the amount that this decoder takes.
    pub(super) fn noise(&self, seed: u64) -> PriorNoise {
        PriorNoise::new(seed, self.noise_rows, self.voice.noise_scale)
    }

    /// Speaks; gives `hop_samples` samples for each frame.
    pub(super) fn speak(
        &self,
        speech: Speech<'_>,
        noise: &PriorNoise,
    ) -> Result<Vec<f32>, ModelError> {
        let frames = speech.f0_hz.len();
        let width = speech.content.len() / frames;
        let input = |role, shape: &[usize], values| Input {
            role,
            shape: shape.to_vec(),
            values,
        };
        let steps = speech.f0_hz.iter().map(|f0| coarse(*f0)).collect();
        let mut inputs = vec![
            input(
                TensorRole::Content,
                &[1, frames, width],
                Values::F32(speech.content),
            ),
            input(TensorRole::Length, &[1], Values::I64(vec![frames as i64])),
            input(TensorRole::Pitch, &[1, frames], Values::I64(steps)),
            input(
                TensorRole::Pitchf,
                &[1, frames],
                Values::F32(speech.f0_hz.to_vec()),
            ),
            input(
                TensorRole::Speaker,
                &[1],
                Values::I64(vec![self.voice.speaker]),
            ),
            input(TensorRole::Phase, &[1], Values::F64(vec![speech.phase])),
        ];
        if self.session.takes(TensorRole::PriorNoise) {
            let values = noise.frames(speech.first_frame as u64, frames);
            inputs.push(input(
                TensorRole::PriorNoise,
                &[1, self.noise_rows, frames],
                Values::F32(values),
            ));
        }
        let output = self.session.run(inputs)?;
        let expected = frames * self.hop_samples();
        if output.values.len() != expected {
            let given = output.values.len();
            return Err(self.session.fault(format!(
                "gave {given} samples for {frames} frames instead of {expected}"
            )));
        }
        Ok(output.values)
    }
}
