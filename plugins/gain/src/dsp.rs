//! One factor for every sample.
//!
//! factor = ±10^(gain / 20), the definition of the decibel for amplitudes
//! (IEC 60027-3), applied in `f32`.

use vocalhost_effect::{Planar, Settings};

/// A gain over any number of channels.
#[derive(Clone, Copy, Debug)]
pub struct Gain {
    factor: f32,
}

impl Gain {
    /// A gain with the descriptor's settings.
    #[must_use]
    pub fn with_settings(settings: &Settings) -> Self {
        let size = if settings.toggle("mute") {
            0.0
        } else {
            10_f64.powf(settings.number("gain_db") / 20.0)
        };
        let sign = if settings.toggle("invert_phase") {
            -1.0
        } else {
            1.0
        };
        Self {
            factor: (sign * size) as f32,
        }
    }

    /// Multiplies the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        let factor = self.factor;
        for channel in sound.channels() {
            for sample in channel {
                *sample *= factor;
            }
        }
    }
}
