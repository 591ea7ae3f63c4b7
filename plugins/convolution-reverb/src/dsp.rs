//! The room of [`Room`] by partitioned convolution.
//!
//! Both sides of the room hear the mean of the channels and answer each with noise of
//! its own; `width` mixes the answers so that their loudness stays. The plain sound is
//! delayed by one block of the convolution, which is the latency of the effect.

use crate::convolver::Convolver;
use crate::room::Room;
use vocalhost_effect::{Planar, Settings};

/// Length of a block of the convolution, in seconds, before it is rounded up to a power
/// of two: long ones cost little and none can be heard, for the host takes the latency out.
const BLOCK_S: f64 = 0.04;

/// A convolution reverb for mono or stereo sound.
#[derive(Clone, Debug)]
pub struct ConvolutionReverb {
    convolver: Convolver,
    room_frames: u64,
    dry: f32,
    /// Gain of the answer on the same side, and of the one on the other side.
    near: f32,
    far: f32,
    /// What of the current block has come in, by channel, and its mean.
    plain: Vec<Vec<f32>>,
    mean: Vec<f32>,
    /// What of the block before goes out: the answers of both sides.
    answers: Vec<Vec<f32>>,
    filled: usize,
}

impl ConvolutionReverb {
    /// A reverb with the descriptor's settings for one or two channels.
    #[must_use]
    pub fn for_channels(rate_hz: f64, settings: &Settings, channels: usize) -> Self {
        let block = ((BLOCK_S * rate_hz) as usize).next_power_of_two();
        let room = Room::new(settings);
        let responses: Vec<Vec<f32>> = (0..channels as u64)
            .map(|side| room.answer(rate_hz, side))
            .collect();
        let width = if channels == 1 {
            1.0
        } else {
            settings.number("width")
        };
        // The answers are as good as independent: their powers add up.
        let wet = settings.number("wet_level") / f64::midpoint(1.0, width * width).sqrt();
        Self {
            convolver: Convolver::new(block, &responses),
            room_frames: responses[0].len() as u64,
            dry: settings.number("dry_level") as f32,
            near: (wet * (1.0 + width) / 2.0) as f32,
            far: (wet * (1.0 - width) / 2.0) as f32,
            plain: vec![vec![0.0; block]; channels],
            mean: vec![0.0; block],
            answers: vec![vec![0.0; block]; channels],
            filled: 0,
        }
    }

    /// The latency.
    #[must_use]
    pub fn block_frames(&self) -> u32 {
        self.mean.len() as u32
    }

    /// For how long the room goes on.
    #[must_use]
    pub fn room_frames(&self) -> u64 {
        self.room_frames
    }

    /// Adds the room to the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        let frames = sound.frames();
        let mut at = 0;
        while at < frames {
            let count = (self.mean.len() - self.filled).min(frames - at);
            self.exchange(sound, at, count);
            at += count;
            self.filled += count;
            if self.filled == self.mean.len() {
                self.finish_block();
            }
        }
    }

    /// Puts what comes in into the block and gives out what was in its place.
    fn exchange(&mut self, sound: &mut Planar<'_>, at: usize, count: usize) {
        let places = self.filled..self.filled + count;
        self.mean[places.clone()].fill(0.0);
        let share = 1.0 / self.plain.len() as f32;
        for (index, channel) in sound.channels().enumerate() {
            let near = &self.answers[index][places.clone()];
            let far = &self.answers[self.answers.len() - 1 - index][places.clone()];
            let plain = &mut self.plain[index][places.clone()];
            let mean = &mut self.mean[places.clone()];
            for (frame, sample) in channel[at..at + count].iter_mut().enumerate() {
                let wet = self.near * near[frame] + self.far * far[frame];
                let dry = self.dry * plain[frame];
                plain[frame] = *sample;
                mean[frame] += share * *sample;
                *sample = dry + wet;
            }
        }
    }

    fn finish_block(&mut self) {
        self.convolver.convolve(&self.mean, &mut self.answers);
        self.filled = 0;
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        self.convolver.forget();
        self.filled = 0;
        for samples in self.plain.iter_mut().chain(&mut self.answers) {
            samples.fill(0.0);
        }
    }
}
