//! Manifest sections for the unit tests.

use super::sections::{Chunk, Divisor, Edge, JoinWindow, LastPiece};

/// Pieces of `samples` samples every `step` samples, with defaults for the rest.
pub(super) fn chunk(samples: u32, step: u32) -> Chunk {
    Chunk {
        samples: Some(samples),
        frames: None,
        step: Some(step),
        overlap: None,
        edge: Edge::Zeros,
        border: None,
        trim: 0,
        window: JoinWindow::HannSymmetric,
        fade_frac: 0.1,
        last: LastPiece::Pad,
        divisor: Divisor::WindowSum,
        fill_to: None,
        shifts: 0,
    }
}
