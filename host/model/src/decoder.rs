use super::manifest::TensorRole;
use super::noise::PriorNoise;
use super::pitch::coarse;
use super::session::{Input, Session, Values};
use super::{ModelError, Package, Runtime};

/// A voice's decoder: from content and pitch to sound.
pub(super) struct Decoder {
    session: Session,
    speaker: i64,
    hop_samples: usize,
    noise_rows: usize,
    noise_scale: f64,
}

/// The inputs of a decoder.
pub(super) struct Speech<'s> {
    /// Content vectors at 100 Hz, vector after vector.
    pub(super) content: Vec<f32>,
    /// Pitch in hertz at 100 Hz, 0 where unvoiced; empty for voices that take none.
    pub(super) f0_hz: &'s [f32],
    /// Number of frames.
    pub(super) frames: usize,
    /// Number of the first frame in the recording, which the noise depends on.
    pub(super) first_frame: usize,
    /// Phase of the fundamental at the first frame, as a fraction of a period, for voices that take one.
    pub(super) phase: f64,
    /// Seed of the noise.
    pub(super) seed: u64,
}

impl Decoder {
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let session = Session::load(runtime, package, threads)?;
        let manifest = package.manifest();
        let Some(voice) = &manifest.voice else {
            return Err(session.fault("is not a voice"));
        };
        Ok(Self {
            session,
            speaker: voice.speaker,
            hop_samples: voice.upp as usize,
            noise_rows: manifest.prior_noise_rows(),
            noise_scale: voice.noise_scale,
        })
    }

    /// The same with another speaker.
    pub(super) fn speaking_as(self, speaker: i64) -> Self {
        Self { speaker, ..self }
    }

    /// Output samples per frame of 10 ms.
    pub(super) fn hop_samples(&self) -> usize {
        self.hop_samples
    }

    /// Decodes to sound; returns [`Decoder::hop_samples`] samples for each frame.
    pub(super) fn speak(&self, speech: Speech<'_>) -> Result<Vec<f32>, ModelError> {
        let frames = speech.frames;
        let expected = frames * self.hop_samples;
        let output = self.session.run(self.inputs(speech))?;
        if output.values.len() != expected {
            let given = output.values.len();
            return Err(self.session.fault(format!(
                "gave {given} samples for {frames} frames instead of {expected}"
            )));
        }
        Ok(output.values)
    }

    fn inputs(&self, speech: Speech<'_>) -> Vec<Input> {
        let (frames, first) = (speech.frames, speech.first_frame as u64);
        let input = |role, shape: &[usize], values| Input {
            role,
            shape: shape.to_vec(),
            values,
        };
        let width = speech.content.len() / frames.max(1);
        let mut inputs = vec![
            input(
                TensorRole::Content,
                &[1, frames, width],
                Values::F32(speech.content),
            ),
            input(TensorRole::Length, &[1], Values::I64(vec![frames as i64])),
            input(TensorRole::Speaker, &[1], Values::I64(vec![self.speaker])),
            input(TensorRole::Phase, &[1], Values::F64(vec![speech.phase])),
        ];
        if !speech.f0_hz.is_empty() {
            let steps = speech.f0_hz.iter().map(|f0| coarse(*f0)).collect();
            let hertz = Values::F32(speech.f0_hz.to_vec());
            inputs.push(input(TensorRole::Pitch, &[1, frames], Values::I64(steps)));
            inputs.push(input(TensorRole::Pitchf, &[1, frames], hertz));
        }
        if self.session.takes(TensorRole::PriorNoise) {
            let noise = PriorNoise::new(speech.seed, self.noise_rows, self.noise_scale);
            let values = Values::F32(noise.frames(first, frames));
            let shape = [1, self.noise_rows, frames];
            inputs.push(input(TensorRole::PriorNoise, &shape, values));
        }
        if self.session.takes(TensorRole::SourceNoise) {
            let noise = PriorNoise::of_source(speech.seed, self.hop_samples);
            let values = Values::F32(noise.in_time(first, frames));
            let shape = [1, frames * self.hop_samples, 1];
            inputs.push(input(TensorRole::SourceNoise, &shape, values));
        }
        inputs
    }
}
