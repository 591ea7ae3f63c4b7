#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![allow(
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "all of it fails its test by a panic, and nothing but tests calls it"
)]

pub mod archive;
#[cfg(feature = "server")]
pub mod client;
#[cfg(feature = "server")]
mod contract;
pub mod encoder;
#[cfg(feature = "guests")]
pub mod guests;
#[cfg(feature = "job")]
pub mod job;
pub mod memory;
pub mod onnx;
#[cfg(feature = "pages")]
pub mod pages;
pub mod poll;
pub mod postgres;
#[cfg(feature = "server")]
pub mod process;
#[cfg(feature = "proxy")]
pub mod proxy;
#[cfg(feature = "job")]
pub mod queue;
#[cfg(feature = "server")]
pub mod receiver;
#[cfg(feature = "s3")]
pub mod s3;
pub mod separators;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "pages")]
pub mod shell;
pub mod sound;
#[cfg(feature = "guests")]
pub mod stranger;

use std::path::{Path, PathBuf};

/// A path inside the repository.
pub fn repository(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    root.expect("this crate lies two levels below the root")
        .join(path)
}

/// The folder `name` among what is kept from one run of the tests to the next.
pub fn kept(name: &str) -> PathBuf {
    // A test is in `<target>/<profile>/deps`.
    let test = std::env::current_exe().expect("a test is a program");
    let target = test.ancestors().nth(3).expect("cargo has built it");
    target.join("tmp").join(name)
}
