#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod copy;
mod error;
mod file_store;
mod name;
mod unfinished;

pub use error::FilesError;
pub use file_store::{FileStore, StoredFile, component_key, packages_prefix, results_prefix};
pub use name::is_plain_name;
