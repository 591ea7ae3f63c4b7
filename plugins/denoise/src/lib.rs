//! The denoise effect: takes noise out of speech by a small recurrent network.

mod dsp;
mod kernel;
mod line;
mod network;
#[cfg(test)]
mod tests;

pub use dsp::Denoise;
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

impl Effect for Denoise {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.denoise", "Denoise", "1.0.0")
            .vendor("vocalhost")
            .summary("Takes hiss, hum and other noise out of a spoken recording.")
            .tag("restoration")
            .parameter(
                Parameter::number("amount", "Amount", Number::linear(0.0, 1.0, 0.9)).summary(
                    "How much of what is taken for noise is taken out; 0 changes nothing.",
                ),
            )
            .preset("gentle", "Gentle", &[("amount", 0.6)])
            .preset("full", "Full", &[("amount", 1.0)])
    }

    fn new(stream: &Stream, settings: &Settings) -> Result<Self, String> {
        Ok(Self::for_channels(
            stream.sample_rate_hz,
            settings.number("amount"),
            stream.inputs,
        ))
    }

    fn latency(&self) -> u32 {
        self.latency_frames()
    }

    fn tail(&self) -> Tail {
        Tail::Frames(self.tail_frames())
    }

    fn process(&mut self, sound: &mut Planar<'_>) {
        self.process_sound(sound);
    }

    fn reset(&mut self) {
        self.forget();
    }
}

vocalhost_effect::export_effect!(Denoise);
