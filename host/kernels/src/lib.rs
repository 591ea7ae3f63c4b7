#![doc = include_str!("../README.md")]
#![allow(
    clippy::inline_always,
    reason = "vector instructions are there only in the function that asks for them"
)]

mod convolution;
mod fixed;
mod frame;
mod lanes;
mod line;
mod product;
mod replacement;
mod rewrite;
mod shapes;
mod sigmoid;
mod task;
#[cfg(test)]
mod tests;
mod tile;
mod transposed;
mod vector;
mod weights;
mod winograd;
mod working;

pub use rewrite::rewritten;

use std::sync::{Mutex, PoisonError};

use ort::operator::OperatorDomain;
use ort::session::Session;
use ort::session::builder::SessionBuilder;

use frame::Framed;
use replacement::DOMAIN;

/// The domain to register with a session, which takes ownership.
fn domain() -> ort::Result<OperatorDomain> {
    OperatorDomain::new(DOMAIN)
        .and_then(|domain| domain.add(Framed::<winograd::Convolution>::new()))
        .and_then(|domain| domain.add(Framed::<line::LineConvolution>::new()))
        .and_then(|domain| domain.add(Framed::<product::Product>::new()))
        .and_then(|domain| domain.add(Framed::<transposed::TransposedConvolution>::new()))
}

/// Makes a session on the processor for an ONNX file that may contain our operators.
///
/// ONNX Runtime registers their domain for the whole process when it makes the first session with them; if two are made at the same time,
/// one of them fails (1.31.1). So the first has to exist before another is made.
///
/// # Errors
/// When the file is no graph that ONNX Runtime takes.
pub fn session(builder: SessionBuilder, file: &[u8]) -> ort::Result<Session> {
    static IS_KNOWN: Mutex<bool> = Mutex::new(false);
    let mut builder = builder.with_operators(domain()?)?;
    let mut is_known = IS_KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if *is_known {
        drop(is_known);
        return builder.commit_from_memory(file);
    }
    let made = builder.commit_from_memory(file);
    *is_known = made.is_ok();
    made
}

/// ONNX Runtime parses a file into small pieces and copies the weights out of them. glibc keeps the memory freed after that: 57 MB for a
/// graph of 67 MB (1.31.1), in addition to what a run takes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "the C library's function has no safe access")]
pub fn give_free_heap_back() {
    // SAFETY: it may be called by any thread at any time, and touches nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other C libraries return it themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_free_heap_back() {}
