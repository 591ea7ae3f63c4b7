//! The multiband compressor: evens out the loudness of three bands on their own.

mod bands;
mod dsp;
#[cfg(test)]
mod tests;

pub use dsp::MultibandCompressor;
use vocalhost_effect::{Descriptor, Effect, Number, Parameter, Planar, Settings, Stream, Tail};

/// The bands: the beginning of their parameters' ids, their heading, and the attack and
/// release in milliseconds that fit the length of their waves.
pub(crate) const BANDS: [(&str, &str, f64, f64); 3] = [
    ("low", "Low band", 20.0, 250.0),
    ("mid", "Middle band", 8.0, 150.0),
    ("high", "High band", 3.0, 80.0),
];

/// The parameters of one band.
fn band_parameters(
    (band, heading, attack_ms, release_ms): (&str, &str, f64, f64),
) -> [Parameter; 5] {
    let number = |id: &str, name: &str, number: Number, summary: &str| {
        Parameter::number(&format!("{band}_{id}"), name, number)
            .group(heading)
            .summary(summary)
    };
    [
        number(
            "threshold_db",
            "Threshold",
            Number::linear(-80.0, 0.0, 0.0).unit("dB"),
            "Level of the band above which it is turned down.",
        ),
        number(
            "ratio",
            "Ratio",
            Number::logarithmic(1.0, 100.0, 1.0).unit(":1"),
            "How many decibels over the threshold become one; 1 changes nothing.",
        ),
        number(
            "attack_ms",
            "Attack",
            Number::linear(0.0, 1_000.0, attack_ms).unit("ms"),
            "How long it takes to turn the band down.",
        )
        .advanced(),
        number(
            "release_ms",
            "Release",
            Number::linear(0.0, 5_000.0, release_ms).unit("ms"),
            "How long the band takes to recover.",
        )
        .advanced(),
        number(
            "gain_db",
            "Gain",
            Number::linear(-24.0, 24.0, 0.0).unit("dB"),
            "How much louder the band becomes afterwards.",
        ),
    ]
}

impl Effect for MultibandCompressor {
    fn describe() -> Descriptor {
        let mut descriptor = Descriptor::new(
            "vocalhost.multiband-compressor",
            "Multiband compressor",
            "1.0.0",
        )
        .vendor("vocalhost")
        .summary("Evens out the loudness of bass, middle and treble, each on its own.")
        .tag("compressor")
        .tag("equalizer")
        .parameter(
            Parameter::number(
                "low_crossover_hz",
                "Low crossover",
                Number::logarithmic(40.0, 1_000.0, 200.0).unit("Hz"),
            )
            .summary("Where the low band ends."),
        )
        .parameter(
            Parameter::number(
                "high_crossover_hz",
                "High crossover",
                Number::logarithmic(1_000.0, 16_000.0, 3_000.0).unit("Hz"),
            )
            .summary("Where the high band begins; at most 0.45 of the sample rate."),
        );
        for parameter in BANDS.into_iter().flat_map(band_parameters) {
            descriptor = descriptor.parameter(parameter);
        }
        descriptor
            .preset(
                "voice",
                "Voice",
                &[
                    ("low_threshold_db", -28.0),
                    ("low_ratio", 2.5),
                    ("mid_threshold_db", -24.0),
                    ("mid_ratio", 2.0),
                    ("high_threshold_db", -32.0),
                    ("high_ratio", 3.0),
                    ("mid_gain_db", 2.0),
                ],
            )
            .preset(
                "firm-bass",
                "Firm bass",
                &[
                    ("low_crossover_hz", 150.0),
                    ("low_threshold_db", -30.0),
                    ("low_ratio", 4.0),
                    ("low_gain_db", 4.0),
                ],
            )
            .preset(
                "soft-treble",
                "Soft treble",
                &[
                    ("high_crossover_hz", 5_000.0),
                    ("high_threshold_db", -36.0),
                    ("high_ratio", 4.0),
                ],
            )
    }

    fn new(stream: &Stream, settings: &Settings) -> Result<Self, String> {
        let (rate_hz, channels) = (stream.rate_hz(), stream.inputs);
        Ok(Self::for_channels(rate_hz, settings, channels))
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

vocalhost_effect::export_effect!(MultibandCompressor);
