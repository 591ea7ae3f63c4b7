//! The de-reverb: takes the room out of a recording.

mod dsp;
mod frames;
mod late;
#[cfg(test)]
mod tests;

pub use dsp::DeReverb;
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

impl Effect for DeReverb {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.de-reverb", "De-reverb", "1.0.0")
            .vendor("vocalhost")
            .summary("Takes the echo of the room out of a recording.")
            .tag("restoration")
            .tag("reverb")
            .parameter(
                Parameter::number("amount", "Amount", Number::linear(0.0, 1.0, 0.8))
                    .summary("How much of the estimated room is taken out; 0 changes nothing."),
            )
            .parameter(
                Parameter::number(
                    "decay_s",
                    "Decay",
                    Number::logarithmic(0.1, 5.0, 0.6).unit("s"),
                )
                .summary("How long the recording's room takes to fall by 60 dB."),
            )
            .parameter(
                Parameter::number(
                    "floor_db",
                    "Floor",
                    Number::linear(-40.0, 0.0, -18.0).unit("dB"),
                )
                .summary("No part of the sound is turned down by more than this."),
            )
            .parameter(
                Parameter::number(
                    "late_after_ms",
                    "Late after",
                    Number::linear(20.0, 150.0, 50.0).unit("ms"),
                )
                .summary("Echoes that come sooner than this belong to the sound and stay.")
                .advanced(),
            )
            .preset(
                "gentle",
                "Gentle",
                &[("amount", 0.5), ("decay_s", 0.4), ("floor_db", -10.0)],
            )
            .preset(
                "room",
                "Living room",
                &[("amount", 0.9), ("decay_s", 0.5), ("floor_db", -20.0)],
            )
            .preset(
                "hall",
                "Hall",
                &[
                    ("amount", 1.0),
                    ("decay_s", 1.8),
                    ("floor_db", -24.0),
                    ("late_after_ms", 70.0),
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
        self.window_frames()
    }

    fn tail(&self) -> Tail {
        Tail::Frames(u64::from(self.window_frames()))
    }

    fn process(&mut self, sound: &mut Planar<'_>) {
        self.process_sound(sound);
    }

    fn reset(&mut self) {
        self.forget();
    }
}

vocalhost_effect::export_effect!(DeReverb);
