use std::borrow::Cow;
use std::ops::Range;

use super::sections::{Chunk, Divisor, Edge, JoinWindow, LastPiece};
use super::window;
use crate::source::reflect;

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
    fill_to: usize,
    window: JoinWindow,
    fade: usize,
    /// The weights of a whole piece's estimate between its trimmed ends.
    weights: Vec<f32>,
    /// The number that the weighted sum is divided by, unless it is divided by the sum of the weights.
    pub(super) divisor: Option<f32>,
}

/// A piece of a recording. Positions are relative to the recording's first sample and may lie outside of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Where the model's input begins.
    pub(super) heard_from: i64,
    /// The range in which the estimate counts, where the weights begin.
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
            fill_to: chunk.fill_to.unwrap_or(1).max(1) as usize,
            window: chunk.window,
            fade,
            weights: window::join(chunk.window, counted, fade),
            divisor: match chunk.divisor {
                Divisor::WindowSum => None,
                Divisor::Constant => Some((samples / step) as f32),
                Divisor::One => Some(1.0),
            },
        }
    }

    /// The pieces of a recording of `frames` frames after `lead` samples of silence, in order. Every frame of the
    /// recording is counted by at least one piece.
    pub(super) fn pieces(&self, frames: u64, lead: u64) -> impl Iterator<Item = Piece> + '_ {
        let frames = frames as i64;
        let mut next = (frames > 0).then(|| -(lead as i64) - self.border_of(frames));
        let all = std::iter::from_fn(move || {
            let start = next?;
            next = (!self.is_last(start, frames)).then_some(start + self.step as i64);
            Some(self.piece(start, frames))
        });
        // Pieces entirely after the recording only served to find the last one.
        all.take_while(move |piece| piece.counted.start < frames)
    }

    /// The weights of a piece's estimate, from the beginning of what counts of it.
    pub(super) fn weights_of(&self, piece: &Piece) -> Cow<'_, [f32]> {
        let counted = (piece.counted.end - piece.counted.start) as usize;
        if self.last == LastPiece::Taper && counted < self.weights.len() {
            return Cow::Owned(window::join(self.window, counted, self.fade));
        }
        Cow::Borrowed(&self.weights)
    }

    /// For every sample of a piece's input, its position in the recording; none for silence.
    pub(super) fn places(&self, piece: &Piece, frames: u64) -> impl Iterator<Item = Option<u64>> {
        let frames = frames as i64;
        let edge = self.edge;
        let mirror = (self.last == LastPiece::Mirror).then(|| self.end(frames));
        let is_half_there =
            mirror.is_some_and(|end| end - piece.heard_from > self.samples as i64 / 2);
        (piece.heard_from..piece.heard_from + self.samples as i64).map(move |place| {
            let place = match mirror {
                Some(end) if place >= end && is_half_there => 2 * (end - 1) - place,
                Some(end) if place >= end => return None,
                _ => place,
            };
            let inside = match edge {
                Edge::Zeros => place,
                Edge::Reflect => reflect(place, frames),
            };
            (0..frames).contains(&inside).then_some(inside as u64)
        })
    }

    /// Samples before and after a recording that are processed as well.
    fn border_of(&self, frames: i64) -> i64 {
        let border = self.border as i64;
        if self.last == LastPiece::Mirror && frames <= 2 * border {
            0
        } else {
            border
        }
    }

    /// Where the last piece ends or has more than it needs.
    fn end(&self, frames: i64) -> i64 {
        let filled = if self.last == LastPiece::Taper {
            let whole = self.fill_to as i64;
            (frames / whole + 1) * whole
        } else {
            frames
        };
        filled + self.border_of(frames)
    }

    fn is_last(&self, start: i64, frames: i64) -> bool {
        let following = start + self.step as i64;
        match self.last {
            // A centred piece is worthwhile however little of it counts.
            LastPiece::Center => following + self.trim as i64 >= frames,
            LastPiece::Taper | LastPiece::Mirror => following >= self.end(frames),
            LastPiece::Pad | LastPiece::AlignEnd => start + self.samples as i64 >= self.end(frames),
        }
    }

    fn piece(&self, start: i64, frames: i64) -> Piece {
        let (samples, trim) = (self.samples as i64, self.trim as i64);
        let missing = (start + samples - self.end(frames)).max(0);
        let (heard_from, counted) = match self.last {
            LastPiece::Pad => (start, start..start + samples),
            LastPiece::AlignEnd => {
                let start = (start - missing).max(-(self.border as i64));
                (start, start..start + samples)
            }
            // Half of what is missing is added before, half after.
            LastPiece::Center => (start - missing / 2, start..start + samples - missing),
            LastPiece::Taper | LastPiece::Mirror => (start, start..start + samples - missing),
        };
        Piece {
            heard_from,
            counted: counted.start + trim..counted.end - trim,
        }
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
        for last in [
            LastPiece::Pad,
            LastPiece::AlignEnd,
            LastPiece::Center,
            LastPiece::Taper,
            LastPiece::Mirror,
        ] {
            for (trim, border) in [(0, 0), (0, 30), (10, 10), (10, 25)] {
                if trim > 0 && matches!(last, LastPiece::Taper | LastPiece::Mirror) {
                    continue;
                }
                let cutter = cutter(100, 60, |chunk| {
                    chunk.last = last;
                    chunk.trim = trim;
                    chunk.border = Some(border);
                    chunk.fill_to = Some(70);
                });
                for frames in (1..420).chain([1_000, 6_001]) {
                    let mut counted_to = 0;
                    let mut before = i64::MIN;
                    for piece in cutter.pieces(frames, 17) {
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
                                <= cutter.weights_of(&piece).len()
                        );
                        counted_to = counted_to.max(piece.counted.end);
                    }
                    assert!(counted_to >= frames as i64, "{last:?} {trim} {frames}");
                }
            }
        }
        assert_eq!(cutter(100, 60, |_| {}).pieces(0, 0).count(), 0);
    }

    #[test]
    fn the_last_piece_is_filled_moved_or_centred() {
        let last = |last, frames| {
            let cutter = cutter(100, 75, |chunk| chunk.last = last);
            cutter.pieces(frames, 0).last().expect("a piece")
        };
        assert_eq!(last(LastPiece::Pad, 120).heard_from, 75);
        assert_eq!(last(LastPiece::AlignEnd, 120).heard_from, 20);
        let centred = last(LastPiece::Center, 120);
        // 45 frames are left; 55 are missing, 27 of them are heard in front.
        assert_eq!((centred.heard_from, centred.counted), (48, 75..120));
        // Demucs begins pieces as long as there is sound, even if the piece before reaches the end.
        assert_eq!(last(LastPiece::Center, 90).counted, 75..90);
        assert_eq!(last(LastPiece::Pad, 90).heard_from, 0);
    }

    #[test]
    fn a_trial_has_few_pieces_that_cover_all() {
        let mut format = chunk(800, 100);
        (format.border, format.trim, format.shifts) = (Some(700), 10, 3);
        let few = format.in_few_pieces(None);
        assert_eq!(
            (few.step, few.border, few.shifts),
            (Some(390), Some(410), 1)
        );
        let count = |chunk: &Chunk, step| Cutter::new(chunk, 800, step).pieces(300, 0).count();
        assert_eq!((count(&format, 100), count(&few, 390)), (10, 2));
        // Few enough already.
        let as_it_is = chunk(800, 600).in_few_pieces(None);
        assert_eq!((as_it_is.step, as_it_is.border), (Some(600), None));
    }

    #[test]
    fn a_tapered_piece_has_a_window_of_what_is_left() {
        let cutter = cutter(100, 75, |chunk| {
            chunk.last = LastPiece::Taper;
            chunk.border = Some(20);
            chunk.fill_to = Some(60);
        });
        // 130 frames are filled to 180, and 20 more follow; pieces begin at -20, 55, 130, …
        let pieces: Vec<Piece> = cutter.pieces(130, 0).collect();
        assert_eq!(pieces.len(), 2);
        assert_eq!(
            cutter.pieces(131, 0).last().expect("a piece").counted,
            130..200
        );
        assert_eq!(cutter.weights_of(&pieces[0]).len(), 100);
        let tapered = cutter.pieces(131, 0).last().expect("a piece");
        let weights = cutter.weights_of(&tapered);
        assert_eq!(weights.len(), 70);
        assert!(weights[69] < 1e-5 && weights[35] > 0.99);
        // A recording that is a whole number of fillings is followed by one more.
        assert_eq!(
            cutter.pieces(180, 0).last().expect("a piece").counted,
            130..230
        );
    }

    #[test]
    fn short_pieces_are_mirrored_when_half_of_them_is_there() {
        let cutter = cutter(100, 50, |chunk| {
            chunk.last = LastPiece::Mirror;
            chunk.border = Some(50);
            chunk.edge = Edge::Reflect;
        });
        // Too short for borders: pieces begin at 0 and 50, the second has 30 of its 100 samples.
        let pieces: Vec<Piece> = cutter.pieces(80, 0).collect();
        let starts: Vec<i64> = pieces.iter().map(|piece| piece.heard_from).collect();
        assert_eq!(starts, [0, 50]);
        let heard =
            |piece: &Piece, frames| -> Vec<Option<u64>> { cutter.places(piece, frames).collect() };
        assert_eq!(
            heard(&pieces[0], 80)[78..83],
            [78, 79, 78, 77, 76].map(Some)
        );
        assert_eq!(heard(&pieces[1], 80)[29..32], [Some(79), None, None]);
        // With borders the first piece begins in the mirrored recording.
        let long = cutter.pieces(170, 0).next().expect("a piece");
        assert_eq!(long.heard_from, -50);
        assert_eq!(heard(&long, 170)[..2], [Some(50), Some(49)]);
    }

    #[test]
    fn beyond_the_ends_there_is_silence_or_the_mirrored_recording() {
        let places = |edge, frames| -> Vec<Option<u64>> {
            let cutter = cutter(8, 8, |chunk| {
                chunk.edge = edge;
                chunk.border = Some(2);
            });
            let piece = cutter.pieces(frames, 0).next().expect("a piece");
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
