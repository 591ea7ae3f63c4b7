//! A Freeverb for one or two channels.
//!
//! Both rooms hear the sum of the channels; the one on the right has slightly
//! longer lines. The scales that turn parameters from 0 to 1 into gains and
//! feedback are Freeverb's (Jezar at Dreampoint, public domain).

use crate::tank::Tank;
use vocalhost_effect::Settings;
use vocalhost_effect::dsp::{SILENCE, STRETCH_FRAMES};

/// Level at which sound enters the rooms: eight combs of high gain add up.
const INPUT_GAIN: f32 = 0.015;

/// Feedback of the combs at room size 0, and how much room size 1 adds.
const ROOM_OFFSET: f64 = 0.7;
const ROOM_SCALE: f64 = 0.28;

/// Damping of the combs at `damping` 1.
const DAMPING_SCALE: f64 = 0.4;

/// Gains at level 1.
const WET_SCALE: f64 = 3.0;
const DRY_SCALE: f64 = 2.0;

/// Extra length of the right room's lines, in samples at 44.1 kHz.
const STEREO_SPREAD: usize = 23;

/// `freeze_mode` from here on closes the rooms.
const FREEZE_THRESHOLD: f64 = 0.5;

/// After this many passes all-pass filters have decayed by 120 dB: ½²⁰ < 10⁻⁶.
const ALL_PASS_REPEATS: usize = 20;

/// A reverb for mono or stereo sound.
#[derive(Clone, Debug)]
pub struct Reverb {
    /// Empty while frozen: nothing ever enters the rooms.
    tanks: Vec<Tank>,
    feedback: f32,
    damping: f32,
    dry: f32,
    /// Gain of the room on the same side, and of the one on the other side.
    near: f32,
    far: f32,
}

impl Reverb {
    /// A reverb with the descriptor's settings for one or two channels.
    #[must_use]
    pub fn for_channels(sample_rate_hz: u32, settings: &Settings, channels: usize) -> Self {
        let frozen = settings.number("freeze_mode") >= FREEZE_THRESHOLD;
        let tanks = if frozen { 0 } else { channels };
        let wet = settings.number("wet_level") * WET_SCALE;
        let width = settings.number("width");
        Self {
            tanks: (0..tanks)
                .map(|index| Tank::new(sample_rate_hz, index * STEREO_SPREAD))
                .collect(),
            feedback: (settings.number("room_size") * ROOM_SCALE + ROOM_OFFSET) as f32,
            damping: (settings.number("damping") * DAMPING_SCALE) as f32,
            dry: (settings.number("dry_level") * DRY_SCALE) as f32,
            near: (wet * (1.0 + width) / 2.0) as f32,
            far: (wet * (1.0 - width) / 2.0) as f32,
        }
    }

    /// Adds the room to the next frames of a mono stream in place.
    pub fn process_mono(&mut self, samples: &mut [f32]) {
        let (dry, near) = (self.dry, self.near);
        let Some(tank) = self.tanks.first_mut() else {
            for sample in samples {
                *sample *= dry;
            }
            return;
        };
        let (mut fed, mut room) = ([0.0; STRETCH_FRAMES], [0.0; STRETCH_FRAMES]);
        for samples in samples.chunks_mut(STRETCH_FRAMES) {
            let (fed, room) = (&mut fed[..samples.len()], &mut room[..samples.len()]);
            for (fed, sample) in fed.iter_mut().zip(&*samples) {
                *fed = *sample * INPUT_GAIN;
            }
            tank.process(fed, room, self.feedback, self.damping);
            for (sample, room) in samples.iter_mut().zip(&*room) {
                *sample = *room * near + *sample * dry;
            }
        }
    }

    /// Adds the rooms to the next frames of a stereo stream in place.
    pub fn process_stereo(&mut self, left: &mut [f32], right: &mut [f32]) {
        let (dry, near, far) = (self.dry, self.near, self.far);
        let [left_tank, right_tank] = self.tanks.as_mut_slice() else {
            for sample in left.iter_mut().chain(right) {
                *sample *= dry;
            }
            return;
        };
        let mut fed = [0.0; STRETCH_FRAMES];
        let mut left_room = [0.0; STRETCH_FRAMES];
        let mut right_room = [0.0; STRETCH_FRAMES];
        let stretches = left
            .chunks_mut(STRETCH_FRAMES)
            .zip(right.chunks_mut(STRETCH_FRAMES));
        for (left, right) in stretches {
            let frames = left.len();
            let fed = &mut fed[..frames];
            for ((fed, left), right) in fed.iter_mut().zip(&*left).zip(&*right) {
                *fed = (*left + *right) * INPUT_GAIN;
            }
            let (left_room, right_room) = (&mut left_room[..frames], &mut right_room[..frames]);
            left_tank.process(fed, left_room, self.feedback, self.damping);
            right_tank.process(fed, right_room, self.feedback, self.damping);
            let rooms = left_room.iter().zip(&*right_room);
            for ((left, right), (left_room, right_room)) in left.iter_mut().zip(right).zip(rooms) {
                *left = *left_room * near + *right_room * far + *left * dry;
                *right = *right_room * near + *left_room * far + *right * dry;
            }
        }
    }

    /// Frames until the room has decayed by 120 dB from the loudest it can get.
    #[must_use]
    pub fn tail_frames(&self) -> u64 {
        let Some(tank) = self.tanks.last() else {
            return 0;
        };
        if self.near == 0.0 && self.far == 0.0 {
            return 0;
        }
        let feedback = f64::from(self.feedback);
        // Full-scale sound on all channels at a resonance of all combs.
        let loudest = f64::from(INPUT_GAIN) * 2.0 * 8.0 * WET_SCALE / (1.0 - feedback);
        let repeats = (SILENCE / loudest).ln() / feedback.ln();
        let combs = repeats.ceil() as usize * tank.longest_comb_frames();
        (combs + ALL_PASS_REPEATS * tank.all_pass_frames()) as u64
    }

    /// Silences the rooms.
    pub fn forget(&mut self) {
        self.tanks.iter_mut().for_each(Tank::forget);
    }
}
