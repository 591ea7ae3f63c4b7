//! The gain: makes the sound louder or softer.

mod dsp;
#[cfg(test)]
mod tests;

pub use dsp::Gain;
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

impl Effect for Gain {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.gain", "Gain", "1.0.0")
            .vendor("vocalhost")
            .summary("Makes the sound louder or softer.")
            .tag("gain")
            .tag("utility")
            .parameter(
                Parameter::number(
                    "gain_db",
                    "Gain",
                    Number::linear(-100.0, 60.0, 0.0).unit("dB"),
                )
                .summary("How much louder; below 0 softer."),
            )
            .parameter(
                Parameter::toggle("invert_phase", "Invert phase", false)
                    .summary("Turns the wave upside down.")
                    .advanced(),
            )
            .parameter(
                Parameter::toggle("mute", "Mute", false)
                    .summary("Silence, whatever the gain.")
                    .advanced(),
            )
            .preset("half", "Half", &[("gain_db", -6.0)])
            .preset("double", "Double", &[("gain_db", 6.0)])
            .preset("invert", "Upside down", &[("invert_phase", true)])
            .preset("lift", "Lift a quiet recording", &[("gain_db", 18.0)])
    }

    fn new(_stream: &Stream, settings: &Settings) -> Result<Self, String> {
        Ok(Self::with_settings(settings))
    }

    fn tail(&self) -> Tail {
        Tail::Frames(0)
    }

    fn process(&mut self, sound: &mut Planar<'_>) {
        self.process_sound(sound);
    }

    fn reset(&mut self) {}
}

vocalhost_effect::export_effect!(Gain);
