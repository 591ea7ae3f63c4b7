//! The stereo width: narrows or widens what lies between the channels.

mod dsp;
#[cfg(test)]
mod tests;

pub use dsp::StereoWidth;
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

impl Effect for StereoWidth {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.stereo-width", "Stereo width", "1.0.0")
            .vendor("vocalhost")
            .summary("Narrows or widens the stereo image, with the bass kept in the middle.")
            .tag("utility")
            .tag("vocalhost:stereo")
            .layout(2, 2)
            .layout(1, 1)
            .parameter(
                Parameter::number("width", "Width", Number::linear(0.0, 2.0, 1.0))
                    .summary("0 is mono, 1 leaves the image as it is, 2 doubles the difference."),
            )
            .parameter(
                Parameter::number(
                    "mono_below_hz",
                    "Mono below",
                    Number::linear(0.0, 500.0, 0.0).unit("Hz"),
                )
                .summary("Below this frequency both channels become alike; 0 switches it off."),
            )
            .parameter(
                Parameter::number("balance", "Balance", Number::linear(-1.0, 1.0, 0.0))
                    .summary("Turns down the right channel (below 0) or the left one (above 0)."),
            )
            .preset("mono", "Mono", &[("width", 0.0)])
            .preset("narrow", "Narrow", &[("width", 0.5)])
            .preset(
                "wide",
                "Wide, firm bass",
                &[("width", 1.5), ("mono_below_hz", 120.0)],
            )
            .preset("firm-bass", "Firm bass", &[("mono_below_hz", 150.0)])
    }

    fn new(stream: &Stream, settings: &Settings) -> Result<Self, String> {
        Ok(Self::for_rate(stream.rate_hz(), settings))
    }

    fn tail(&self) -> Tail {
        Tail::Frames(self.ringing_frames())
    }

    fn process(&mut self, sound: &mut Planar<'_>) {
        self.process_sound(sound);
    }

    fn reset(&mut self) {
        self.forget();
    }
}

vocalhost_effect::export_effect!(StereoWidth);
