//! What several areas' tests need: sound to feed in, and a real server to feed it to.

pub mod client;
mod contract;
pub mod encoder;
pub mod job;
pub mod memory;
pub mod onnx;
pub mod poll;
pub mod process;
pub mod receiver;
pub mod separators;
pub mod server;
pub mod sound;
pub mod stranger;

use std::path::{Path, PathBuf};

/// A path inside the repository.
pub fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}
