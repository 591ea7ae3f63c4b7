//! The effects of an installation: which there are, which new jobs may name, and how operators change that, through the
//! API or from the command line of another process. The bytes are in `files`, the rows in `store`, and a stranger's
//! component is only ever compiled and run by a child of `worker`.

mod builtin;
mod error;
mod install;
mod listing;
mod live;

pub use builtin::sync_builtin;
pub use error::{EffectLimit, ShelfError};
pub use install::{InstallRequest, Installed};
pub use listing::{ListedEffect, Listing};
pub use live::{Shelf, ShelfSettings};
