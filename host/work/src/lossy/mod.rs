//! The MP3 files that jobs leave until somebody asks for them: each is made once, however many ask, and then kept.

mod maker;
mod making;

pub use maker::{LossyMaker, LossySettings};
pub use making::{LossyError, Making};
