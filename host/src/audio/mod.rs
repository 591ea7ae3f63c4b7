//! Sound as data: blocks, decoding, resampling, spooling and encoding. Nothing here knows of jobs, effects or models.

mod block;
mod spool;
mod stage;

pub use block::Block;
pub use spool::{Spool, SpoolWriter};
pub use stage::{Stage, StageError};
