//! Where recordings, results and the components of installed effects lie: a store of files by key. This is the only area that knows `object_store`.

mod copy;
mod error;
mod file_store;
mod name;
mod unfinished;

pub use error::FilesError;
pub use file_store::{FileStore, StoredFile, component_key, packages_prefix, results_prefix};
pub use name::is_plain_name;
