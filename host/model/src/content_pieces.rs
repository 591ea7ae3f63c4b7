use std::collections::BTreeMap;
use std::ops::Range;

use super::ModelError;
use super::content::{CONTENT_HOP, ContentEncoder};
use super::lanes::side_by_side;
use super::source::Sound;

/// Vectors of a piece: ten seconds. What is heard around it is the encoder's context.
const PIECE: usize = 500;
/// Vectors on each side of a border over which one piece goes over into the next: 0.1 s.
const FADE: usize = 5;

/// The content of a recording, made in pieces that lie where they lie whatever is asked for: an encoder with attention hears a sound a
/// little otherwise where its piece begins elsewhere, so two segments of a voice that overlap would hear two things. Each piece is
/// made once, and only the last few are kept.
pub(super) struct ContentPieces<'c> {
    encoder: &'c ContentEncoder,
    source: &'c dyn Sound,
    layout: Layout,
    made: BTreeMap<usize, Vec<f32>>,
}

impl<'c> ContentPieces<'c> {
    pub(super) fn new(encoder: &'c ContentEncoder, source: &'c dyn Sound) -> Self {
        Self {
            encoder,
            source,
            layout: Layout {
                whole: source.len().div_ceil(CONTENT_HOP) as usize,
            },
            made: BTreeMap::new(),
        }
    }

    /// Makes what is needed for these vectors, on `threads` pieces side by side, and forgets what lies before them.
    pub(super) fn prepare(
        &mut self,
        vectors: Range<usize>,
        threads: usize,
    ) -> Result<(), ModelError> {
        let needed = self.layout.pieces_of(&vectors);
        self.made.retain(|piece, _| *piece >= needed.start);
        let missing = needed.filter(|piece| !self.made.contains_key(piece));
        let missing: Vec<usize> = missing.collect();
        for batch in missing.chunks(threads.max(1)) {
            let made = side_by_side(batch, |piece| {
                let reach = self.layout.reach_of(*piece);
                self.encoder.encode(self.source, reach.start, reach.len())
            })?;
            self.made.extend(batch.iter().copied().zip(made));
        }
        Ok(())
    }

    /// The vectors, one behind the other; they must have been prepared.
    pub(super) fn vectors(&self, wanted: Range<usize>) -> Vec<f32> {
        let width = self.encoder.width();
        let mut found = vec![0.0; wanted.len() * width];
        for piece in self.layout.pieces_of(&wanted) {
            let (reach, Some(made)) = (self.layout.reach_of(piece), self.made.get(&piece)) else {
                continue;
            };
            for vector in reach.start.max(wanted.start)..reach.end.min(wanted.end) {
                let share = self.layout.share(piece, vector);
                let from = &made[(vector - reach.start) * width..][..width];
                let to = &mut found[(vector - wanted.start) * width..][..width];
                for (to, from) in to.iter_mut().zip(from) {
                    *to += share * from;
                }
            }
        }
        found
    }
}

/// Where the pieces of a recording of so many vectors lie.
#[derive(Clone, Copy)]
struct Layout {
    whole: usize,
}

impl Layout {
    /// The pieces that have a part in some vectors.
    fn pieces_of(self, vectors: &Range<usize>) -> Range<usize> {
        let last = self.whole.saturating_sub(1) / PIECE;
        let first = vectors.start.saturating_sub(FADE) / PIECE;
        first.min(last)..((vectors.end + FADE).saturating_sub(1) / PIECE).min(last) + 1
    }

    /// What a piece contributes to: its own vectors, and those over which it goes over into its neighbours.
    fn reach_of(self, piece: usize) -> Range<usize> {
        let start = piece * PIECE;
        start.saturating_sub(FADE)..(start + PIECE + FADE).min(self.whole)
    }

    /// How much of a vector is a piece's: the shares of neighbours are 1 together.
    fn share(self, piece: usize, vector: usize) -> f32 {
        let (start, end) = (piece * PIECE, (piece + 1) * PIECE);
        let risen = |border: usize| {
            let place = (vector + FADE) as f32 + 0.5 - border as f32;
            (place / (2 * FADE) as f32).clamp(0.0, 1.0)
        };
        let rising = if piece == 0 { 1.0 } else { risen(start) };
        let falling = if end < self.whole {
            1.0 - risen(end)
        } else {
            1.0
        };
        rising.min(falling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_all_pieces_are_one_everywhere() {
        for whole in [1, 4, 499, 500, 501, 505, 506, 1_000, 1_234] {
            let layout = Layout { whole };
            for vector in 0..whole {
                let pieces = layout.pieces_of(&(vector..vector + 1));
                let reached = pieces.filter(|piece| layout.reach_of(*piece).contains(&vector));
                let shares: Vec<f32> = reached.map(|piece| layout.share(piece, vector)).collect();
                let sum: f32 = shares.iter().sum();
                assert!((sum - 1.0).abs() < 1e-6, "{vector} of {whole}: {shares:?}");
            }
        }
    }

    #[test]
    fn a_piece_lies_where_it_lies_whatever_is_asked_for() {
        let layout = Layout { whole: 1_300 };
        assert_eq!(layout.pieces_of(&(0..494)), 0..1);
        assert_eq!(layout.pieces_of(&(450..1_050)), 0..3);
        assert_eq!(layout.pieces_of(&(505..506)), 1..2);
        assert_eq!(layout.reach_of(0), 0..505);
        assert_eq!(layout.reach_of(2), 995..1_300);
    }
}
