//! A chorus: a delay line whose length follows a sine, mixed with the input.
//!
//! delay = max(1 ms, centre + 10 ms · depth · sin), read with linear interpolation;
//! the line is fed with x − feedback · y, and the output is (1 − mix) x + mix y
//! (J. Dattorro, "Effect Design, Part 2: Delay-Line Modulation and Chorus",
//! J. Audio Eng. Soc. 45 (10), 1997). Both channels share one sine.

use crate::oscillator::Oscillator;
use vocalhost_effect::dsp::{SILENCE, STRETCH_FRAMES};
use vocalhost_effect::{Planar, Settings, Tail};

/// How far the delay wavers either way at depth 1.
const MAX_SWING_MS: f32 = 10.0;

/// The delay never gets shorter.
const MIN_DELAY_MS: f32 = 1.0;

/// A chorus for mono or stereo sound.
#[derive(Clone, Debug)]
pub struct Chorus {
    oscillator: Oscillator,
    swing_ms: f32,
    centre_ms: f32,
    frames_per_ms: f32,
    feedback: f32,
    dry: f32,
    wet: f32,
    /// The longest delay that the settings lead to.
    longest_frames: usize,
    channels: Vec<Line>,
    /// Where the next sample of every line goes.
    position: usize,
}

/// The memory of one channel, a power of two long.
#[derive(Clone, Debug)]
struct Line {
    memory: Box<[f32]>,
    fed_back: f32,
}

impl Chorus {
    /// A chorus with the descriptor's settings.
    #[must_use]
    pub fn for_channels(rate_hz: f64, settings: &Settings, channels: usize) -> Self {
        let swing_ms = settings.number("depth") as f32 * MAX_SWING_MS;
        let centre_ms = settings.number("centre_delay_ms") as f32;
        let frames_per_ms = (rate_hz / 1000.0) as f32;
        let longest_ms = (centre_ms + swing_ms).max(MIN_DELAY_MS);
        // One more frame for the interpolation and one for rounding.
        let longest_frames = (longest_ms * frames_per_ms).ceil() as usize + 2;
        let line = Line {
            memory: vec![0.0; (longest_frames + 1).next_power_of_two()].into(),
            fed_back: 0.0,
        };
        let mix = settings.number("mix");
        Self {
            oscillator: Oscillator::new(rate_hz, settings.number("rate_hz")),
            swing_ms,
            centre_ms,
            frames_per_ms,
            feedback: settings.number("feedback") as f32,
            dry: (1.0 - mix) as f32,
            wet: mix as f32,
            longest_frames,
            channels: vec![line; channels],
            position: 0,
        }
    }

    /// Adds the wavering copy to the next frames in place.
    pub fn process_sound(&mut self, sound: &mut Planar<'_>) {
        let mut delays = [0.0; STRETCH_FRAMES];
        let mut at = 0;
        while at < sound.frames() {
            let frames = STRETCH_FRAMES.min(sound.frames() - at);
            let delays = &mut delays[..frames];
            self.oscillator.fill(delays);
            for delay in &mut *delays {
                let delay_ms = (self.swing_ms * *delay + self.centre_ms).max(MIN_DELAY_MS);
                *delay = delay_ms * self.frames_per_ms;
            }
            for (line, channel) in self.channels.iter_mut().zip(sound.channels()) {
                let samples = &mut channel[at..at + frames];
                line.process(
                    samples,
                    delays,
                    self.position,
                    self.feedback,
                    (self.dry, self.wet),
                );
            }
            self.position = self.position.wrapping_add(frames);
            at += frames;
        }
    }

    /// How long copies of copies go on, until 120 dB under full scale.
    #[must_use]
    pub fn ringing(&self) -> Tail {
        let feedback = f64::from(self.feedback);
        let frames = self.longest_frames as u64;
        if self.wet == 0.0 {
            Tail::Frames(0)
        } else if feedback >= 1.0 {
            Tail::Unbounded
        } else if feedback <= SILENCE {
            Tail::Frames(frames)
        } else {
            let repeats = (SILENCE * (1.0 - feedback)).ln() / feedback.ln();
            Tail::Frames(frames * (1 + repeats.ceil() as u64))
        }
    }

    /// Forgets all sound and starts the sine anew.
    pub fn forget(&mut self) {
        self.oscillator.forget();
        for line in &mut self.channels {
            line.memory.fill(0.0);
            line.fed_back = 0.0;
        }
        self.position = 0;
    }
}

impl Line {
    fn process(
        &mut self,
        samples: &mut [f32],
        delays: &[f32],
        position: usize,
        feedback: f32,
        (dry, wet): (f32, f32),
    ) {
        let memory = &mut *self.memory;
        let mask = memory.len() - 1;
        let mut fed_back = self.fed_back;
        for (offset, (sample, delay)) in samples.iter_mut().zip(delays).enumerate() {
            let now = position.wrapping_add(offset);
            memory[now & mask] = *sample - fed_back;
            let whole = *delay as u32;
            let share = *delay - whole as f32;
            let newer = now.wrapping_sub(whole as usize);
            let (new, old) = (memory[newer & mask], memory[newer.wrapping_sub(1) & mask]);
            let copy = new + share * (old - new);
            fed_back = copy * feedback;
            *sample = dry * *sample + wet * copy;
        }
        self.fed_back = fed_back;
    }
}
