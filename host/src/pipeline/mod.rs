//! A job as a stream: decode, effects, model, effects, encode, in blocks and in bounded memory.
//!
//! What needs the whole signal first (the model's level, the peak guard) is written to a [`crate::audio::Spool`] and
//! read again, so a conversion is three passes: the recording to a mono spool at the model's rate, that spool
//! through the model to a spool of the result, and that one to the files. A separation keeps the mix and what the model
//! estimates; what is left of the mix is computed when it is encoded.

mod blend;
mod chain;
mod convert;
mod error;
mod intake;
mod line;
mod output;
mod publish;
mod room;
mod separate;
mod sound;
mod take_apart;
mod track;

pub use blend::{Beside, Blend, blend};
pub use convert::{Conversion, convert};
pub use error::PipelineError;
pub use separate::{Separation, Separators, separate};
pub use take_apart::{TakeApart, take_apart};
