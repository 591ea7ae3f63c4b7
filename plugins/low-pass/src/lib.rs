//! The low-pass filter: removes what lies above its cut-off, 6 dB per octave.

#[cfg(test)]
mod tests;

use vocalhost_effect::dsp::FirstOrder;
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

/// A first-order low-pass filter over any number of channels.
#[derive(Clone, Debug)]
pub struct LowPass(FirstOrder);

impl Effect for LowPass {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.low-pass", "Low-pass filter", "1.0.0")
            .vendor("vocalhost")
            .summary("Removes hiss and other sound above the cut-off, by 6 dB per octave.")
            .tag("filter")
            .tag("equalizer")
            .parameter(
                Parameter::number(
                    "cutoff_frequency_hz",
                    "Cut-off",
                    Number::linear(0.0, 99_999.0, 50.0).unit("Hz"),
                )
                .summary(
                    "Where the sound is 3 dB softer. Limited to just under half the sample rate.",
                ),
            )
            .preset("hiss", "Hiss off", &[("cutoff_frequency_hz", 12_000.0)])
            .preset("warm", "Warm", &[("cutoff_frequency_hz", 5_000.0)])
            .preset("muffled", "Next door", &[("cutoff_frequency_hz", 400.0)])
    }

    fn new(stream: &Stream, settings: &Settings) -> Result<Self, String> {
        Ok(Self(FirstOrder::low_pass(
            stream.rate_hz(),
            settings.number("cutoff_frequency_hz"),
            stream.inputs,
        )))
    }

    fn tail(&self) -> Tail {
        Tail::Frames(self.0.tail_frames())
    }

    fn process(&mut self, sound: &mut Planar<'_>) {
        if let Some((left, right)) = sound.stereo() {
            self.0.process_pair(left, right);
            return;
        }
        for (index, channel) in sound.channels().enumerate() {
            self.0.process_channel(index, channel);
        }
    }

    fn reset(&mut self) {
        self.0.forget();
    }
}

vocalhost_effect::export_effect!(LowPass);
