use std::collections::VecDeque;
use std::ops::{Index, Range};

/// Consecutive frames, the first of which may have been dropped.
pub(super) struct Line<T> {
    first: usize,
    frames: VecDeque<T>,
}

impl<T> Line<T> {
    pub(super) fn new() -> Self {
        Self {
            first: 0,
            frames: VecDeque::new(),
        }
    }

    pub(super) fn push(&mut self, frame: T) {
        self.frames.push_back(frame);
    }

    /// The number of the next frame.
    pub(super) fn end(&self) -> usize {
        self.first + self.frames.len()
    }

    /// A frame, if it is kept.
    pub(super) fn get(&self, frame: usize) -> Option<&T> {
        self.frames.get(frame.checked_sub(self.first)?)
    }

    /// The frame before, if it is kept.
    pub(super) fn before(&self, frame: usize) -> Option<&T> {
        self.get(frame.checked_sub(1)?)
    }

    /// Drops all frames outside a range, which does not end beyond the last frame.
    pub(super) fn keep(&mut self, range: Range<usize>) {
        self.frames.truncate(range.end - self.first);
        self.forget_before(range.start);
    }

    pub(super) fn forget_before(&mut self, frame: usize) {
        let gone = frame.saturating_sub(self.first).min(self.frames.len());
        self.frames.drain(..gone);
        self.first += gone;
    }
}

impl<T> Index<usize> for Line<T> {
    type Output = T;

    fn index(&self, frame: usize) -> &T {
        &self.frames[frame - self.first]
    }
}
