//! Loudness that follows a slow, periodic curve.
//!
//! The sound is multiplied by 1 − depth · (1 − c)/2, where the curve c moves between
//! −1 and 1 (amplitude modulation by a low-frequency oscillator; U. Zölzer, *DAFX*,
//! "Modulators and demodulators"). The stream starts at the loudest point. The curve's
//! phase is a 64-bit fraction of a period that wraps by itself, so that the rhythm
//! does not drift, however long the recording is.

use crate::shape::Shape;
use vocalhost_effect::dsp::STRETCH_FRAMES;
use vocalhost_effect::{Planar, Settings};

/// Phases of a whole period: 2⁶⁴.
const PERIOD: f64 = 18_446_744_073_709_551_616.0;

/// A tremolo over any number of channels; every second one lags by the stereo phase.
#[derive(Clone, Debug)]
pub struct Tremolo {
    shape: Shape,
    depth: f32,
    step: u64,
    phase: u64,
    lag: u64,
}

impl Tremolo {
    /// A tremolo with the descriptor's settings.
    #[must_use]
    pub fn for_rate(rate_hz: f64, settings: &Settings) -> Self {
        let frequency_hz = settings.number("rate_hz");
        Self {
            shape: Shape::named(settings.choice("shape"), frequency_hz),
            depth: settings.number("depth") as f32,
            step: (frequency_hz / rate_hz * PERIOD) as u64,
            phase: 0,
            lag: (settings.number("stereo_phase_deg") / 360.0 * PERIOD) as u64,
        }
    }

    /// Changes the loudness of the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        let frames = sound.frames();
        let mut gains = [0.0; STRETCH_FRAMES];
        for at in (0..frames).step_by(STRETCH_FRAMES) {
            let gains = &mut gains[..STRETCH_FRAMES.min(frames - at)];
            let sides = [self.phase, self.phase.wrapping_sub(self.lag)];
            for (side, start) in sides.into_iter().enumerate() {
                if side == 1 && sound.channel_count() == 1 {
                    break;
                }
                self.fill(gains, start);
                for channel in sound.channels().skip(side).step_by(2) {
                    for (sample, gain) in channel[at..].iter_mut().zip(&*gains) {
                        *sample *= gain;
                    }
                }
            }
            self.phase = self
                .phase
                .wrapping_add(self.step.wrapping_mul(gains.len() as u64));
        }
    }

    /// Writes the gains that follow the phase `start`.
    fn fill(&self, gains: &mut [f32], start: u64) {
        let mut phase = start;
        for gain in &mut *gains {
            // The upper 24 bits are what an `f32` can hold.
            *gain = (phase >> 40) as f32 / 16_777_216.0;
            phase = phase.wrapping_add(self.step);
        }
        self.shape.draw(gains);
        for gain in gains {
            *gain = 1.0 - self.depth * (0.5 - 0.5 * *gain);
        }
    }

    /// Back to the start of the curve.
    pub fn forget(&mut self) {
        self.phase = 0;
    }
}
