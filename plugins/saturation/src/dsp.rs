//! Saturation: a curve that flattens loud samples, run above the sample rate.
//!
//! The harmonics that a curve makes beyond half the sample rate would fold back as
//! inharmonic tones. The sound is therefore interpolated to 2 or 4 times the rate,
//! bent there, and filtered on the way back (U. Zölzer (ed.), "DAFX: Digital Audio
//! Effects", chapter 4). The curves, all of slope 1 at 0:
//!
//! - tanh: tanh x, odd harmonics;
//! - soft: x − 4/27 x³ up to |x| = 3/2, then ±1, odd harmonics that set in late;
//! - tube: (tanh(x + b) − tanh b) / (1 − tanh² b), whose offset b makes even harmonics
//!   too; the constant that it adds is removed by a high-pass at 5 Hz.

use crate::oversampling::{MEMORY, REACH, Taps, Window, add_filtered, interpolators};
use vocalhost_effect::dsp::{SILENCE, STRETCH_FRAMES};
use vocalhost_effect::{Planar, Settings};

/// Offset of the tube's working point.
const TUBE_OFFSET: f32 = 0.4;

/// Cut-off of what removes the tube's constant.
const BLOCKER_HZ: f64 = 5.0;

/// Where the fraction in [`tanh`] reaches 1.
const TANH_LIMIT: f32 = 4.97;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Curve {
    Tanh,
    Soft,
    Tube,
}

/// A saturation over any number of channels.
#[derive(Clone, Debug)]
pub struct Saturation {
    curve: Curve,
    drive: f32,
    dry: f32,
    wet: f32,
    filters: Vec<Taps>,
    /// The pole of what removes the tube's constant.
    pole: f64,
    channels: Vec<Channel>,
}

#[derive(Clone, Debug)]
struct Channel {
    plain: Window,
    /// The bent sound at the frames themselves, then at the points between them.
    bent: Vec<Window>,
    blocked: [f64; 2],
}

impl Saturation {
    /// A saturation with the descriptor's settings.
    #[must_use]
    pub fn for_channels(rate_hz: f64, settings: &Settings, channels: usize) -> Self {
        let factor = if settings.choice("oversampling") == "2" {
            2
        } else {
            4
        };
        let decibels = |id: &str| 10_f64.powf(settings.number(id) / 20.0);
        let (mix, level) = (settings.number("mix"), decibels("output_gain_db"));
        let silent = Channel {
            plain: [0.0; MEMORY + STRETCH_FRAMES],
            bent: vec![[0.0; MEMORY + STRETCH_FRAMES]; factor],
            blocked: [0.0; 2],
        };
        Self {
            curve: match settings.choice("curve") {
                "soft" => Curve::Soft,
                "tube" => Curve::Tube,
                _ => Curve::Tanh,
            },
            drive: decibels("drive_db") as f32,
            dry: ((1.0 - mix) * level) as f32,
            wet: (mix * level) as f32,
            filters: interpolators(factor),
            pole: (-std::f64::consts::TAU * BLOCKER_HZ / rate_hz).exp(),
            channels: vec![silent; channels],
        }
    }

    /// Bends the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        let mut channels = std::mem::take(&mut self.channels);
        for (state, samples) in channels.iter_mut().zip(sound.channels()) {
            for stretch in samples.chunks_mut(STRETCH_FRAMES) {
                self.process_stretch(state, stretch);
            }
        }
        self.channels = channels;
    }

    fn process_stretch(&self, state: &mut Channel, samples: &mut [f32]) {
        let frames = samples.len();
        state.plain[MEMORY..][..frames].copy_from_slice(samples);
        for (phase, bent) in state.bent.iter_mut().enumerate() {
            let mut sums = [0.0; STRETCH_FRAMES];
            let sums = &mut sums[..frames];
            if phase == 0 {
                sums.copy_from_slice(&state.plain[REACH..][..frames]);
            } else {
                add_filtered(sums, &state.plain, &self.filters[phase - 1], 0);
            }
            self.bend(sums);
            bent[MEMORY..][..frames].copy_from_slice(sums);
        }
        let mut wet = [0.0; STRETCH_FRAMES];
        let wet = &mut wet[..frames];
        wet.copy_from_slice(&state.bent[0][REACH..][..frames]);
        // The way back from a point is the way there from its mirror image.
        for (bent, taps) in state.bent[1..].iter().zip(self.filters.iter().rev()) {
            add_filtered(wet, bent, taps, 1);
        }
        let share = 1.0 / state.bent.len() as f32;
        for sample in &mut *wet {
            *sample *= share;
        }
        if self.curve == Curve::Tube {
            self.block_constant(&mut state.blocked, wet);
        }
        let plain = &state.plain[..frames];
        for ((sample, wet), plain) in samples.iter_mut().zip(&*wet).zip(plain) {
            *sample = self.dry * plain + self.wet * wet;
        }
        state.plain.copy_within(frames..frames + MEMORY, 0);
        for bent in &mut state.bent {
            bent.copy_within(frames..frames + MEMORY, 0);
        }
    }

    fn bend(&self, samples: &mut [f32]) {
        let drive = self.drive;
        match self.curve {
            Curve::Tanh => samples.iter_mut().for_each(|x| *x = tanh(*x * drive)),
            Curve::Soft => samples.iter_mut().for_each(|x| *x = soft(*x * drive)),
            Curve::Tube => {
                let middle = tanh(TUBE_OFFSET);
                let per_slope = 1.0 / (1.0 - middle * middle);
                for x in samples {
                    *x = (tanh(*x * drive + TUBE_OFFSET) - middle) * per_slope;
                }
            }
        }
    }

    fn block_constant(&self, [before, after]: &mut [f64; 2], samples: &mut [f32]) {
        for sample in samples {
            let now = f64::from(*sample);
            *after = now - *before + self.pole * *after;
            *before = now;
            *sample = *after as f32;
        }
    }

    /// Frames until nothing is left.
    #[must_use]
    pub fn tail_frames(&self) -> u64 {
        let ringing = if self.curve == Curve::Tube {
            ((SILENCE / 8.0).ln() / self.pole.ln()).ceil() as u64
        } else {
            0
        };
        ringing + MEMORY as u64
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        for channel in &mut self.channels {
            channel.plain.fill(0.0);
            channel.bent.iter_mut().for_each(|bent| bent.fill(0.0));
            channel.blocked = [0.0; 2];
        }
    }
}

/// tanh x within 10⁻⁴: Lambert's continued fraction to the seventh power. Without a call,
/// so that a loop becomes vector code.
#[inline]
pub(crate) fn tanh(x: f32) -> f32 {
    let x = x.clamp(-TANH_LIMIT, TANH_LIMIT);
    let square = x * x;
    let above = 135_135.0 + square * (17_325.0 + square * (378.0 + square));
    let below = 135_135.0 + square * (62_370.0 + square * (3_150.0 + square * 28.0));
    x * above / below
}

#[inline]
fn soft(x: f32) -> f32 {
    let x = x.clamp(-1.5, 1.5);
    x - x * x * x * (4.0 / 27.0)
}
