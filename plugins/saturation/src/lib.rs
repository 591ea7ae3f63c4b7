//! The saturation: adds harmonics by flattening what is loud.

mod dsp;
mod oversampling;
#[cfg(test)]
mod tests;

pub use dsp::Saturation;
use vocalhost_effect::{
    Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail, Value,
};

impl Effect for Saturation {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.saturation", "Saturation", "1.0.0")
            .vendor("vocalhost")
            .summary("Adds warmth and harmonics by flattening what is loud.")
            .tag("vocalhost:saturation")
            .parameter(
                Parameter::choice(
                    "curve",
                    "Curve",
                    &[("tanh", "Tanh"), ("soft", "Soft clip"), ("tube", "Tube")],
                )
                .summary("The shape of the flattening; the tube adds even harmonics too."),
            )
            .parameter(
                Parameter::number(
                    "drive_db",
                    "Drive",
                    Number::linear(0.0, 48.0, 6.0).unit("dB"),
                )
                .summary("How much louder the sound meets the curve."),
            )
            .parameter(
                Parameter::number("mix", "Mix", Number::linear(0.0, 1.0, 1.0))
                    .summary("From the plain sound (0) to the saturated one (1)."),
            )
            .parameter(
                Parameter::number(
                    "output_gain_db",
                    "Output gain",
                    Number::linear(-48.0, 24.0, 0.0).unit("dB"),
                )
                .summary("Loudness of the result."),
            )
            .parameter(
                Parameter::choice(
                    "oversampling",
                    "Oversampling",
                    &[("4", "4 times"), ("2", "2 times")],
                )
                .summary("At how many times the rate the curve runs; more makes it cleaner.")
                .advanced(),
            )
            .preset(
                "warm",
                "Warm",
                &[
                    ("curve", Value::from("tube")),
                    ("drive_db", 8.0.into()),
                    ("mix", 0.5.into()),
                ],
            )
            .preset(
                "tape",
                "Pressed",
                &[("drive_db", 14.0), ("output_gain_db", -6.0)],
            )
            .preset(
                "fuzz",
                "Distorted",
                &[("drive_db", 36.0), ("output_gain_db", -12.0)],
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
        oversampling::MEMORY as u32
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

vocalhost_effect::export_effect!(Saturation);
