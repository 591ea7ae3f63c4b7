//! Estimates whether recordings are of one person.

mod cepstra;
mod compare;
mod divide;

use crate::CONTENT;
use crate::means::{Rows, means, nearest};
use cepstra::{Frame, NUMBERS, cepstra};
use compare::{Piece, compare};
use divide::divide;

/// Number of kinds of sounds.
const KINDS: usize = 24;
const ROUNDS: usize = 10;
/// The most frames from which the kinds are found.
const MOST_ROWS: usize = 6_000;
/// Frames of a piece: 1 s of sounding speech.
const PIECE: usize = 50;
/// The least number of pieces of a recording that is compared with others: 14 s.
const LEAST_PIECES: usize = 14;
/// The least number of pieces that are divided into two parts.
const LEAST_DIVIDED: usize = 24;

/// Estimates whether recordings are of one person, from how the same sounds are spoken in different parts of them.
///
/// Frames are sorted into kinds of sounds by the output of a content encoder, which hardly depends on the speaker. Two parts are compared
/// kind by kind, less the difference common to all kinds, which comes from the microphone, the room or the effort. What remains is how the
/// person forms the sounds. It counts only as far as two halves of each part agree about it, so that chance cancels out.
#[derive(Debug, Clone, Default)]
pub struct Speakers {
    recordings: Vec<Heard>,
}

/// A recording: its sounding frames, and the content of each.
#[derive(Debug, Clone, Default)]
struct Heard {
    frames: Vec<Frame>,
    content: Vec<f32>,
}

/// The distance between the most different parts of recordings, as a share of the variation within sounds of one kind: around 0 for a
/// single speaker, whatever the microphone.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Apart {
    /// The indices of two recordings, and their distance; none where no two are long enough.
    pub recordings: Option<([usize; 2], f64)>,
    /// The distance of the two parts that all recordings together divide into by their sound. It is also large where somebody says the same
    /// again and again.
    pub parts: Option<f64>,
}

impl Speakers {
    /// Adds the next recording, at the rate of the analysis. `content` has a vector for every 20 ms; a recording with vectors of another
    /// width than [`CONTENT`] is ignored.
    pub fn hear(&mut self, samples: &[f32], content: &[f32]) {
        let mut heard = Heard::default();
        let frames = cepstra(samples, content.len() / CONTENT);
        for (frame, content) in frames.into_iter().zip(content.chunks_exact(CONTENT)) {
            if let Some(frame) = frame {
                heard.frames.push(frame);
                heard.content.extend_from_slice(content);
            }
        }
        self.recordings.push(heard);
    }

    /// The distances.
    #[must_use]
    pub fn apart(&self) -> Apart {
        let pieces = self.pieces();
        let of = |number: usize| -> Vec<&Piece> {
            let own = pieces.iter().filter(|piece| piece.recording == number);
            own.collect()
        };
        let each: Vec<(usize, Vec<&Piece>)> = (0..self.recordings.len())
            .map(|number| (number, of(number)))
            .filter(|(_, own)| own.len() >= LEAST_PIECES)
            .collect();
        let pairs = each.iter().enumerate().flat_map(|(place, (first, own))| {
            let rest = each[place + 1..].iter();
            rest.filter_map(move |(second, others)| {
                compare(own, others).map(|figure| ([*first, *second], figure))
            })
        });
        let recordings = pairs.max_by(|(_, a), (_, b)| a.total_cmp(b));
        let divided = (pieces.len() >= LEAST_DIVIDED)
            .then(|| divide(&pieces))
            .flatten();
        let parts = divided.and_then(|[one, other]| compare(&one, &other));
        Apart { recordings, parts }
    }

    /// The recordings in pieces.
    fn pieces(&self) -> Vec<Piece> {
        let kinds = self.kinds();
        let centred: Vec<Vec<Frame>> = self
            .recordings
            .iter()
            .map(|heard| centred(&heard.frames))
            .collect();
        let scale = spread(&without_kinds(&centred.concat(), &kinds));
        let all: Vec<Frame> = self
            .recordings
            .iter()
            .flat_map(|heard| &heard.frames)
            .copied()
            .collect();
        let coloured = without_kinds(&all, &kinds);
        let (mut pieces, mut first) = (Vec::new(), 0);
        for (number, centred) in centred.iter().enumerate() {
            let count = centred.len();
            for start in (0..count - count % PIECE).step_by(PIECE) {
                let kinds = &kinds[first + start..][..PIECE];
                let coloured = &coloured[first + start..][..PIECE];
                let frames = (coloured, &centred[start..start + PIECE]);
                pieces.push(Piece::new(number, frames, (kinds, KINDS), &scale));
            }
            first += count;
        }
        pieces
    }

    /// The kind of every frame.
    fn kinds(&self) -> Vec<usize> {
        let all: Vec<f32> = self
            .recordings
            .iter()
            .flat_map(|heard| &heard.content)
            .copied()
            .collect();
        let values = scaled(all);
        let rows = Rows {
            values: &values,
            width: CONTENT,
        };
        let every = rows.count() / MOST_ROWS + 1;
        let some: Vec<f32> = values
            .chunks_exact(CONTENT)
            .step_by(every)
            .flatten()
            .copied()
            .collect();
        let some = Rows {
            values: &some,
            width: CONTENT,
        };
        let means = means(some, KINDS, ROUNDS, 0);
        let means = Rows {
            values: &means,
            width: CONTENT,
        };
        let near = nearest(rows, means).into_iter();
        near.map(|(kind, _)| kind).collect()
    }
}

/// Content vectors, each value divided by its deviation.
fn scaled(mut values: Vec<f32>) -> Vec<f32> {
    let count = (values.len() / CONTENT).max(1) as f64;
    for number in 0..CONTENT {
        let column = || values.iter().skip(number).step_by(CONTENT);
        let mean = column().map(|value| f64::from(*value)).sum::<f64>() / count;
        let squares = column().map(|value| (f64::from(*value) - mean).powi(2));
        let deviation = (squares.sum::<f64>() / count).sqrt().max(1e-6) as f32;
        for value in values.iter_mut().skip(number).step_by(CONTENT) {
            *value /= deviation;
        }
    }
    values
}

/// Frames less their mean.
fn centred(frames: &[Frame]) -> Vec<Frame> {
    let mean = mean(frames);
    let without = |frame: &Frame| std::array::from_fn(|number| frame[number] - mean[number]);
    frames.iter().map(without).collect()
}

fn mean(frames: &[Frame]) -> Frame {
    let mut mean = [0.0; NUMBERS];
    for frame in frames {
        for (sum, value) in mean.iter_mut().zip(frame) {
            *sum += value / frames.len() as f64;
        }
    }
    mean
}

/// Frames less the mean of their kind.
fn without_kinds(frames: &[Frame], kinds: &[usize]) -> Vec<Frame> {
    let means: Vec<Frame> = (0..KINDS)
        .map(|kind| {
            let own = frames.iter().zip(kinds).filter(|(_, is)| **is == kind);
            let own: Vec<Frame> = own.map(|(frame, _)| *frame).collect();
            mean(&own)
        })
        .collect();
    let without = |(frame, kind): (&Frame, &usize)| {
        std::array::from_fn(|number| frame[number] - means[*kind][number])
    };
    frames.iter().zip(kinds).map(without).collect()
}

/// The deviation of each value of frames around 0.
fn spread(frames: &[Frame]) -> Frame {
    let mut squares = [0.0; NUMBERS];
    for frame in frames {
        for (sum, value) in squares.iter_mut().zip(frame) {
            *sum += value * value;
        }
    }
    squares.map(|sum| (sum / frames.len().max(1) as f64).sqrt().max(1e-9))
}

#[cfg(test)]
mod tests;
