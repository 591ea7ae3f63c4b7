//! The sounds that effects are tested with. All of them are reproducible: no sample is random.

use vocalhost_audio::Block;

/// Larger than anything in a recording, and small enough that a gain of 60 dB leaves it finite: it exposes an effect that squares samples
/// carelessly.
pub(super) const HUGE: f32 = 1.0e30;

/// Samples evenly distributed in ±1: a linear congruential generator (Numerical Recipes' constants 1664525 and 1013904223), of which the
/// upper 24 bits become one sample.
fn noise(seed: u32) -> impl Iterator<Item = f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 8_388_608.0 - 1.0
    })
}

/// A sound whose channels are made one by one.
fn by_channel<I: Iterator<Item = f32>>(
    channels: u32,
    frames: usize,
    mut make: impl FnMut(u32) -> I,
) -> Block {
    let mut block = Block::silent(channels as usize, frames);
    for channel in 0..channels {
        let samples = block.channel_mut(channel as usize);
        for (sample, value) in samples.iter_mut().zip(make(channel)) {
            *sample = value;
        }
    }
    block
}

/// White noise of full scale, different in every channel.
pub(super) fn white(channels: u32, frames: usize) -> Block {
    by_channel(channels, frames, |channel| noise(channel + 1))
}

/// Sound as effects usually meet it: tones and noise in syllables of changing loudness with pauses between them, so that
/// gates open, compressors work and tails are heard. Different in every channel and for every `seed`.
pub(super) fn ordinary(channels: u32, frames: usize, seed: u32) -> Block {
    by_channel(channels, frames, move |channel| {
        let pitch = 0.02 + 0.007 * channel as f32 + 0.003 * seed as f32;
        let hiss = noise(1 + channel + 31 * seed);
        hiss.enumerate().map(move |(frame, hiss)| {
            // A syllable of 5,120 frames, a sixth of which is silent, each as loud as its number says.
            let (syllable, place) = (frame / 5_120, (frame % 5_120) as f32 / 4_266.0);
            let loudness = [0.9, 0.1, 0.4, 0.02, 0.7][syllable % 5];
            let shape = (std::f32::consts::PI * place.min(1.0)).sin();
            // Whole turns are subtracted first, because the sine of a large `f32` is imprecise.
            let turns = (f64::from(pitch) * frame as f64).fract() as f32;
            let tone = (std::f32::consts::TAU * turns).sin();
            loudness * shape * (0.6 * tone + 0.4 * hiss)
        })
    })
}

/// Sounds that hurt: each with its name, for `frames` frames.
pub(super) fn hostile(channels: u32, frames: usize) -> Vec<(&'static str, Block)> {
    let same = |wave: fn(usize) -> f32| by_channel(channels, frames, |_| (0..).map(wave));
    let alternating = |frame: usize| if frame.is_multiple_of(2) { 1.0 } else { -1.0 };
    let loud = by_channel(channels, frames, |_| {
        (0..).map(move |frame| HUGE * alternating(frame))
    });
    let nyquist = by_channel(channels, frames, |_| (0..).map(alternating));
    let wild = by_channel(channels, frames, |channel| {
        noise(channel).map(|sample| HUGE * sample)
    });
    vec![
        ("silence from the beginning", same(|_| 0.0)),
        ("noise of full scale", white(channels, frames)),
        ("silence after sound", same(|_| 0.0)),
        ("denormal numbers", same(|_| f32::MIN_POSITIVE / 4.0)),
        ("a constant of full scale", same(|_| 1.0)),
        ("a square at half the sample rate", nyquist),
        (
            "a single click",
            same(|frame| f32::from(u8::from(frame == 7))),
        ),
        ("a constant of 1e30", same(|_| HUGE)),
        ("silence after 1e30", same(|_| 0.0)),
        ("a square of 1e30 at half the sample rate", loud),
        ("noise of 1e30", wild),
        (
            "a single click of -1e30",
            same(|frame| if frame == 7 { -HUGE } else { 0.0 }),
        ),
        (
            "ordinary sound after all that",
            ordinary(channels, frames, 3),
        ),
    ]
}

/// Some frames of every channel, planar.
pub(super) fn slice(sound: &Block, frames: std::ops::Range<usize>) -> Vec<f32> {
    let mut planar = Vec::with_capacity(sound.channels() * frames.len());
    for channel in 0..sound.channels() {
        planar.extend_from_slice(&sound.channel(channel)[frames.clone()]);
    }
    planar
}

/// The loudest sample's magnitude.
pub(super) fn peak(samples: &[f32]) -> f32 {
    samples
        .iter()
        .fold(0.0, |peak, sample| peak.max(sample.abs()))
}

/// Where two sounds of the same length differ first: channel, frame and both samples.
#[allow(
    clippy::float_cmp,
    reason = "the rule is the same samples, not nearly the same"
)]
pub(super) fn difference(left: &Block, right: &Block) -> Option<Difference> {
    for channel in 0..left.channels() {
        let both = left.channel(channel).iter().zip(right.channel(channel));
        if let Some((frame, (left, right))) =
            both.enumerate().find(|(_, (left, right))| left != right)
        {
            return Some(Difference {
                channel,
                frame,
                samples: (*left, *right),
            });
        }
    }
    None
}

/// The first place at which two answers differ.
pub(super) struct Difference {
    channel: usize,
    frame: usize,
    samples: (f32, f32),
}

impl std::fmt::Display for Difference {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            out,
            "frame {} of channel {} is {:e} and {:e}",
            self.frame, self.channel, self.samples.0, self.samples.1
        )
    }
}
