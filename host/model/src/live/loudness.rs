//! Mixes the loudness of the input and of the output without looking ahead.

use super::level::RunningLevel;

/// Time constant of the two envelopes, in frames of 10 ms: half a second, as far as a recording's envelope looks to
/// each side.
const FOLLOW: f64 = 50.0;
/// The least level of the voice's envelope that is followed, or its silence would be amplified without end.
const SMALLEST: f64 = 1e-6;

/// The live counterpart of `modelVolumeMix`: `y * source^(1 - mix) * voice^(mix - 1)`.
pub(super) struct CausalMix {
    exponent: f64,
    /// Whether the voice's own loudness has never been changed.
    is_idle: bool,
    hop: usize,
    source: f64,
    voice: f64,
    gain: f64,
}

impl CausalMix {
    pub(super) fn new(mix: f64, hop: usize) -> Self {
        Self {
            exponent: 1.0 - mix,
            is_idle: 1.0 - mix == 0.0,
            hop,
            source: 0.0,
            voice: 0.0,
            gain: 1.0,
        }
    }

    /// Changes the mix from now on; the gain moves to it within a frame.
    pub(super) fn follow(&mut self, mix: f64) {
        self.exponent = 1.0 - mix;
        self.is_idle &= self.exponent == 0.0;
    }

    /// Brings samples, the first of which belongs to the frame `first`, to their loudness.
    pub(super) fn apply(&mut self, samples: &mut [f32], level: &RunningLevel, first: usize) {
        if self.is_idle {
            return;
        }
        for (at, frame) in samples.chunks_mut(self.hop).enumerate() {
            let power: f64 = frame.iter().map(|x| f64::from(*x).powi(2)).sum();
            let power = power / frame.len() as f64;
            self.source += (level.frame_rms(first + at).powi(2) - self.source) / FOLLOW;
            self.voice += (power - self.voice) / FOLLOW;
            let aim = (self.source.sqrt() / self.voice.sqrt().max(SMALLEST)).powf(self.exponent);
            let step = (aim - self.gain) / frame.len() as f64;
            for sample in frame {
                self.gain += step;
                *sample *= self.gain as f32;
            }
        }
    }
}
