use super::manifest::{Direction, Manifest, TensorRole};
use super::sections::{Content, ContentOutput};
use super::session::{Input, Session, Values};
use super::source::Source;
use super::{ModelError, Package, Runtime};

/// Samples of a content frame: 20 ms at 16 kHz.
pub(super) const CONTENT_HOP: u64 = 320;

/// The output of an encoder that gives what a voice of RVC was trained on, by its name. Layer and length say which: the
/// last projection makes the shorter vectors of the first generation.
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

/// A content encoder: what is said, as one vector per 20 ms.
pub(super) struct ContentEncoder {
    session: Session,
    format: Content,
    level_rms: f64,
}

impl ContentEncoder {
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let session = Session::load(runtime, package, threads)?;
        let manifest = package.manifest();
        let (Some(format), Some(normalize)) = (manifest.content.clone(), manifest.normalize) else {
            return Err(session.fault("is not a content package"));
        };
        Ok(Self {
            session,
            format,
            level_rms: normalize.rms,
        })
    }

    /// Channels of a vector.
    pub(super) fn width(&self) -> usize {
        self.format.dim as usize
    }

    /// The RMS that the encoder wants its input at.
    pub(super) fn level_rms(&self) -> f64 {
        self.level_rms
    }

    /// Encodes the content frames `first..first + count`, vector after vector. The encoder hears its context besides,
    /// and nothing beyond the recording's ends; the recording counts as filled up with silence to a whole frame.
    pub(super) fn encode(
        &self,
        source: &Source<'_>,
        first: usize,
        count: usize,
    ) -> Result<Vec<f32>, ModelError> {
        let context = (self.format.context_s * f64::from(self.format.rate_hz)).ceil() as usize;
        let whole = source.len().div_ceil(CONTENT_HOP) as usize;
        let heard = first.saturating_sub(context)..(first + count + context).min(whole);
        let hop = CONTENT_HOP as usize;
        let samples = source.samples((heard.start * hop) as i64, heard.len() * hop)?;
        let output = self.session.run(vec![Input {
            role: TensorRole::SourceWave,
            shape: vec![1, 1, samples.len()],
            values: Values::F32(samples),
        }])?;
        let width = self.width();
        if output.shape != [1, heard.len(), width] {
            return Err(self.session.fault(format!(
                "gave content of the shape {:?} for {} frames",
                output.shape,
                heard.len()
            )));
        }
        let from = (first - heard.start) * width;
        Ok(output.values[from..from + count * width].to_vec())
    }
}
