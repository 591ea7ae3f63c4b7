use std::ops::Range;

use super::sections::{Chunk, Divisor, Edge, LastPiece};
use super::window;
use crate::model::source::reflect;

/// How recordings are cut into pieces and their estimates weighted, in samples.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cutter {
    /// Length of every piece.
    pub(super) samples: usize,
    step: usize,
    border: usize,
    trim: usize,
    edge: Edge,
    last: LastPiece,
    /// The weights of a piece's estimate between its trimmed ends.
    pub(super) weights: Vec<f32>,
    /// The number that the weighted sum is divided by, unless it is the sum of the weights.
    pub(super) divisor: Option<f32>,
}

/// A piece of a recording. Places are counted from the recording's first sample and may lie outside of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Where the sound that the model hears begins.
    pub(super) heard_from: i64,
    /// Where the estimate counts; the first weight belongs to its beginning.
    pub(super) counted: Range<i64>,
}

impl Cutter {
    /// The cutter of a manifest that has been checked.
    pub(super) fn new(chunk: &Chunk, samples: usize, step: usize) -> Self {
        let trim = chunk.trim as usize;
        let counted = samples - 2 * trim;
        let fade = (chunk.fade_frac * samples as f64) as usize;
        Self {
            samples,
            step,
            border: chunk.border_samples(),
            trim,
            edge: chunk.edge,
            last: chunk.last,
            weights: window::join(chunk.window, counted, fade),
            divisor: (chunk.divisor == Divisor::Constant).then(|| (samples / step) as f32),
        }
    }

    /// The pieces of a recording of `frames` frames, in order. Every frame is counted by one piece at least.
    pub(super) fn pieces(&self, frames: u64) -> impl Iterator<Item = Piece> + '_ {
        let frames = frames as i64;
        let mut next = (frames > 0).then_some(-(self.border as i64));
        std::iter::from_fn(move || {
            let start = next?;
            let piece = self.piece(start, frames);
            let following = start + self.step as i64;
            let is_last = match self.last {
                // One that is centred is worth its while for however little it counts.
                LastPiece::Center => following + self.trim as i64 >= frames,
                LastPiece::Pad | LastPiece::AlignEnd => {
                    start + self.samples as i64 >= frames + self.border as i64
                }
            };
            next = (!is_last).then_some(following);
            Some(piece)
        })
    }

    fn piece(&self, start: i64, frames: i64) -> Piece {
        let (samples, trim) = (self.samples as i64, self.trim as i64);
        let end = frames + self.border as i64;
        let missing = (start + samples - end).max(0);
        let (heard_from, counted) = match self.last {
            LastPiece::Pad => (start, start..start + samples),
            LastPiece::AlignEnd => {
                let start = (start - missing).max(-(self.border as i64));
                (start, start..start + samples)
            }
            // Half of what is missing is heard in front, half behind.
            LastPiece::Center => (start - missing / 2, start..start + samples - missing),
        };
        Piece {
            heard_from,
            counted: counted.start + trim..counted.end - trim,
        }
    }

    /// For every sample that a piece hears, its place in the recording; none for silence.
    pub(super) fn places(&self, piece: &Piece, frames: u64) -> impl Iterator<Item = Option<u64>> {
        let frames = frames as i64;
        let edge = self.edge;
        (piece.heard_from..piece.heard_from + self.samples as i64).map(move |place| {
            let inside = match edge {
                Edge::Zeros => place,
                Edge::Reflect => reflect(place, frames),
            };
            (0..frames).contains(&inside).then_some(inside as u64)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::chunk;
    use super::*;

    fn cutter(samples: usize, step: usize, change: impl Fn(&mut Chunk)) -> Cutter {
        let mut format = chunk(samples as u32, step as u32);
        change(&mut format);
        Cutter::new(&format, samples, step)
    }

    #[test]
    fn every_frame_is_counted_whatever_the_length_and_the_policies() {
        for last in [LastPiece::Pad, LastPiece::AlignEnd, LastPiece::Center] {
            for (trim, border) in [(0, 0), (0, 30), (10, 10), (10, 25)] {
                let cutter = cutter(100, 60, |chunk| {
                    chunk.last = last;
                    chunk.trim = trim;
                    chunk.border = Some(border);
                });
                for frames in (1..420).chain([1_000, 6_001]) {
                    let mut counted_to = 0;
                    let mut before = i64::MIN;
                    for piece in cutter.pieces(frames) {
                        assert!(
                            piece.counted.start <= counted_to,
                            "{last:?} {trim} {frames}"
                        );
                        assert!(piece.counted.start >= before);
                        before = piece.counted.start;
                        let heard = piece.heard_from..piece.heard_from + 100;
                        assert!(heard.start + i64::from(trim) <= piece.counted.start);
                        assert!(heard.end - i64::from(trim) >= piece.counted.end);
                        assert!(
                            (piece.counted.end - piece.counted.start) as usize
                                <= cutter.weights.len()
                        );
                        counted_to = counted_to.max(piece.counted.end);
                    }
                    assert!(counted_to >= frames as i64, "{last:?} {trim} {frames}");
                }
            }
        }
        assert_eq!(cutter(100, 60, |_| {}).pieces(0).count(), 0);
    }

    #[test]
    fn the_last_piece_is_filled_moved_or_centred() {
        let last = |last, frames| {
            let cutter = cutter(100, 75, |chunk| chunk.last = last);
            cutter.pieces(frames).last().expect("a piece")
        };
        assert_eq!(last(LastPiece::Pad, 120).heard_from, 75);
        assert_eq!(last(LastPiece::AlignEnd, 120).heard_from, 20);
        let centred = last(LastPiece::Center, 120);
        // 45 frames are left; 55 are missing, 27 of them are heard in front.
        assert_eq!((centred.heard_from, centred.counted), (48, 75..120));
        // Demucs begins pieces as long as there is sound, even where the piece before reaches the end.
        assert_eq!(last(LastPiece::Center, 90).counted, 75..90);
        assert_eq!(last(LastPiece::Pad, 90).heard_from, 0);
    }

    #[test]
    fn beyond_the_ends_there_is_silence_or_the_mirrored_recording() {
        let places = |edge, frames| -> Vec<Option<u64>> {
            let cutter = cutter(8, 8, |chunk| {
                chunk.edge = edge;
                chunk.border = Some(2);
            });
            let piece = cutter.pieces(frames).next().expect("a piece");
            cutter.places(&piece, frames).collect()
        };
        let silent = places(Edge::Zeros, 3);
        assert_eq!(
            silent,
            [None, None, Some(0), Some(1), Some(2), None, None, None]
        );
        let mirrored: Vec<u64> = places(Edge::Reflect, 3).into_iter().flatten().collect();
        assert_eq!(mirrored, [2, 1, 0, 1, 2, 1, 0, 1]);
        let single: Vec<u64> = places(Edge::Reflect, 1).into_iter().flatten().collect();
        assert_eq!(single, [0; 8]);
    }
}
