//! What makes one channel of room: eight damped comb filters side by side, then
//! four all-pass filters in a row.
//!
//! The network and its lengths are those of Freeverb by Jezar at Dreampoint, in
//! the public domain since June 2000; see also M. R. Schroeder, "Natural Sounding
//! Artificial Reverberation", J. Audio Eng. Soc. 10 (3), 1962, and Julius O. Smith,
//! "Physical Audio Signal Processing", section "Freeverb".

use vocalhost_effect::dsp::STRETCH_FRAMES;
use wide::f32x4;

/// Lengths of the comb filters, in samples at [`TUNING_RATE_HZ`].
const COMB_LENGTHS: [usize; 8] = [1116, 1188, 1277, 1356, 1422, 1491, 1557, 1617];

/// Lengths of the all-pass filters, in samples at [`TUNING_RATE_HZ`].
const ALL_PASS_LENGTHS: [usize; 4] = [556, 441, 341, 225];

/// The rate for which Freeverb's lengths were chosen.
const TUNING_RATE_HZ: usize = 44_100;

/// How much of its memory an all-pass filter feeds back.
const ALL_PASS_FEEDBACK: f32 = 0.5;

/// Comb filters side by side in a vector, and frames that they advance by at a time.
/// Each waits for its own last value only, so that those of a vector go together.
const LANES: usize = 4;

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
        for combs in self.combs.chunks_exact_mut(LANES) {
            let [a, b, c, d] = combs else {
                unreachable!("the combs come in groups of {LANES}");
            };
            process_combs([a, b, c, d], input, output, [feedback, damping]);
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

/// Adds what [`LANES`] comb filters make of `input` to `output`, in stretches in which
/// none of their lines comes to its end.
fn process_combs(
    mut combs: [&mut Comb; LANES],
    input: &[f32],
    output: &mut [f32],
    feedback_and_damping: [f32; 2],
) {
    let mut at = 0;
    while at < input.len() {
        let frames = combs.iter().fold(input.len() - at, |frames, comb| {
            frames.min(comb.line.len() - comb.position)
        });
        let mut smoothed = f32x4::new(combs.each_ref().map(|comb| comb.smoothed));
        let lines = combs.each_mut().map(|comb| comb.upcoming(frames));
        let sound = (&input[at..at + frames], &mut output[at..at + frames]);
        advance(lines, &mut smoothed, sound, feedback_and_damping);
        for (comb, smoothed) in combs.iter_mut().zip(smoothed.to_array()) {
            comb.smoothed = smoothed;
            comb.position = (comb.position + frames) % comb.line.len();
        }
        at += frames;
    }
}

/// One stretch of [`process_combs`]; lines, input and output are equally long.
///
/// The lines hold frames next to each other, the filters need combs next to each
/// other: a square of [`LANES`] by [`LANES`] values is turned for them and back.
#[inline]
fn advance(
    lines: [&mut [f32]; LANES],
    smoothed: &mut f32x4,
    (input, output): (&[f32], &mut [f32]),
    [feedback, damping]: [f32; 2],
) {
    let (pass, damp, back) = (1.0 - damping, damping, feedback);
    let [a, b, c, d] = lines;
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks_mut(), b.as_chunks_mut());
    let ((c, c_rest), (d, d_rest)) = (c.as_chunks_mut(), d.as_chunks_mut());
    let (input, input_rest) = input.as_chunks();
    let (output, output_rest) = output.as_chunks_mut();
    let squares = a.iter_mut().zip(b).zip(c).zip(d);
    for ((((a, b), c), d), (sample, sum)) in squares.zip(input.iter().zip(output)) {
        let heard = [&*a, b, c, d].map(|line| f32x4::new(*line));
        let sample = f32x4::new(*sample);
        let total = (heard[0] + heard[1]) + (heard[2] + heard[3]);
        *sum = (f32x4::new(*sum) + total).to_array();
        let kept = f32x4::transpose(heard).map(|frame| {
            *smoothed = frame * f32x4::splat(pass) + *smoothed * f32x4::splat(damp);
            *smoothed
        });
        let kept = f32x4::transpose(kept);
        for (line, kept) in [a, b, c, d].into_iter().zip(kept) {
            *line = (sample + kept * f32x4::splat(back)).to_array();
        }
    }
    let rest = a_rest.iter_mut().zip(b_rest).zip(c_rest).zip(d_rest);
    for ((((a, b), c), d), (sample, sum)) in rest.zip(input_rest.iter().zip(output_rest)) {
        let heard = [*a, *b, *c, *d];
        *sum += (heard[0] + heard[1]) + (heard[2] + heard[3]);
        *smoothed = f32x4::new(heard) * f32x4::splat(pass) + *smoothed * f32x4::splat(damp);
        let kept = (*smoothed * f32x4::splat(back)).to_array();
        for (place, kept) in [a, b, c, d].into_iter().zip(kept) {
            *place = sample + kept;
        }
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
