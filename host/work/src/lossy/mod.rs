//! The MP3 files that jobs leave to be made when somebody asks for them: each is made once, however many ask, and kept.

mod maker;
mod making;

pub use maker::{LossyMaker, LossySettings};
pub use making::{LossyError, Making};
