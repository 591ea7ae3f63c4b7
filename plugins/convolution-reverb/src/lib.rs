//! The convolution reverb: places the sound in a room made from a few numbers.

mod convolver;
mod dsp;
mod room;
#[cfg(test)]
mod tests;

pub use dsp::ConvolutionReverb;
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

impl Effect for ConvolutionReverb {
    fn describe() -> Descriptor {
        presets(levels(room_parameters(
            Descriptor::new(
                "vocalhost.convolution-reverb",
                "Convolution reverb",
                "1.0.0",
            )
            .vendor("vocalhost")
            .summary("Places the sound in a room whose size, decay and colour are set.")
            .tag("reverb")
            .layout(2, 2)
            .layout(1, 1),
        )))
    }

    fn new(stream: &Stream, settings: &Settings) -> Result<Self, String> {
        Ok(Self::for_channels(
            stream.rate_hz(),
            settings,
            stream.inputs,
        ))
    }

    fn latency(&self) -> u32 {
        self.block_frames()
    }

    fn tail(&self) -> Tail {
        Tail::Frames(self.room_frames())
    }

    fn process(&mut self, sound: &mut Planar<'_>) {
        self.process_sound(sound);
    }

    fn reset(&mut self) {
        self.forget();
    }
}

fn room_parameters(descriptor: Descriptor) -> Descriptor {
    descriptor
        .parameter(
            Parameter::number(
                "decay_s",
                "Decay",
                Number::logarithmic(0.2, 5.0, 1.2).unit("s"),
            )
            .group("Room")
            .summary("How long the middle frequencies take to fall by 60 dB."),
        )
        .parameter(
            Parameter::number("size", "Size", Number::linear(0.0, 1.0, 0.4))
                .group("Room")
                .summary(
                    "From a closet of 2 m (0) to a hall of 30 m (1): when the first echoes arrive.",
                ),
        )
        .parameter(
            Parameter::number("early_level", "Early echoes", Number::linear(0.0, 1.0, 0.3))
                .group("Room")
                .summary("Energy of the first, single echoes against that of the late sound."),
        )
        .parameter(
            Parameter::number(
                "pre_delay_ms",
                "Pre-delay",
                Number::linear(0.0, 250.0, 10.0).unit("ms"),
            )
            .group("Room")
            .summary("Silence between the sound and the room's answer."),
        )
        .parameter(
            Parameter::number("damping", "Damping", Number::linear(0.0, 1.0, 0.5))
                .group("Colour")
                .summary(
                    "How much sooner the treble is gone: at 1 it decays in a quarter of the time.",
                ),
        )
        .parameter(
            Parameter::number("bass_ratio", "Bass ratio", Number::linear(0.5, 1.25, 1.0))
                .group("Colour")
                .summary("How long the bass decays against the middle.")
                .advanced(),
        )
        .parameter(
            Parameter::number("brightness", "Brightness", Number::linear(-1.0, 1.0, -0.2))
                .group("Colour")
                .summary("Tilts the room's answer by up to 6 dB per octave either way."),
        )
}

fn levels(descriptor: Descriptor) -> Descriptor {
    descriptor
        .parameter(
            Parameter::number("width", "Width", Number::linear(0.0, 1.0, 1.0))
                .group("Level")
                .summary("How different the room is on both sides; 0 is mono."),
        )
        .parameter(
            Parameter::number("wet_level", "Wet level", Number::linear(0.0, 1.0, 0.3))
                .group("Level")
                .summary("Level of the room; at 1 noise is as loud in it as outside."),
        )
        .parameter(
            Parameter::number("dry_level", "Dry level", Number::linear(0.0, 1.0, 0.8))
                .group("Level")
                .summary("Level of the plain sound."),
        )
}

fn presets(descriptor: Descriptor) -> Descriptor {
    descriptor
        .preset(
            "booth",
            "Vocal booth",
            &[
                ("decay_s", 0.3),
                ("size", 0.05),
                ("pre_delay_ms", 0.0),
                ("damping", 0.7),
                ("wet_level", 0.2),
            ],
        )
        .preset(
            "room",
            "Living room",
            &[("decay_s", 0.6), ("size", 0.25), ("early_level", 0.6)],
        )
        .preset(
            "hall",
            "Concert hall",
            &[
                ("decay_s", 2.2),
                ("size", 0.8),
                ("pre_delay_ms", 25.0),
                ("bass_ratio", 1.15),
            ],
        )
        .preset(
            "cathedral",
            "Cathedral",
            &[
                ("decay_s", 5.0),
                ("size", 1.0),
                ("pre_delay_ms", 40.0),
                ("damping", 0.8),
                ("wet_level", 0.4),
            ],
        )
}

vocalhost_effect::export_effect!(ConvolutionReverb);
