//! The models of an installation: which there are, which voices can be used, and how people's models are imported and removed, through the
//! API or from the command line of another process. Packages of separators, encoders and the like lie in a folder, voices in the file
//! store; the rows are in `store`, and a stranger's files are only ever read by a child of `worker`.

mod catalogue;
mod error;
mod import;
mod keep;
mod live;
mod places;
mod rebind;
mod remove;
mod survey;
mod usable;

pub use error::{LibraryError, OnlySome};
pub use import::{BesideFile, Import, ImportAsk, Looked, Wanted};
pub use live::{Library, LibrarySettings};
pub use places::Place;
