//! An echo: a delay line of whole samples with feedback, mixed with the input.
//!
//! d\[n\] = x\[n − N\] + feedback · d\[n − N\] and y = (1 − mix) x + mix d, with
//! N = ⌊`delay_seconds` · `rate_hz`⌋ (a feedback comb filter: Julius O. Smith,
//! "Physical Audio Signal Processing"). Shorter than one sample there is no echo
//! to tell from the sound, which then passes unchanged.

use vocalhost_effect::dsp::SILENCE;
use vocalhost_effect::{Settings, Tail};

/// An echo over any number of channels.
#[derive(Clone, Debug)]
pub struct Delay {
    dry: f32,
    wet: f32,
    feedback: f32,
    lines: Vec<Box<[f32]>>,
    /// Where the oldest sample of every line lies.
    position: usize,
}

impl Delay {
    /// An echo with the descriptor's settings.
    #[must_use]
    pub fn for_channels(rate_hz: f64, settings: &Settings, channels: usize) -> Self {
        let mix = settings.number("mix");
        // The time is held as `f32`, as other programs with this effect do: 0.022 s at
        // 48 kHz is then 1,055 samples, and one more or less is another sound.
        let seconds = settings.number("delay_seconds") as f32;
        let frames = (f64::from(seconds) * rate_hz) as usize;
        Self {
            dry: (1.0 - mix) as f32,
            wet: mix as f32,
            feedback: settings.number("feedback") as f32,
            lines: (0..channels).map(|_| vec![0.0; frames].into()).collect(),
            position: 0,
        }
    }

    /// Adds the echoes to the next frames of all channels in place.
    pub fn process_channels<'a>(&mut self, channels: impl Iterator<Item = &'a mut [f32]>) {
        let mut position = self.position;
        for (line, samples) in self.lines.iter_mut().zip(channels) {
            position = self.position;
            if line.is_empty() {
                return;
            }
            let mut rest = samples;
            while !rest.is_empty() {
                let stretch = rest.len().min(line.len() - position);
                let (now, later) = rest.split_at_mut(stretch);
                for (sample, memory) in now.iter_mut().zip(&mut line[position..]) {
                    let echo = *memory;
                    *memory = *sample + self.feedback * echo;
                    *sample = self.dry * *sample + self.wet * echo;
                }
                position = (position + stretch) % line.len();
                rest = later;
            }
        }
        self.position = position;
    }

    /// How long the echoes go on, until 120 dB under full scale.
    #[must_use]
    pub fn ringing(&self) -> Tail {
        let frames = self.lines.first().map_or(0, |line| line.len()) as u64;
        let feedback = f64::from(self.feedback);
        if frames == 0 || self.wet == 0.0 {
            Tail::Frames(0)
        } else if feedback >= 1.0 {
            Tail::Unbounded
        } else if feedback <= SILENCE {
            Tail::Frames(frames)
        } else {
            // Echoes of a steady sound add up to 1 / (1 − feedback).
            let repeats = (SILENCE * (1.0 - feedback)).ln() / feedback.ln();
            Tail::Frames(frames.saturating_mul(1 + repeats.ceil() as u64))
        }
    }

    /// Forgets all sound.
    pub fn forget(&mut self) {
        self.lines.iter_mut().for_each(|line| line.fill(0.0));
        self.position = 0;
    }
}
