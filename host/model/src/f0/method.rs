//! What every way to find the pitch can do.

use std::ops::Range;

use crate::ModelError;
use crate::source::Sound;

/// A way to find the pitch of a stretch of frames.
pub(super) trait Method: Send + Sync {
    /// The pitch of the frames `frames` of a sound in hertz, 0 where unvoiced. What is quieter than `silence_rms` has none.
    fn estimate(
        &self,
        sound: &dyn Sound,
        frames: Range<usize>,
        silence_rms: f32,
    ) -> Result<Vec<f32>, ModelError>;

    /// Frames that the method takes together, counted from the first that it is asked for. Pieces of a recording begin at
    /// multiples of it, where the whole recording has such a beginning, too.
    fn grid(&self) -> usize {
        1
    }
}
