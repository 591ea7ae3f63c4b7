use super::manifest::{Dimension, Direction, Manifest, TensorRole};
use super::sections::{Content, ContentOutput, Framing};
use super::session::{Input, Session, Values};
use super::source::Sound;
use super::{ModelError, Package, Runtime};

/// Samples of a content frame: 20 ms at 16 kHz.
pub(super) const CONTENT_HOP: u64 = 320;
/// Samples that the first layers of a `HuBERT` encoder see at once.
const WINDOW: usize = 400;

/// The name of the encoder output that a voice of RVC was trained on. Layer and length decide: the last projection
/// makes the shorter vectors of the first generation.
pub(super) fn output_for<'e>(encoder: &'e Manifest, voice: &Manifest) -> Option<&'e str> {
    let (content, rvc) = (encoder.content.as_ref()?, voice.rvc.as_ref()?);
    if content.outputs.is_empty() {
        let fits = content.layer == Some(rvc.content_layer) && content.dim == rvc.content_dim;
        let output = encoder.tensor(Direction::Out, TensorRole::Content)?;
        return fits.then_some(output.name.as_str());
    }
    let fits = |output: &&ContentOutput| {
        output.dim == rvc.content_dim && output.layer.is_none_or(|layer| layer == rvc.content_layer)
    };
    let output = content.outputs.iter().find(fits)?;
    Some(output.tensor.as_str())
}

/// Vectors that an encoder gives for a sound of `samples` samples.
pub(super) fn frames_of(samples: usize, framing: Framing) -> usize {
    match framing {
        Framing::Whole => samples / CONTENT_HOP as usize,
        Framing::Inside if samples < WINDOW => 0,
        Framing::Inside => (samples - WINDOW) / CONTENT_HOP as usize + 1,
    }
}

/// A content encoder: describes what is said, one vector per 20 ms.
pub(super) struct ContentEncoder {
    session: Session,
    format: Content,
    level_rms: Option<f64>,
    /// Index of the wanted output among the manifest's outputs.
    output: usize,
    width: usize,
    channels_first: bool,
    wave_rank: usize,
    layer_rank: usize,
    layer: i64,
}

impl ContentEncoder {
    /// Loads an encoder for a voice, which decides which of the encoder's outputs is used.
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
        voice: &Manifest,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let session = Session::load(runtime, package, threads)?;
        let manifest = package.manifest();
        let rank = |role| {
            let tensor = manifest.tensor(Direction::In, role);
            tensor.map_or(0, |tensor| tensor.shape.len())
        };
        let outputs = manifest.tensors.iter();
        let outputs: Vec<_> = outputs
            .filter(|tensor| tensor.io == Direction::Out)
            .collect();
        let wanted = output_for(manifest, voice);
        let output = wanted.map_or(Some(0), |name| {
            outputs.iter().position(|tensor| tensor.name == name)
        });
        let (Some(format), Some(output)) = (manifest.content.clone(), output) else {
            return Err(session.fault("is not a content package"));
        };
        let width = match &voice.rvc {
            Some(rvc) => rvc.content_dim,
            None => format.dim,
        };
        let shape = outputs.get(output).map_or(&[][..], |tensor| &tensor.shape);
        Ok(Self {
            output,
            width: width as usize,
            channels_first: matches!(shape, [_, Dimension::Fixed(_), Dimension::Symbol(_)]),
            wave_rank: rank(TensorRole::SourceWave),
            layer_rank: rank(TensorRole::Layer),
            layer: voice.rvc.as_ref().map_or(0, |rvc| rvc.content_layer.into()),
            level_rms: manifest.normalize.map(|normalize| normalize.rms),
            session,
            format,
        })
    }

    /// Channels of a vector.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// An error that names its package.
    pub(super) fn fault(&self, reason: &str) -> ModelError {
        self.session.fault(reason)
    }

    /// The RMS that the encoder wants its input at, if it depends on it.
    pub(super) fn level_rms(&self) -> Option<f64> {
        self.level_rms
    }

    /// Encodes the content frames `first..first + count`, vector after vector. The encoder also hears its context, but
    /// nothing beyond the recording's ends; the recording counts as filled up with silence to a whole frame.
    pub(super) fn encode(
        &self,
        source: &dyn Sound,
        first: usize,
        count: usize,
    ) -> Result<Vec<f32>, ModelError> {
        let context = (self.format.context_s * f64::from(self.format.rate_hz)).ceil() as usize;
        let whole = source.len().div_ceil(CONTENT_HOP) as usize;
        let heard = first.saturating_sub(context)..(first + count + context).min(whole);
        let hop = CONTENT_HOP as usize;
        let samples = source.samples((heard.start * hop) as i64, heard.len() * hop)?;
        let vectors = self.encode_whole(samples)?;
        let from = (first - heard.start) * self.width;
        Ok(vectors[from..from + count * self.width].to_vec())
    }

    /// Encodes a sound without context, vector after vector: [`frames_of`] its length.
    pub(super) fn encode_whole(&self, samples: Vec<f32>) -> Result<Vec<f32>, ModelError> {
        let count = samples.len();
        let frames = frames_of(count, self.format.framing);
        let wave_shape = [vec![1; self.wave_rank.saturating_sub(1)], vec![count]].concat();
        let mut inputs = vec![Input {
            role: TensorRole::SourceWave,
            shape: wave_shape,
            values: Values::F32(samples),
        }];
        if self.session.takes(TensorRole::Mask) {
            inputs.push(Input {
                role: TensorRole::Mask,
                shape: vec![1, count],
                values: Values::I64(vec![1; count]),
            });
        }
        if self.session.takes(TensorRole::Layer) {
            inputs.push(Input {
                role: TensorRole::Layer,
                shape: vec![1; self.layer_rank],
                values: Values::I64(vec![self.layer]),
            });
        }
        self.session.run_with(inputs, |outputs| {
            let wanted = if self.channels_first {
                [1, self.width, frames]
            } else {
                [1, frames, self.width]
            };
            match outputs.get(self.output) {
                Some(view) if view.shape == wanted => Ok(self.vectors(view.values, frames)),
                Some(view) => Err(self.session.fault(format!(
                    "gave content of the shape {:?} for {frames} frames",
                    view.shape
                ))),
                None => Err(self.session.fault("gave no output")),
            }
        })
    }

    /// Brings the channels of each frame together.
    fn vectors(&self, values: &[f32], frames: usize) -> Vec<f32> {
        if !self.channels_first {
            return values.to_vec();
        }
        (0..frames)
            .flat_map(|frame| (0..self.width).map(move |channel| channel * frames + frame))
            .map(|place| values[place])
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_windows_inside_the_sound_count() {
        // Frame counts of a HuBERT encoder, measured.
        for (samples, frames) in [
            (16_000, 49),
            (16_080, 50),
            (16_399, 50),
            (16_400, 51),
            (399, 0),
        ] {
            assert_eq!(frames_of(samples, Framing::Inside), frames, "{samples}");
        }
        assert_eq!(frames_of(16_000, Framing::Whole), 50);
    }
}
