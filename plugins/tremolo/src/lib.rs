//! The tremolo: makes the sound swell and fade in a steady rhythm.

mod dsp;
mod shape;
#[cfg(test)]
mod tests;

pub use dsp::Tremolo;
use vocalhost_effect::{
    Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail, Value,
};

impl Effect for Tremolo {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.tremolo", "Tremolo", "1.0.0")
            .vendor("vocalhost")
            .summary("Makes the sound swell and fade in a steady rhythm.")
            .tag("gain")
            .tag("vocalhost:modulation")
            .parameter(
                Parameter::number(
                    "rate_hz",
                    "Rate",
                    Number::logarithmic(0.05, 40.0, 5.0).unit("Hz"),
                )
                .summary("How often the sound swells."),
            )
            .parameter(
                Parameter::number("depth", "Depth", Number::linear(0.0, 1.0, 0.5))
                    .summary("How far it fades: 0 not at all, 0.5 to half, 1 to silence."),
            )
            .parameter(
                Parameter::choice(
                    "shape",
                    "Shape",
                    &[
                        ("sine", "Sine"),
                        ("triangle", "Triangle"),
                        ("square", "Square"),
                        ("fading", "Fading ramp"),
                        ("swelling", "Swelling ramp"),
                    ],
                )
                .summary("How the loudness moves between its ends; jumps take 2 ms."),
            )
            .parameter(
                Parameter::number(
                    "stereo_phase_deg",
                    "Stereo phase",
                    Number::linear(0.0, 180.0, 0.0).unit("°"),
                )
                .summary("How far the right channel lags behind; at 180 the sound wanders from side to side.")
                .advanced(),
            )
            .preset("gentle", "Gentle", &[("rate_hz", 4.0), ("depth", 0.3)])
            .preset(
                "wandering",
                "Side to side",
                &[("rate_hz", 1.0), ("depth", 0.9), ("stereo_phase_deg", 180.0)],
            )
            .preset(
                "chopped",
                "Chopped",
                &[
                    ("shape", Value::from("square")),
                    ("rate_hz", 8.0.into()),
                    ("depth", 1.0.into()),
                ],
            )
            .preset(
                "pulse",
                "Pulse",
                &[
                    ("shape", Value::from("fading")),
                    ("rate_hz", 2.0.into()),
                    ("depth", 0.8.into()),
                ],
            )
    }

    fn new(stream: &Stream, settings: &Settings) -> Result<Self, String> {
        Ok(Self::for_rate(stream.rate_hz(), settings))
    }

    fn tail(&self) -> Tail {
        Tail::Frames(0)
    }

    fn process(&mut self, sound: &mut Planar<'_>) {
        self.process_sound(sound);
    }

    fn reset(&mut self) {
        self.forget();
    }
}

vocalhost_effect::export_effect!(Tremolo);
