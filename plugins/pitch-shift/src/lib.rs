//! The pitch shift: makes the sound higher or lower and keeps its length.

mod dsp;
mod formants;
mod interpolation;
mod rotation;
#[cfg(test)]
mod tests;

pub use dsp::PitchShift;
use vocalhost_effect::{
    Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail, Value,
};

impl Effect for PitchShift {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.pitch-shift", "Pitch shift", "1.0.0")
            .vendor("vocalhost")
            .summary("Makes the sound higher or lower and keeps its length.")
            .tag("pitch")
            .parameter(
                Parameter::number(
                    "semitones",
                    "Shift",
                    Number::linear(-24.0, 24.0, 0.0).unit("st"),
                )
                .summary("How far up or down; 12 is an octave, fractions are allowed."),
            )
            .parameter(
                Parameter::toggle("preserve_formants", "Keep the formants", false).summary(
                    "Keeps the colour of a voice, so that it does not become a dwarf's or a giant's.",
                ),
            )
            .preset("octave-up", "Octave up", &[("semitones", 12.0)])
            .preset("octave-down", "Octave down", &[("semitones", -12.0)])
            .preset(
                "brighter",
                "Higher voice",
                &[
                    ("semitones", Value::from(4.0)),
                    ("preserve_formants", true.into()),
                ],
            )
            .preset(
                "darker",
                "Deeper voice",
                &[
                    ("semitones", Value::from(-4.0)),
                    ("preserve_formants", true.into()),
                ],
            )
    }

    fn new(stream: &Stream, settings: &Settings) -> Result<Self, String> {
        Ok(Self::for_channels(
            stream.rate_hz(),
            settings,
            stream.inputs,
        ))
    }

    fn latency(&self) -> u32 {
        self.latency_frames()
    }

    fn tail(&self) -> Tail {
        Tail::Frames(u64::from(self.latency_frames()))
    }

    fn process(&mut self, sound: &mut Planar<'_>) {
        self.process_sound(sound);
    }

    fn reset(&mut self) {
        self.forget();
    }
}

vocalhost_effect::export_effect!(PitchShift);
