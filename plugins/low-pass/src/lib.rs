//! The low-pass filter: removes what lies above its cut-off, 6 dB per octave.

#[cfg(test)]
mod tests;

use vocalhost_effect::dsp::FirstOrder;
use vocalhost_effect::{Descriptor, Effect, Planar, Settings, Stream, Tail};

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
            .parameter(FirstOrder::cutoff())
            .preset("hiss", "Hiss off", &[(FirstOrder::CUTOFF, 12_000.0)])
            .preset("warm", "Warm", &[(FirstOrder::CUTOFF, 5_000.0)])
            .preset("muffled", "Next door", &[(FirstOrder::CUTOFF, 400.0)])
    }

    fn new(stream: &Stream, settings: &Settings) -> Result<Self, String> {
        Ok(Self(FirstOrder::low_pass(
            stream.rate_hz(),
            settings.number(FirstOrder::CUTOFF),
            stream.inputs,
        )))
    }

    fn tail(&self) -> Tail {
        Tail::Frames(self.0.tail_frames())
    }

    fn process(&mut self, sound: &mut Planar<'_>) {
        self.0.process(sound);
    }

    fn reset(&mut self) {
        self.0.forget();
    }
}

vocalhost_effect::export_effect!(LowPass);
