//! The compressor: makes what is louder than a threshold softer.

mod dsp;
#[cfg(test)]
mod tests;

pub use dsp::Compressor;
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

impl Effect for Compressor {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.compressor", "Compressor", "1.0.0")
            .vendor("vocalhost")
            .summary("Evens out loudness: turns down what is louder than the threshold.")
            .tag("compressor")
            .tag("limiter")
            .parameter(
                Parameter::number(
                    "threshold_db",
                    "Threshold",
                    Number::linear(-100.0, 0.0, 0.0).unit("dB"),
                )
                .summary("Level above which the sound is turned down."),
            )
            .parameter(
                Parameter::number(
                    "ratio",
                    "Ratio",
                    Number::logarithmic(1.0, 100.0, 1.0).unit(":1"),
                )
                .summary("How many decibels over the threshold become one; 1 changes nothing."),
            )
            .parameter(
                Parameter::number(
                    "attack_ms",
                    "Attack",
                    Number::linear(0.0, 5_000.0, 1.0).unit("ms"),
                )
                .summary("How long it takes to turn down.")
                .advanced(),
            )
            .parameter(
                Parameter::number(
                    "release_ms",
                    "Release",
                    Number::linear(0.0, 5_000.0, 100.0).unit("ms"),
                )
                .summary("How long it takes to recover.")
                .advanced(),
            )
            .preset(
                "voice",
                "Voice",
                &[
                    ("threshold_db", -20.0),
                    ("ratio", 3.0),
                    ("attack_ms", 5.0),
                    ("release_ms", 120.0),
                ],
            )
            .preset(
                "even",
                "Very even",
                &[
                    ("threshold_db", -30.0),
                    ("ratio", 6.0),
                    ("attack_ms", 2.0),
                    ("release_ms", 80.0),
                ],
            )
            .preset(
                "limit",
                "Peaks only",
                &[
                    ("threshold_db", -6.0),
                    ("ratio", 100.0),
                    ("attack_ms", 0.1),
                    ("release_ms", 60.0),
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

vocalhost_effect::export_effect!(Compressor);
