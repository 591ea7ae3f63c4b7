//! One stream of an effect, driven as a host drives it.

use crate::{Config, Effect, Planar, Settings, Stream, Tail};

/// Samples beyond this magnitude (180 dB over full scale) are limited to it
/// before an effect sees them, so that sums and feedback of any legal input stay
/// far from the end of the `f32` range.
pub const MAX_SAMPLE: f32 = 1.0e9;

/// One stream of `E`: what the component exports, usable natively too.
#[derive(Debug)]
pub struct Running<E> {
    effect: E,
    stream: Stream,
}

impl<E: Effect> Running<E> {
    /// Makes the effect for the stream and settings in `config`.
    pub fn new(config: &Config) -> Result<Self, String> {
        let descriptor = E::describe();
        let stream = Stream {
            sample_rate_hz: config.sample_rate,
            inputs: config.layout.inputs as usize,
            outputs: config.layout.outputs as usize,
            max_frames: config.max_frames as usize,
        };
        if !descriptor.supports(config.layout) {
            return Err(format!(
                "{} does not run with {} channels in and {} out",
                descriptor.name, stream.inputs, stream.outputs
            ));
        }
        let settings = Settings::complete(&descriptor, &config.settings)?;
        let effect = E::new(&stream, &settings)?;
        Ok(Self { effect, stream })
    }

    /// See [`Effect::latency`].
    #[must_use]
    pub fn latency(&self) -> u32 {
        self.effect.latency()
    }

    /// See [`Effect::tail`].
    #[must_use]
    pub fn tail(&self) -> Tail {
        self.effect.tail()
    }

    /// Takes `inputs * n` samples, channel after channel, and returns
    /// `outputs * n`, in the same memory where it is large enough.
    #[must_use]
    pub fn process(&mut self, mut samples: Vec<f32>) -> Vec<f32> {
        let frames = samples.len() / self.stream.inputs;
        if frames == 0 {
            return Vec::new();
        }
        for sample in &mut samples {
            *sample = sample.clamp(-MAX_SAMPLE, MAX_SAMPLE);
        }
        samples.resize(self.stream.inputs.max(self.stream.outputs) * frames, 0.0);
        self.effect.process(&mut Planar::new(&mut samples, frames));
        samples.truncate(self.stream.outputs * frames);
        samples
    }

    /// See [`Effect::reset`].
    pub fn reset(&mut self) {
        self.effect.reset();
    }
}
