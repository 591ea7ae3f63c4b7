//! The de-esser: softens sharp s and sh sounds.

mod dsp;
#[cfg(test)]
mod tests;

pub use dsp::DeEsser;
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

impl Effect for DeEsser {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.de-esser", "De-esser", "1.0.0")
            .vendor("vocalhost")
            .summary(
                "Softens sharp s and sh sounds by turning down the upper band while they last.",
            )
            .tag("compressor")
            .tag("restoration")
            .parameter(
                Parameter::choice(
                    "mode",
                    "Threshold counts from",
                    &[
                        ("relative", "The level of the sound"),
                        ("absolute", "Full scale"),
                    ],
                )
                .summary("Relative treats soft and loud speech alike."),
            )
            .parameter(
                Parameter::number(
                    "threshold_db",
                    "Threshold",
                    Number::linear(-60.0, 0.0, -10.0).unit("dB"),
                )
                .summary("Level of the upper band above which it is turned down."),
            )
            .parameter(
                Parameter::number(
                    "frequency_hz",
                    "Frequency",
                    Number::logarithmic(1_000.0, 16_000.0, 5_000.0).unit("Hz"),
                )
                .summary(
                    "Where the upper band begins. Limited to just under half the sample rate.",
                ),
            )
            .parameter(
                Parameter::number(
                    "range_db",
                    "Range",
                    Number::linear(0.0, 40.0, 10.0).unit("dB"),
                )
                .summary("The most by which the upper band is turned down."),
            )
            .parameter(
                Parameter::number(
                    "ratio",
                    "Ratio",
                    Number::logarithmic(1.0, 100.0, 6.0).unit(":1"),
                )
                .summary("How many decibels over the threshold become one.")
                .advanced(),
            )
            .parameter(
                Parameter::number(
                    "attack_ms",
                    "Attack",
                    Number::linear(0.0, 100.0, 2.0).unit("ms"),
                )
                .summary("How long it takes to turn down.")
                .advanced(),
            )
            .parameter(
                Parameter::number(
                    "release_ms",
                    "Release",
                    Number::linear(1.0, 1_000.0, 80.0).unit("ms"),
                )
                .summary("How long it takes to recover.")
                .advanced(),
            )
            .parameter(
                Parameter::toggle("listen", "Listen", false)
                    .summary("Gives out what is taken away instead of what is left.")
                    .advanced(),
            )
            .preset(
                "gentle",
                "Gentle",
                &[("threshold_db", -8.0), ("range_db", 5.0), ("ratio", 3.0)],
            )
            .preset(
                "low",
                "Low voice",
                &[("frequency_hz", 4_000.0), ("threshold_db", -10.0)],
            )
            .preset(
                "strong",
                "Strong",
                &[
                    ("frequency_hz", 6_000.0),
                    ("threshold_db", -16.0),
                    ("range_db", 18.0),
                    ("ratio", 12.0),
                ],
            )
            .preset("find", "Find the s sounds", &[("listen", true)])
    }

    fn new(stream: &Stream, settings: &Settings) -> Result<Self, String> {
        Ok(Self::for_channels(
            stream.rate_hz(),
            settings,
            stream.inputs,
        ))
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

vocalhost_effect::export_effect!(DeEsser);
