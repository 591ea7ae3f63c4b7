//! What makes one channel of room: eight damped comb filters side by side, then
//! four all-pass filters in a row.
//!
//! The network and its lengths are those of Freeverb by Jezar at Dreampoint, in
//! the public domain since June 2000; see also M. R. Schroeder, "Natural Sounding
//! Artificial Reverberation", J. Audio Eng. Soc. 10 (3), 1962, and Julius O. Smith,
//! "Physical Audio Signal Processing", section "Freeverb".

use vocalhost_effect::dsp::STRETCH_FRAMES;

/// Lengths of the comb filters, in samples at [`TUNING_RATE_HZ`].
const COMB_LENGTHS: [usize; 8] = [1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617];

/// Lengths of the all-pass filters, in samples at [`TUNING_RATE_HZ`].
const ALL_PASS_LENGTHS: [usize; 4] = [556, 441, 341, 225];

/// The rate for which Freeverb's lengths were chosen.
const TUNING_RATE_HZ: usize = 44_100;

/// How much of its memory an all-pass filter feeds back.
const ALL_PASS_FEEDBACK: f32 = 0.5;

/// Comb filters that run in one loop. Each waits for its own last value only, so
/// that four at a time keep the processor busy, and four fit its registers.
const COMBS_PER_LOOP: usize = 4;

/// One channel of room.
#[derive(Clone, Debug)]
pub struct Tank {
    combs: Vec<Comb>,
    all_passes: Vec<AllPass>,
}

/// y\[n\] = m\[n − N\]; m\[n\] = x\[n\] + feedback · s\[n\], s the smoothed y.
#[derive(Clone, Debug)]
struct Comb {
    line: Box<[f32]>,
    position: usize,
    smoothed: f32,
}

/// y\[n\] = m\[n − N\] − x\[n\]; m\[n\] = x\[n\] + g · m\[n − N\].
#[derive(Clone, Debug)]
struct AllPass {
    line: Box<[f32]>,
    position: usize,
}

impl Tank {
    /// A silent room at `sample_rate_hz`, its lines longer by `spread` samples at
    /// the tuning rate: rooms of different spread sound alike but not the same.
    #[must_use]
    pub fn new(sample_rate_hz: u32, spread: usize) -> Self {
        let line = |length: usize| {
            let frames = (length + spread) * sample_rate_hz as usize / TUNING_RATE_HZ;
            vec![0.0; frames].into_boxed_slice()
        };
        let comb = |length| Comb {
            line: line(length),
            position: 0,
            smoothed: 0.0,
        };
        let all_pass = |length| AllPass {
            line: line(length),
            position: 0,
        };
        Self {
            combs: COMB_LENGTHS.map(comb).into(),
            all_passes: ALL_PASS_LENGTHS.map(all_pass).into(),
        }
    }

    /// Writes what the room makes of `input` over `output`, at most
    /// [`STRETCH_FRAMES`] frames of the same number.
    pub fn process(&mut self, input: &[f32], output: &mut [f32], feedback: f32, damping: f32) {
        debug_assert!(input.len() <= STRETCH_FRAMES && input.len() == output.len());
        output.fill(0.0);
        for combs in self.combs.chunks_exact_mut(COMBS_PER_LOOP) {
            process_combs(combs, input, output, feedback, damping);
        }
        for all_pass in &mut self.all_passes {
            all_pass.process(output);
        }
    }

    /// Samples of the longest comb filter.
    #[must_use]
    pub fn longest_comb_frames(&self) -> usize {
        self.combs
            .iter()
            .map(|comb| comb.line.len())
            .max()
            .unwrap_or(0)
    }

    /// Samples of all all-pass filters together.
    #[must_use]
    pub fn all_pass_frames(&self) -> usize {
        self.all_passes
            .iter()
            .map(|all_pass| all_pass.line.len())
            .sum()
    }

    /// Silences the room.
    pub fn forget(&mut self) {
        for comb in &mut self.combs {
            comb.line.fill(0.0);
            comb.position = 0;
            comb.smoothed = 0.0;
        }
        for all_pass in &mut self.all_passes {
            all_pass.line.fill(0.0);
            all_pass.position = 0;
        }
    }
}

/// Adds what [`COMBS_PER_LOOP`] comb filters make of `input` to `output`, in
/// stretches in which none of their lines comes to its end.
fn process_combs(
    combs: &mut [Comb],
    input: &[f32],
    output: &mut [f32],
    feedback: f32,
    damping: f32,
) {
    let pass = 1.0 - damping;
    let [a, b, c, d] = combs else {
        unreachable!("the combs come in groups of {COMBS_PER_LOOP}");
    };
    let mut at = 0;
    while at < input.len() {
        let frames = [&*a, &*b, &*c, &*d]
            .iter()
            .fold(input.len() - at, |frames, comb| {
                frames.min(comb.line.len() - comb.position)
            });
        let mut smoothed = [a.smoothed, b.smoothed, c.smoothed, d.smoothed];
        let lines = a
            .upcoming(frames)
            .iter_mut()
            .zip(b.upcoming(frames))
            .zip(c.upcoming(frames))
            .zip(d.upcoming(frames));
        let sound = input[at..at + frames]
            .iter()
            .zip(&mut output[at..at + frames]);
        for ((((a, b), c), d), (sample, sum)) in lines.zip(sound) {
            let heard = [*a, *b, *c, *d];
            for (smoothed, heard) in smoothed.iter_mut().zip(heard) {
                *smoothed = heard * pass + *smoothed * damping;
            }
            *a = sample + smoothed[0] * feedback;
            *b = sample + smoothed[1] * feedback;
            *c = sample + smoothed[2] * feedback;
            *d = sample + smoothed[3] * feedback;
            *sum += (heard[0] + heard[1]) + (heard[2] + heard[3]);
        }
        for (comb, smoothed) in [&mut *a, b, c, d].into_iter().zip(smoothed) {
            comb.smoothed = smoothed;
            comb.position = (comb.position + frames) % comb.line.len();
        }
        at += frames;
    }
}

impl Comb {
    /// The next `frames` places of the line, which are the oldest ones.
    fn upcoming(&mut self, frames: usize) -> &mut [f32] {
        &mut self.line[self.position..self.position + frames]
    }
}

impl AllPass {
    fn process(&mut self, samples: &mut [f32]) {
        let mut rest = samples;
        while !rest.is_empty() {
            let frames = rest.len().min(self.line.len() - self.position);
            let (now, later) = rest.split_at_mut(frames);
            for (sample, memory) in now.iter_mut().zip(&mut self.line[self.position..]) {
                let heard = *memory;
                *memory = *sample + heard * ALL_PASS_FEEDBACK;
                *sample = heard - *sample;
            }
            self.position = (self.position + frames) % self.line.len();
            rest = later;
        }
    }
}
