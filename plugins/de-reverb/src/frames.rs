//! Overlapping windows of one channel.

use std::f64::consts::PI;

/// Windows that overlap at each place.
pub const OVERLAP: usize = 4;

/// The shape of the windows, going in and coming out: the root of a Hann window, scaled
/// so that four of them, squared, sum to 1.
pub fn window(size: usize) -> Vec<f32> {
    let scale = (2.0 / OVERLAP as f64).sqrt();
    (0..size)
        .map(|index| (scale * (PI * index as f64 / size as f64).sin()) as f32)
        .collect()
}

/// What has come in during the last window, and what goes out next.
#[derive(Clone, Debug)]
pub struct Frames {
    /// The last window's samples, the oldest first; its end is filled with what comes in.
    input: Vec<f32>,
    /// Overlapping windows; the beginning is complete and goes out.
    output: Vec<f32>,
}

impl Frames {
    pub fn new(size: usize) -> Self {
        Self {
            input: vec![0.0; size],
            output: vec![0.0; size],
        }
    }

    /// Puts samples in at `place`, counted from the last window, and gives out others.
    pub fn exchange(&mut self, samples: &mut [f32], place: usize) {
        let hop = self.input.len() / OVERLAP;
        let start = self.input.len() - hop + place;
        let coming = &mut self.input[start..start + samples.len()];
        let going = &self.output[place..place + samples.len()];
        for ((sample, coming), going) in samples.iter_mut().zip(coming).zip(going) {
            *coming = *sample;
            *sample = *going;
        }
    }

    /// Writes the window that has just become complete, and makes room for the next.
    pub fn take(&mut self, window: &[f32], samples: &mut [f32]) {
        for ((sample, input), gain) in samples.iter_mut().zip(&self.input).zip(window) {
            *sample = input * gain;
        }
        let hop = self.input.len() / OVERLAP;
        self.input.copy_within(hop.., 0);
    }

    /// Adds a window to what goes out.
    pub fn put(&mut self, window: &[f32], samples: &[f32]) {
        let size = self.output.len();
        let hop = size / OVERLAP;
        self.output.copy_within(hop.., 0);
        self.output[size - hop..].fill(0.0);
        for ((output, sample), gain) in self.output.iter_mut().zip(samples).zip(window) {
            *output += sample * gain;
        }
    }

    pub fn forget(&mut self) {
        self.input.fill(0.0);
        self.output.fill(0.0);
    }
}
