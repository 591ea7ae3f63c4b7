//! Backups of a data folder: a folder with the database, the files, the key that signs links, and a list of them with
//! their checksums. Knows nothing of what is in the database: whoever makes a backup has it written at the right moment.

mod error;
mod manifest;
mod names;
mod restore;
mod write;

pub use error::BackupError;
pub use manifest::{FORMAT, Manifest};
pub use restore::Restore;
pub use write::{Backup, Way};
