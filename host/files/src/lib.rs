#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod bucket;
mod check;
mod copy;
mod credentials;
mod error;
mod file_store;
mod given;
mod name;
mod s3;
mod settle;
mod unfinished;
mod upload;
mod whole;

pub use bucket::{Bucket, BucketAddress, BucketAddressError, Checksum, Encryption};
pub use credentials::Environment;
pub use error::FilesError;
pub use file_store::{
    FileStore, StoredFile, component_key, heard_prefix, live_key, packages_prefix, piece_key,
    results_prefix, training_prefix, upload_prefix,
};
pub use name::is_plain_name;
pub use s3::Download;
