//! The limiter: keeps the true peak of the sound below a ceiling.

mod dsp;
mod gain_curve;
#[cfg(test)]
mod tests;
mod true_peak;

pub use dsp::Limiter;
pub use true_peak::TruePeak;
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

impl Effect for Limiter {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.limiter", "Limiter", "1.0.0")
            .vendor("vocalhost")
            .summary("Keeps the true peak of the sound below a ceiling, by looking ahead.")
            .tag("limiter")
            .parameter(
                Parameter::number(
                    "ceiling_dbtp",
                    "Ceiling",
                    Number::linear(-30.0, 0.0, -1.0).unit("dBTP"),
                )
                .summary("The highest true peak (ITU-R BS.1770-4) of the result."),
            )
            .parameter(
                Parameter::number(
                    "input_gain_db",
                    "Input gain",
                    Number::linear(-24.0, 36.0, 0.0).unit("dB"),
                )
                .summary("How much louder the sound becomes before it is limited."),
            )
            .parameter(
                Parameter::number(
                    "release_ms",
                    "Release",
                    Number::logarithmic(1.0, 2_000.0, 100.0).unit("ms"),
                )
                .summary("The time constant with which the gain recovers after a peak."),
            )
            .parameter(
                Parameter::number(
                    "lookahead_ms",
                    "Look-ahead",
                    Number::linear(1.0, 20.0, 4.0).unit("ms"),
                )
                .summary("How long before a peak the gain starts to come down; the latency is a little longer.")
                .advanced(),
            )
            .preset("safe", "Safe for streaming", &[("ceiling_dbtp", -1.0)])
            .preset(
                "loud",
                "Loud",
                &[("input_gain_db", 9.0), ("release_ms", 60.0)],
            )
            .preset(
                "podcast",
                "Podcast",
                &[
                    ("ceiling_dbtp", -2.0),
                    ("input_gain_db", 4.0),
                    ("release_ms", 250.0),
                    ("lookahead_ms", 8.0),
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
        self.latency_frames() as u32
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

vocalhost_effect::export_effect!(Limiter);
