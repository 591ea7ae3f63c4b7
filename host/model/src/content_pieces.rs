use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::ModelError;
use super::content::{CONTENT_HOP, ContentEncoder};
use super::source::Sound;

/// Vectors of a piece: ten seconds. The encoder's context is heard around it.
const PIECE: usize = 500;
/// Vectors on each side of a border over which neighbouring pieces are cross-faded: 0.1 s.
const FADE: usize = 5;

/// The content of a recording, encoded in pieces at fixed places. An encoder with attention gives slightly different vectors when its input
/// begins elsewhere, so segments that overlap would otherwise get different content. Each piece is encoded once, and only the last few are
/// kept.
pub(super) struct ContentPieces<'c> {
    encoder: &'c ContentEncoder,
    source: &'c dyn Sound,
    layout: Layout,
    made: Mutex<BTreeMap<usize, Arc<Place>>>,
}

/// Holds a piece. The first to ask makes it, and others wait meanwhile.
type Place = Mutex<Option<Arc<[f32]>>>;

impl<'c> ContentPieces<'c> {
    pub(super) fn new(encoder: &'c ContentEncoder, source: &'c dyn Sound) -> Self {
        Self {
            encoder,
            source,
            layout: Layout {
                whole: source.len().div_ceil(CONTENT_HOP) as usize,
            },
            made: Mutex::default(),
        }
    }

    /// The pieces that contribute to some vectors.
    pub(super) fn pieces_of(&self, vectors: &Range<usize>) -> Range<usize> {
        self.layout.pieces_of(vectors)
    }

    /// Drops the pieces before one.
    pub(super) fn forget_before(&self, piece: usize) {
        locked(&self.made).retain(|other, _| *other >= piece);
    }

    /// A piece, which is made if it does not exist yet.
    pub(super) fn piece(&self, piece: usize) -> Result<Arc<[f32]>, ModelError> {
        let place = Arc::clone(locked(&self.made).entry(piece).or_default());
        let mut place = locked(&place);
        if let Some(made) = &*place {
            return Ok(Arc::clone(made));
        }
        let reach = self.layout.reach_of(piece);
        let made = self.encoder.encode(self.source, reach.start, reach.len())?;
        Ok(Arc::clone(place.insert(made.into())))
    }

    /// The vectors, one after another.
    pub(super) fn vectors(&self, wanted: Range<usize>) -> Result<Vec<f32>, ModelError> {
        let width = self.encoder.width();
        let mut found = vec![0.0; wanted.len() * width];
        for piece in self.layout.pieces_of(&wanted) {
            let (reach, made) = (self.layout.reach_of(piece), self.piece(piece)?);
            for vector in reach.start.max(wanted.start)..reach.end.min(wanted.end) {
                let share = self.layout.share(piece, vector);
                let from = &made[(vector - reach.start) * width..][..width];
                let to = &mut found[(vector - wanted.start) * width..][..width];
                for (to, from) in to.iter_mut().zip(from) {
                    *to += share * from;
                }
            }
        }
        Ok(found)
    }
}

/// The contents of a lock. A panic while it was held leaves nothing half done.
fn locked<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where the pieces of a recording of so many vectors lie.
#[derive(Clone, Copy)]
struct Layout {
    whole: usize,
}

impl Layout {
    /// The pieces that contribute to some vectors.
    fn pieces_of(self, vectors: &Range<usize>) -> Range<usize> {
        let last = self.whole.saturating_sub(1) / PIECE;
        let first = vectors.start.saturating_sub(FADE) / PIECE;
        first.min(last)..((vectors.end + FADE).saturating_sub(1) / PIECE).min(last) + 1
    }

    /// The vectors that a piece contributes to: its own, and those in which it is cross-faded with its neighbours.
    fn reach_of(self, piece: usize) -> Range<usize> {
        let start = piece * PIECE;
        start.saturating_sub(FADE)..(start + PIECE + FADE).min(self.whole)
    }

    /// The share of a piece in a vector; the shares of neighbours add up to 1.
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
