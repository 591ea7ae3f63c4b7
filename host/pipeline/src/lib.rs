#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod abreast;
mod apart;
mod blend;
mod chain;
mod clean;
mod convert;
mod demo;
mod error;
mod intake;
mod isolate;
mod line;
mod live;
mod lossy;
mod named;
mod output;
mod passing;
mod publish;
mod room;
mod separate;
mod sound;
mod take_apart;
mod threads;
mod track;
mod train;
mod warnings;
mod writing;

pub use blend::{Beside, Blend, blend};
pub use clean::Cleaning;
pub use convert::{Conversion, convert};
pub use error::PipelineError;
pub use live::{LiveLatency, LiveLine};
pub use lossy::make_lossy;
pub use separate::{Separation, Separators, Singing, separate};
pub use take_apart::{Stems, TakeApart, take_apart};
pub use train::{Recording, Train, TrainingReport, is_checkpoint, protected_recordings, train};
pub use warnings::warnings_of;
pub use writing::content_of;
