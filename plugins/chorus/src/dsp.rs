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
    /// Where the next sample of every line goes; it counts on and wraps around.
    position: u32,
}

/// Where one frame is written and where its copy is read, counted like `position`:
/// between the sample at `read` and the one before, at this share of the way.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    write: u32,
    read: u32,
    share: f32,
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
        let mut places = [Place::default(); STRETCH_FRAMES];
        let mut at = 0;
        while at < sound.frames() {
            let frames = STRETCH_FRAMES.min(sound.frames() - at);
            let (delays, places) = (&mut delays[..frames], &mut places[..frames]);
            self.oscillator.fill(delays);
            self.locate(delays, places);
            for (line, channel) in self.channels.iter_mut().zip(sound.channels()) {
                let samples = &mut channel[at..at + frames];
                line.process(samples, places, self.feedback, (self.dry, self.wet));
            }
            self.position = self.position.wrapping_add(frames as u32);
            at += frames;
        }
    }

    /// Turns values of the sine into places in the lines, the same for all channels.
    fn locate(&self, sines: &[f32], places: &mut [Place]) {
        let position = self.position;
        for (offset, (place, sine)) in (0_u32..).zip(places.iter_mut().zip(sines)) {
            let asked_ms = self.swing_ms * sine + self.centre_ms;
            // Not `f32::max`, which is a call on WebAssembly because of how it treats NaN.
            let delay_ms = if asked_ms > MIN_DELAY_MS {
                asked_ms
            } else {
                MIN_DELAY_MS
            };
            let delay = delay_ms * self.frames_per_ms;
            let whole = delay as u32;
            let write = position.wrapping_add(offset);
            *place = Place {
                write,
                read: write.wrapping_sub(whole),
                share: delay - whole as f32,
            };
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
        places: &[Place],
        feedback: f32,
        (dry, wet): (f32, f32),
    ) {
        let memory = &mut *self.memory;
        let mask = memory.len() - 1;
        let mut fed_back = self.fed_back;
        for (sample, place) in samples.iter_mut().zip(places) {
            memory[place.write as usize & mask] = *sample - fed_back;
            let newer = memory[place.read as usize & mask];
            let older = memory[place.read.wrapping_sub(1) as usize & mask];
            let copy = newer + place.share * (older - newer);
            fed_back = copy * feedback;
            *sample = dry * *sample + wet * copy;
        }
        self.fed_back = fed_back;
    }
}
