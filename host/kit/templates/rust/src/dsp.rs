//! The sound of the effect, free of any interface: numbers in, numbers out.
//!
//! A ring modulator multiplies the sound with a tone c of the frequency f. Every
//! frequency g of the sound becomes the two frequencies g + f and |g - f|, because
//! sin(a) sin(b) = (cos(a - b) - cos(a + b)) / 2. With a mix of m the gain of a frame
//! is 1 - m + m c.

use std::f64::consts::TAU;

/// The form of the tone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One frequency.
    Sine,
    /// Odd harmonics as well, falling by 12 dB per octave.
    Triangle,
}

/// The tone, frame by frame.
#[derive(Clone, Debug)]
pub struct RingModulator {
    shape: Shape,
    mix: f64,
    /// Periods per frame.
    step: f64,
    /// Where in its period the tone is, 0 to 1. It goes on from block to block, so that
    /// nobody can hear where the host cuts the stream.
    phase: f64,
    gains: Vec<f32>,
}

impl RingModulator {
    /// A tone of `frequency_hz` for streams of `rate_hz` in blocks of at most
    /// `max_frames`.
    pub fn new(rate_hz: f64, frequency_hz: f64, mix: f64, shape: Shape, max_frames: usize) -> Self {
        Self {
            shape,
            mix,
            // A tone has no frequency above half the rate.
            step: (frequency_hz / rate_hz).min(0.5),
            phase: 0.0,
            gains: vec![0.0; max_frames],
        }
    }

    /// The gain of each of the next `frames` frames, the same for all channels.
    pub fn next_gains(&mut self, frames: usize) -> &[f32] {
        let gains = &mut self.gains[..frames];
        for gain in gains.iter_mut() {
            let tone = match self.shape {
                Shape::Sine => (TAU * self.phase).sin(),
                Shape::Triangle => triangle(self.phase),
            };
            *gain = (1.0 - self.mix + self.mix * tone) as f32;
            self.phase += self.step;
            if self.phase >= 1.0 {
                self.phase -= 1.0;
            }
        }
        gains
    }

    /// Back to the beginning of the stream.
    pub fn reset(&mut self) {
        self.phase = 0.0;
    }
}

/// A triangle that begins at 0 and rises, as the sine does.
fn triangle(phase: f64) -> f64 {
    let shifted = (phase + 0.75) % 1.0;
    (4.0 * shifted - 2.0).abs() - 1.0
}
