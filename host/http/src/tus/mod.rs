//! Resumable uploads: tus 1.0 (<https://tus.io/protocols/resumable-upload>) with the extensions creation,
//! creation-with-upload, termination, checksum and expiration. Where uploads are announced, whose they
//! are and where they lie is up to whoever uses this.

mod checksum;
mod headers;
mod receive;

pub use checksum::Checksum;
pub use headers::{
    EXPIRES, LENGTH, METADATA, OFFSET, check_version, discover, insert, is_piece, method_of,
    number, speaking,
};
pub use receive::{Came, MEDIA_TYPE, Piece, receive};
