//! The high-pass filter: removes what lies below its cut-off, 6 dB per octave.

#[cfg(test)]
mod tests;

use vocalhost_effect::dsp::FirstOrder;
use vocalhost_effect::{Descriptor, Effect, Planar, Settings, Stream, Tail};

/// A first-order high-pass filter over any number of channels.
#[derive(Clone, Debug)]
pub struct HighPass(FirstOrder);

impl Effect for HighPass {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.high-pass", "High-pass filter", "1.0.0")
            .vendor("vocalhost")
            .summary("Removes rumble and other sound below the cut-off, by 6 dB per octave.")
            .tag("filter")
            .tag("equalizer")
            .parameter(FirstOrder::cutoff())
            .preset("rumble", "Rumble off", &[(FirstOrder::CUTOFF, 80.0)])
            .preset("thin", "Thin", &[(FirstOrder::CUTOFF, 300.0)])
            .preset("telephone", "Telephone", &[(FirstOrder::CUTOFF, 1_000.0)])
    }

    fn new(stream: &Stream, settings: &Settings) -> Result<Self, String> {
        Ok(Self(FirstOrder::high_pass(
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

vocalhost_effect::export_effect!(HighPass);
