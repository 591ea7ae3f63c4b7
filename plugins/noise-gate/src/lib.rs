//! The noise gate: makes what is softer than a threshold softer still.

mod dsp;
#[cfg(test)]
mod tests;

pub use dsp::NoiseGate;
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

impl Effect for NoiseGate {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.noise-gate", "Noise gate", "1.0.0")
            .vendor("vocalhost")
            .summary("Turns down what is softer than the threshold, such as noise in pauses.")
            .tag("gate")
            .tag("restoration")
            .parameter(
                Parameter::number(
                    "threshold_db",
                    "Threshold",
                    Number::linear(-100.0, 0.0, -100.0).unit("dB"),
                )
                .summary("Level below which the sound is turned down."),
            )
            .parameter(
                Parameter::number(
                    "ratio",
                    "Ratio",
                    Number::logarithmic(1.0, 100.0, 10.0).unit(":1"),
                )
                .summary("How many decibels the output falls for one decibel of input."),
            )
            .parameter(
                Parameter::number(
                    "attack_ms",
                    "Attack",
                    Number::linear(0.0, 5_000.0, 1.0).unit("ms"),
                )
                .summary("How long the gate takes to open.")
                .advanced(),
            )
            .parameter(
                Parameter::number(
                    "release_ms",
                    "Release",
                    Number::linear(0.0, 5_000.0, 100.0).unit("ms"),
                )
                .summary("How long the gate takes to close.")
                .advanced(),
            )
            .preset(
                "gentle",
                "Gentle",
                &[
                    ("threshold_db", -50.0),
                    ("ratio", 2.0),
                    ("release_ms", 250.0),
                ],
            )
            .preset(
                "speech",
                "Speech",
                &[
                    ("threshold_db", -40.0),
                    ("ratio", 4.0),
                    ("release_ms", 150.0),
                ],
            )
            .preset(
                "hard",
                "Hard",
                &[
                    ("threshold_db", -35.0),
                    ("ratio", 20.0),
                    ("release_ms", 50.0),
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

vocalhost_effect::export_effect!(NoiseGate);
