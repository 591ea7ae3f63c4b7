//! The reverb: the sound of a room around the sound.

mod dsp;
mod tank;
#[cfg(test)]
mod tests;

pub use dsp::Reverb;
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

impl Effect for Reverb {
    fn describe() -> Descriptor {
        Descriptor::new("vocalhost.reverb", "Reverb", "1.0.0")
            .vendor("vocalhost")
            .summary("Puts the sound into a room, from a closet to a cathedral.")
            .tag("reverb")
            .layout(2, 2)
            .layout(1, 1)
            .parameter(
                Parameter::number("room_size", "Room size", Number::linear(0.0, 1.0, 0.5))
                    .summary("How long the room rings."),
            )
            .parameter(
                Parameter::number("damping", "Damping", Number::linear(0.0, 1.0, 0.5))
                    .summary("How much faster high frequencies fade."),
            )
            .parameter(
                Parameter::number("wet_level", "Wet", Number::linear(0.0, 1.0, 0.33))
                    .group("Levels")
                    .summary("Level of the room; 1 is three times its natural strength."),
            )
            .parameter(
                Parameter::number("dry_level", "Dry", Number::linear(0.0, 1.0, 0.4))
                    .group("Levels")
                    .summary("Level of the plain sound; 0.5 leaves it as it is."),
            )
            .parameter(
                Parameter::number("width", "Width", Number::linear(0.0, 1.0, 1.0))
                    .summary("From a room in the middle (0) to one all around (1)."),
            )
            .parameter(
                Parameter::number("freeze_mode", "Freeze", Number::linear(0.0, 1.0, 0.0))
                    .summary(
                        "From 0.5 on the room holds what it has and takes in nothing new, \
                         which from the start of a recording leaves the plain sound only.",
                    )
                    .advanced(),
            )
            .preset(
                "room",
                "Small room",
                &[
                    ("room_size", 0.2),
                    ("damping", 0.7),
                    ("wet_level", 0.15),
                    ("dry_level", 0.5),
                ],
            )
            .preset(
                "hall",
                "Hall",
                &[
                    ("room_size", 0.7),
                    ("damping", 0.4),
                    ("wet_level", 0.25),
                    ("dry_level", 0.45),
                ],
            )
            .preset(
                "cathedral",
                "Cathedral",
                &[
                    ("room_size", 0.95),
                    ("damping", 0.2),
                    ("wet_level", 0.3),
                    ("dry_level", 0.4),
                ],
            )
    }

    fn new(stream: &Stream, settings: &Settings) -> Result<Self, String> {
        Ok(Self::for_channels(
            stream.sample_rate_hz,
            settings,
            stream.inputs,
        ))
    }

    fn tail(&self) -> Tail {
        Tail::Frames(self.tail_frames())
    }

    fn process(&mut self, sound: &mut Planar<'_>) {
        if let Some((left, right)) = sound.stereo() {
            self.process_stereo(left, right);
        } else {
            sound
                .channels()
                .for_each(|channel| self.process_mono(channel));
        }
    }

    fn reset(&mut self) {
        self.forget();
    }
}

vocalhost_effect::export_effect!(Reverb);
