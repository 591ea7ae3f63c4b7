//! The chorus: a copy of the sound that wavers around it.

mod dsp;
mod oscillator;
#[cfg(test)]
mod tests;

pub use dsp::Chorus;
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

impl Effect for Chorus {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.chorus", "Chorus", "1.0.0")
            .vendor("vocalhost")
            .summary("Thickens the sound with a copy whose delay, and so its pitch, wavers.")
            .tag("chorus")
            .layout(2, 2)
            .layout(1, 1)
            .parameter(
                Parameter::number(
                    "rate_hz",
                    "Rate",
                    Number::linear(0.0, 100.0, 1.0).unit("Hz"),
                )
                .summary("How often the copy wavers."),
            )
            .parameter(
                Parameter::number("depth", "Depth", Number::linear(0.0, 1.0, 0.25))
                    .summary("How far it wavers; 1 is 10 ms either way."),
            )
            .parameter(
                Parameter::number(
                    "centre_delay_ms",
                    "Centre delay",
                    Number::linear(0.0, 100.0, 7.0).unit("ms"),
                )
                .summary("The delay around which the copy wavers; it is never below 1 ms.")
                .advanced(),
            )
            .parameter(
                Parameter::number("feedback", "Feedback", Number::linear(0.0, 1.0, 0.0))
                    .summary("How much of the copy is copied again, upside down."),
            )
            .parameter(
                Parameter::number("mix", "Mix", Number::linear(0.0, 1.0, 0.5))
                    .summary("From the plain sound (0) to the copy alone (1)."),
            )
            .preset(
                "wide",
                "Thick",
                &[("rate_hz", 0.6), ("depth", 0.3), ("centre_delay_ms", 12.0)],
            )
            .preset(
                "flanger",
                "Flanger",
                &[
                    ("rate_hz", 0.3),
                    ("depth", 0.2),
                    ("centre_delay_ms", 3.0),
                    ("feedback", 0.6),
                ],
            )
            .preset(
                "vibrato",
                "Vibrato",
                &[("rate_hz", 5.0), ("depth", 0.08), ("mix", 1.0)],
            )
    }

    fn new(stream: &Stream, settings: &Settings) -> Result<Self, String> {
        Ok(Self::for_channels(
            stream.rate_hz(),
            settings,
            stream.inputs,
        ))
    }

    fn tail(&self) -> Tail {
        self.ringing()
    }

    fn process(&mut self, sound: &mut Planar<'_>) {
        self.process_sound(sound);
    }

    fn reset(&mut self) {
        self.forget();
    }
}

vocalhost_effect::export_effect!(Chorus);
