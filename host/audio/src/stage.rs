use super::Block;

/// A link of the chain that a recording is pulled through: an effect, a resampler, a mixdown.
///
/// A stage is aligned and keeps the length: whatever its latency, it drops that much at its beginning and makes up for
/// it in `flush`, so that `n` frames in are `n` frames out (or `n` times the ratio of a resampler, rounded), starting
/// at the same moment. The runner can then chain stages without knowing which is which.
pub trait Stage {
    /// Takes the next frames and gives what is ready, which may be nothing.
    fn process(&mut self, block: Block) -> Result<Block, StageError>;

    /// Gives what is still inside. Called once, after the last `process`.
    fn flush(&mut self) -> Result<Block, StageError>;
}

/// Why a stage could not go on.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// An effect trapped, exceeded a limit or answered nonsense.
    #[error("effect {id}: {reason}")]
    Effect {
        /// The effect's id.
        id: String,
        /// For people; bounded in length.
        reason: String,
    },
    /// An effect refused its settings; the reason is its own sentence.
    #[error("effect {id} refused its settings: {reason}")]
    Refused {
        /// The effect's id.
        id: String,
        /// The effect's own words; bounded in length.
        reason: String,
    },
    /// The rates do not fit, or a resampler failed.
    #[error("cannot resample: {0}")]
    Resample(String),
}
