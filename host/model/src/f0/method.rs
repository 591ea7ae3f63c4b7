//! The interface of all pitch estimation methods.

use std::ops::Range;

use crate::ModelError;
use crate::source::Sound;

/// A way to find the pitch of a range of frames.
pub(super) trait Method: Send + Sync {
    /// The pitch of the frames `frames` of a sound in hertz, 0 where unvoiced. Sound quieter than `silence_rms` has none.
    fn estimate(
        &self,
        sound: &dyn Sound,
        frames: Range<usize>,
        silence_rms: f32,
    ) -> Result<Vec<f32>, ModelError>;

    /// Frames that the method processes as a unit, counted from the first one requested. Pieces of a recording begin at multiples of it,
    /// where units of the whole recording begin, too.
    fn grid(&self) -> usize {
        1
    }
}
