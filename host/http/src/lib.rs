#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

/// What media types a client would like.
pub mod accept;
/// Bodies in small pieces, with time limits.
pub mod body;
/// Token buckets.
pub mod bucket;
mod connection;
/// What a request asks for, as one number.
pub mod fingerprint;
mod mistake;
/// Forms that stream to the disk.
pub mod multipart;
/// Where a request comes from.
pub mod origin;
/// How long a client would like to wait.
pub mod preference;
/// Queries, decoded.
pub mod query;
/// Parts of a file.
pub mod range;
mod refusal;
/// Answers.
pub mod reply;
mod server;
/// Links that work without a key for a while.
pub mod signing;
/// Bodies that are one file or one JSON object.
pub mod small_body;
/// Fields that are on or off.
pub mod toggle;
pub mod tus;
mod upload;
pub mod validators;
pub mod zip;

pub use connection::network;
pub use mistake::FieldError;
pub use refusal::Refusal;
pub use server::{ConnectionRules, ServeError, Server};
pub use upload::{Upload, UploadWriter};
