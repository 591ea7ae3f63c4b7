//! The delay: one echo, or a row of them that fades.

mod dsp;
#[cfg(test)]
mod tests;

pub use dsp::Delay;
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

impl Effect for Delay {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.delay", "Delay", "1.0.0")
            .vendor("vocalhost")
            .summary("Repeats the sound after a while, once or as a row of fading echoes.")
            .tag("delay")
            .parameter(
                Parameter::number(
                    "delay_seconds",
                    "Time",
                    Number::linear(0.0, 10.0, 0.5).unit("s"),
                )
                .summary("From the sound to its echo, in whole samples."),
            )
            .parameter(
                Parameter::number("feedback", "Feedback", Number::linear(0.0, 1.0, 0.0))
                    .summary("How much of each echo is echoed again; 1 never ends."),
            )
            .parameter(
                Parameter::number("mix", "Mix", Number::linear(0.0, 1.0, 0.5))
                    .summary("From the plain sound (0) to the echoes alone (1)."),
            )
            .preset(
                "slap",
                "Slap back",
                &[("delay_seconds", 0.09), ("mix", 0.3)],
            )
            .preset(
                "echo",
                "Echo",
                &[("delay_seconds", 0.35), ("feedback", 0.4), ("mix", 0.3)],
            )
            .preset(
                "canyon",
                "Canyon",
                &[("delay_seconds", 0.9), ("feedback", 0.6), ("mix", 0.4)],
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
        self.process_channels(sound.channels());
    }

    fn reset(&mut self) {
        self.forget();
    }
}

vocalhost_effect::export_effect!(Delay);
