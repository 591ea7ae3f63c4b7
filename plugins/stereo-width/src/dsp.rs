//! Width by middle and side.
//!
//! The middle m = (l + r)/2 stays, the side s = (l − r)/2 is multiplied by the width,
//! and the channels are m + s and m − s (A. Blumlein, British patent 394,325, 1931). For
//! a bass in the middle the side loses what lies below a frequency through the upper
//! band of a fourth-order Linkwitz-Riley crossover; the middle is turned by the phase
//! that this gives to the side, so that a sound on one side only stays there above the
//! crossover, and the mono sum keeps its loudness at every frequency.

use vocalhost_effect::dsp::{Crossover, StateVariable};
use vocalhost_effect::{Planar, Settings};

/// Crossovers below this, in hertz, are off.
const LOWEST_CROSSOVER_HZ: f64 = 1.0;

/// A stereo image of another width.
#[derive(Clone, Debug)]
pub struct StereoWidth {
    width: f32,
    left: f32,
    right: f32,
    bass: Option<Bass>,
}

/// What keeps the bass in the middle.
#[derive(Clone, Copy, Debug)]
struct Bass {
    middle: StateVariable,
    side: Crossover,
    ringing_frames: u64,
}

impl StereoWidth {
    /// An image with the descriptor's settings.
    #[must_use]
    pub fn for_rate(rate_hz: f64, settings: &Settings) -> Self {
        let crossover_hz = settings.number("mono_below_hz");
        let balance = settings.number("balance");
        Self {
            width: settings.number("width") as f32,
            left: (1.0 - balance).min(1.0) as f32,
            right: (1.0 + balance).min(1.0) as f32,
            bass: (crossover_hz >= LOWEST_CROSSOVER_HZ).then(|| Bass {
                middle: StateVariable::new(rate_hz, crossover_hz),
                side: Crossover::new(rate_hz, crossover_hz),
                ringing_frames: Crossover::ringing_frames(rate_hz, crossover_hz),
            }),
        }
    }

    /// For how long sound goes on after the input.
    #[must_use]
    pub fn ringing_frames(&self) -> u64 {
        self.bass.map_or(0, |bass| bass.ringing_frames)
    }

    /// Changes the next frames in place; a mono stream has no image and stays as it is.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        let Some((left, right)) = sound.stereo() else {
            return;
        };
        if let Some(bass) = &mut self.bass {
            bass.widen(left, right, f64::from(self.width));
        } else {
            // Written as a difference, so that a width of 1 changes nothing to the bit.
            let more = 0.5 * (self.width - 1.0);
            for (left, right) in left.iter_mut().zip(right.iter_mut()) {
                let side = more * (*left - *right);
                *left += side;
                *right -= side;
            }
        }
        for (samples, gain) in [(left, self.left), (right, self.right)] {
            for sample in samples {
                *sample *= gain;
            }
        }
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        if let Some(bass) = &mut self.bass {
            bass.middle.forget();
            bass.side.forget();
        }
    }
}

impl Bass {
    fn widen(&mut self, left: &mut [f32], right: &mut [f32], width: f64) {
        for (left, right) in left.iter_mut().zip(right) {
            let (l, r) = (f64::from(*left), f64::from(*right));
            let middle = self.middle.turn(0.5 * (l + r));
            let side = width * self.side.split(0.5 * (l - r)).1;
            *left = (middle + side) as f32;
            *right = (middle - side) as f32;
        }
    }
}
