//! {{title}}: what the effect is and how a host runs it. The sound is made in `dsp`.

mod dsp;
#[cfg(test)]
mod tests;

use dsp::{RingModulator, Shape};
use vocalhost_effect::{
    Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail, Value,
};

/// One running stream of the effect.
pub struct Plugin {
    modulator: RingModulator,
}

impl Effect for Plugin {
    /// What hosts show and check requests against. The id is for good: a change that
    /// breaks requests needs another one. The version is this effect's own.
    fn describe() -> Descriptor {
        Descriptor::new("{{id}}", "{{title}}", "0.1.0")
            .vendor("{{vendor}}")
            .summary("Multiplies the sound with a tone, as robots in old films were made.")
            .tag("{{tag}}")
            // No `.layout(…)`: it runs with any number of channels.
            .parameter(
                Parameter::number(
                    "frequency_hz",
                    "Frequency",
                    Number::logarithmic(1.0, 5_000.0, 50.0).unit("Hz"),
                )
                .summary("Of the tone; below 20 Hz the sound trembles instead."),
            )
            .parameter(
                Parameter::number("mix", "Mix", Number::linear(0.0, 1.0, 1.0))
                    .summary("From the plain sound (0) to the product alone (1)."),
            )
            .parameter(
                Parameter::choice(
                    "shape",
                    "Shape",
                    &[("sine", "Sine"), ("triangle", "Triangle")],
                )
                .summary("Of the tone; the triangle has odd harmonics too.")
                .advanced(),
            )
            .preset("tremble", "Tremble", &[("frequency_hz", 6.0), ("mix", 0.5)])
            .preset(
                "bells",
                "Bells",
                &[
                    ("frequency_hz", Value::from(800.0)),
                    ("mix", 0.6.into()),
                    ("shape", "triangle".into()),
                ],
            )
    }

    /// Everything that takes long or allocates happens here. An `Err` is a sentence
    /// for the person who wrote the request.
    fn new(stream: &Stream, settings: &Settings) -> Result<Self, String> {
        let shape = match settings.choice("shape") {
            "triangle" => Shape::Triangle,
            _ => Shape::Sine,
        };
        let modulator = RingModulator::new(
            stream.rate_hz(),
            settings.number("frequency_hz"),
            settings.number("mix"),
            shape,
            stream.max_frames,
        );
        Ok(Self { modulator })
    }

    /// How long sound goes on after the input. A product with silence is silent; an
    /// echo would say for how many frames it can be heard.
    fn tail(&self) -> Tail {
        Tail::Frames(0)
    }

    /// Changes the next frames in place. Blocks may have any length.
    fn process(&mut self, sound: &mut Planar<'_>) {
        let gains = self.modulator.next_gains(sound.frames());
        for channel in sound.channels() {
            for (sample, gain) in channel.iter_mut().zip(gains) {
                *sample *= gain;
            }
        }
    }

    /// Forgets all sound but not the settings.
    fn reset(&mut self) {
        self.modulator.reset();
    }
}

vocalhost_effect::export_effect!(Plugin);
