use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::cepstra::{Frame, NUMBERS};

/// How often parts are divided into halves.
const HALVINGS: u64 = 8;
/// Frames of a kind that both parts need.
const LEAST_FRAMES: f64 = 4.0;

/// A few seconds of a recording, sorted by kinds of sounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// The number of its recording.
    pub recording: usize,
    /// Its frames, less the means of their kinds.
    pub frames: Vec<Frame>,
    /// For each kind, the number of frames and their sum, less the mean of the recording, in units of a deviation.
    kinds: Vec<(f64, Frame)>,
}

impl Piece {
    /// Of frames without the means of their kinds and without the mean of their recording, and the kind of each of `count`.
    pub fn new(
        recording: usize,
        (frames, centred): (&[Frame], &[Frame]),
        (kinds, count): (&[usize], usize),
        scale: &Frame,
    ) -> Self {
        let mut sums = vec![(0.0, [0.0; NUMBERS]); count];
        for (frame, kind) in centred.iter().zip(kinds) {
            let (count, sums) = &mut sums[*kind];
            *count += 1.0;
            for (sum, (value, scale)) in sums.iter_mut().zip(frame.iter().zip(scale)) {
                *sum += value / scale;
            }
        }
        Self {
            recording,
            frames: frames.to_vec(),
            kinds: sums,
        }
    }
}

/// How differently two parts form the same sounds: of how far the means of a kind are apart the squares that two halves of both parts
/// agree about, as a share of the variance of sounds of a kind. `None` where they have too little in common.
pub fn compare(one: &[&Piece], other: &[&Piece]) -> Option<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let (mut one, mut other) = (one.to_vec(), other.to_vec());
    let mut sum = 0.0;
    for _ in 0..HALVINGS {
        for part in [&mut one, &mut other] {
            for place in (1..part.len()).rev() {
                part.swap(place, (random.next_u64() % (place as u64 + 1)) as usize);
            }
        }
        let half = |part: &[&Piece], second: usize| -> Vec<(f64, Frame)> {
            total(part.iter().skip(second).step_by(2))
        };
        let halves = [0, 1].map(|second| apart(&half(&one, second), &half(&other, second)));
        sum += agreed(&halves)?;
    }
    Some(sum / HALVINGS as f64)
}

/// The totals of pieces by kind.
fn total<'p>(pieces: impl Iterator<Item = &'p &'p Piece>) -> Vec<(f64, Frame)> {
    let mut all: Vec<(f64, Frame)> = Vec::new();
    for piece in pieces {
        all.resize(piece.kinds.len(), (0.0, [0.0; NUMBERS]));
        for ((count, sums), (more, values)) in all.iter_mut().zip(&piece.kinds) {
            *count += more;
            sums.iter_mut()
                .zip(values)
                .for_each(|(sum, value)| *sum += value);
        }
    }
    all
}

/// For each kind the difference of the means, and its weight.
fn apart(one: &[(f64, Frame)], other: &[(f64, Frame)]) -> Vec<(f64, Frame)> {
    let of_kind = |((count, sums), (others, of_others)): (&(f64, Frame), &(f64, Frame))| {
        if *count < LEAST_FRAMES || *others < LEAST_FRAMES {
            return (0.0, [0.0; NUMBERS]);
        }
        let apart = std::array::from_fn(|number| sums[number] / count - of_others[number] / others);
        (count * others / (count + others), apart)
    };
    one.iter().zip(other).map(of_kind).collect()
}

/// The mean product of the differences in two halves, each less its mean over all kinds.
fn agreed([one, other]: &[Vec<(f64, Frame)>; 2]) -> Option<f64> {
    let weights: Vec<f64> = one
        .iter()
        .zip(other)
        .map(|((a, _), (b, _))| (a * b).sqrt())
        .collect();
    let all: f64 = weights.iter().sum();
    if all <= 0.0 {
        return None;
    }
    let mean = |half: &[(f64, Frame)]| -> Frame {
        std::array::from_fn(|number| {
            let products = half
                .iter()
                .zip(&weights)
                .map(|((_, apart), weight)| weight * apart[number]);
            products.sum::<f64>() / all
        })
    };
    let (of_one, of_other) = (mean(one), mean(other));
    let mut sum = 0.0;
    for (((_, a), (_, b)), weight) in one.iter().zip(other).zip(&weights) {
        let products = (0..NUMBERS)
            .map(|number| (a[number] - of_one[number]) * (b[number] - of_other[number]));
        sum += weight * products.sum::<f64>();
    }
    Some(sum / all / NUMBERS as f64)
}
