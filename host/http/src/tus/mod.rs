//! Resumable uploads: tus 1.0 (<https://tus.io/protocols/resumable-upload>) with the extensions creation,
//! creation-with-upload, termination, checksum and expiration. Where uploads are announced and whose they are is up to
//! whoever uses this.

mod append;
mod checksum;
mod headers;

pub use append::{MEDIA_TYPE, Piece, append, make_file};
pub use checksum::Checksum;
pub use headers::{
    EXPIRES, LENGTH, METADATA, OFFSET, check_version, discover, insert, is_piece, method_of,
    number, speaking,
};
