//! The phaser: notches that sweep through the sound.

mod dsp;
#[cfg(test)]
mod tests;

pub use dsp::Phaser;
use vocalhost_effect::{
    Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail, Value,
};

impl Effect for Phaser {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.phaser", "Phaser", "1.0.0")
            .vendor("vocalhost")
            .summary("Sweeps notches through the sound with a row of all-pass filters.")
            .tag("chorus")
            .tag("vocalhost:phaser")
            .parameter(
                Parameter::choice(
                    "stages",
                    "Stages",
                    &[
                        ("2", "2 (1 notch)"),
                        ("4", "4 (2 notches)"),
                        ("6", "6 (3 notches)"),
                        ("8", "8 (4 notches)"),
                        ("10", "10 (5 notches)"),
                        ("12", "12 (6 notches)"),
                    ],
                )
                .default_option("4")
                .summary("All-pass filters in a row; every two make a notch."),
            )
            .parameter(
                Parameter::number("rate_hz", "Rate", Number::linear(0.0, 10.0, 0.5).unit("Hz"))
                    .summary("How often the notches sweep; 0 lets them stand still."),
            )
            .parameter(
                Parameter::number("depth", "Depth", Number::linear(0.0, 1.0, 0.5))
                    .summary("How far they sweep; 1 is two octaves either way."),
            )
            .parameter(
                Parameter::number(
                    "centre_frequency_hz",
                    "Centre",
                    Number::logarithmic(100.0, 8_000.0, 1_000.0).unit("Hz"),
                )
                .summary("Around which frequency they sweep."),
            )
            .parameter(
                Parameter::number("feedback", "Feedback", Number::linear(-0.9, 0.9, 0.0))
                    .summary("How sharp the peaks between the notches are; below 0 they move to where the other sign has none.")
                    .advanced(),
            )
            .parameter(
                Parameter::number("mix", "Mix", Number::linear(0.0, 1.0, 0.5))
                    .summary("From the plain sound (0) to the turned copy alone (1); notches are deepest at 0.5."),
            )
            .preset(
                "gentle",
                "Gentle",
                &[("rate_hz", 0.25), ("depth", 0.4), ("mix", 0.35)],
            )
            .preset(
                "deep",
                "Deep",
                &[
                    ("stages", Value::from("8")),
                    ("rate_hz", 0.15.into()),
                    ("depth", 1.0.into()),
                    ("feedback", 0.7.into()),
                ],
            )
            .preset(
                "fast",
                "Rotating",
                &[
                    ("rate_hz", 5.5),
                    ("depth", 0.25),
                    ("centre_frequency_hz", 800.0),
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
        Tail::Frames(self.tail_frames())
    }

    fn process(&mut self, sound: &mut Planar<'_>) {
        self.process_sound(sound);
    }

    fn reset(&mut self) {
        self.forget();
    }
}

vocalhost_effect::export_effect!(Phaser);
