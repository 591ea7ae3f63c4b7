//! The parametric equaliser: shapes the tone with two shelves and four peaks.

mod dsp;
#[cfg(test)]
mod tests;

pub use dsp::{PEAKS, ParametricEq};
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

/// Where the peaks are unless told otherwise.
const PEAK_DEFAULTS_HZ: [f64; 4] = [200.0, 600.0, 2_000.0, 5_000.0];

fn frequency(band: &str, heading: &str, default_hz: f64) -> Parameter {
    let id = format!("{band}_frequency_hz");
    let number = Number::logarithmic(10.0, 40_000.0, default_hz).unit("Hz");
    Parameter::number(&id, "Frequency", number)
        .summary("Where the band works. Limited to just under half the sample rate.")
        .group(heading)
}

fn gain(band: &str, heading: &str) -> Parameter {
    let id = format!("{band}_gain_db");
    Parameter::number(&id, "Gain", Number::linear(-24.0, 24.0, 0.0).unit("dB"))
        .summary("How much louder the band becomes; 0 switches it off.")
        .group(heading)
}

fn quality(band: &str, heading: &str) -> Parameter {
    let id = format!("{band}_q");
    Parameter::number(&id, "Q", Number::logarithmic(0.1, 20.0, 1.0))
        .summary("How narrow the band is: its frequency divided by its width.")
        .group(heading)
}

impl Effect for ParametricEq {
    fn describe() -> Descriptor {
        let mut descriptor =
            Descriptor::new("vocalhost.parametric-eq", "Parametric equaliser", "1.0.0")
                .vendor("vocalhost")
                .summary("Raises and lowers parts of the spectrum with two shelves and four peaks.")
                .tag("equalizer")
                .tag("filter")
                .parameter(frequency("low_shelf", "Low shelf", 100.0))
                .parameter(gain("low_shelf", "Low shelf"));
        for (number, (band, default_hz)) in (1..).zip(PEAKS.into_iter().zip(PEAK_DEFAULTS_HZ)) {
            let heading = format!("Peak {number}");
            descriptor = descriptor
                .parameter(frequency(band, &heading, default_hz))
                .parameter(gain(band, &heading))
                .parameter(quality(band, &heading));
        }
        descriptor
            .parameter(frequency("high_shelf", "High shelf", 8_000.0))
            .parameter(gain("high_shelf", "High shelf"))
            .parameter(
                Parameter::number(
                    "output_gain_db",
                    "Output gain",
                    Number::linear(-24.0, 24.0, 0.0).unit("dB"),
                )
                .summary("Loudness of the result.")
                .advanced(),
            )
            .preset(
                "clear",
                "Clear speech",
                &[
                    ("low_shelf_gain_db", -4.0),
                    ("peak_1_frequency_hz", 300.0),
                    ("peak_1_gain_db", -2.5),
                    ("peak_4_frequency_hz", 4_000.0),
                    ("peak_4_gain_db", 3.0),
                ],
            )
            .preset(
                "air",
                "Airy vocals",
                &[
                    ("peak_2_gain_db", -1.5),
                    ("high_shelf_frequency_hz", 10_000.0),
                    ("high_shelf_gain_db", 5.0),
                ],
            )
            .preset(
                "warm",
                "Warm",
                &[
                    ("low_shelf_frequency_hz", 200.0),
                    ("low_shelf_gain_db", 3.0),
                    ("peak_3_frequency_hz", 3_000.0),
                    ("peak_3_gain_db", -2.0),
                    ("high_shelf_gain_db", -2.0),
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

vocalhost_effect::export_effect!(ParametricEq);
