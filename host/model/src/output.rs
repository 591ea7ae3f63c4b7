//! The output of a conversion: how long it is, and how it is passed on.

use vocalhost_audio::{Block, Spool};

use super::source::SOURCE_RATE_HZ;

/// Frames of the blocks that are passed on.
pub(super) const OUTPUT_BLOCK_FRAMES: usize = 4_096;
/// The share of the pitch track in the whole work, only for the progress.
pub(super) const PITCH_SHARE: f64 = 0.25;

/// Frames that come out for a source at 16 kHz.
pub(super) fn output_frames(source: &Spool, output_rate_hz: u32) -> u64 {
    let scaled = u128::from(source.frames()) * u128::from(output_rate_hz);
    ((scaled + u128::from(SOURCE_RATE_HZ / 2)) / u128::from(SOURCE_RATE_HZ)) as u64
}

/// Passes mono sound on, block by block.
pub(super) fn pass_on<E>(
    samples: &[f32],
    sink: &mut dyn FnMut(Block) -> Result<(), E>,
) -> Result<(), E> {
    for piece in samples.chunks(OUTPUT_BLOCK_FRAMES) {
        sink(Block::from_planar(1, piece.to_vec()))?;
    }
    Ok(())
}
