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
mod rewrite;
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

use ort::operator::{OperatorDomain, ShapeInferenceContext};
use ort::session::Session;
use ort::session::builder::SessionBuilder;
use ort::value::{SymbolicDimensions, ValueType};

use frame::Framed;

/// The domain of our operators. No file may name it: graphs are checked for domains of others before they are taken in.
const DOMAIN: &str = "vocalhost";

/// The domain to register with a session, whose own it becomes.
fn domain() -> ort::Result<OperatorDomain> {
    OperatorDomain::new(DOMAIN)
        .and_then(|domain| domain.add(Framed::<winograd::Convolution>::new()))
        .and_then(|domain| domain.add(Framed::<line::LineConvolution>::new()))
        .and_then(|domain| domain.add(Framed::<product::Product>::new()))
        .and_then(|domain| domain.add(Framed::<transposed::TransposedConvolution>::new()))
}

/// Makes a session for the processor of an ONNX file that may have our operators in it.
///
/// ONNX Runtime notes their domain for the whole process when it makes the first session with them, and fails one of two that are
/// made at the same time then (1.31.1). So nobody makes another before the first is there.
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

/// ONNX Runtime parses a file into small pieces and copies the weights out of them. What it frees then, glibc keeps: 57 MB for a
/// graph of 67 MB (1.31.1), on top of which a run takes its own.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "the C library's function has no safe access")]
pub fn give_free_heap_back() {
    // SAFETY: it may be called by any thread at any time, and touches nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other C libraries give it back themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_free_heap_back() {}

/// Says that a result is as large as the first input and has as many channels as the second, a filter, has outputs, or half as many
/// when the others are gates.
fn shaped_as_image(context: &mut ShapeInferenceContext, is_gated: bool) -> ort::Result<()> {
    let inputs = context.inputs();
    let filter = inputs.get(1).and_then(|filter| filter.tensor_shape());
    let Some(outputs) = filter.and_then(|shape| shape.first().copied()) else {
        return Ok(());
    };
    shaped_as_input(context, |shape| {
        if let Some(channels) = shape.get_mut(1) {
            *channels = if is_gated { outputs / 2 } else { outputs };
        }
    })
}

/// Says that a result has the shape of the first input, but for the lengths of some axes; below zero is one that is not known.
fn shaped_as_input(
    context: &mut ShapeInferenceContext,
    change: impl FnOnce(&mut [i64]),
) -> ort::Result<()> {
    let inputs = context.inputs();
    let Some(ValueType::Tensor {
        ty,
        shape,
        dimension_symbols,
    }) = inputs.first()
    else {
        return Ok(());
    };
    // What is not known at all looks like a single number.
    if shape.is_empty() {
        return Ok(());
    }
    let (before, mut shape) = (shape, shape.clone());
    change(&mut shape);
    let symbols = before
        .iter()
        .zip(shape.iter())
        .zip(dimension_symbols.iter());
    let symbols = symbols.map(|((before, after), symbol)| {
        // What is changed is called otherwise, if anything.
        if before == after { symbol.as_str() } else { "" }
    });
    let symbols: Vec<&str> = symbols.collect();
    // A length that is neither a number nor a symbol would be taken for the number -1. With a symbol of our own it would be known
    // to be equal elsewhere, and memory that is planned to be used again is held until then: for MDX-Net 205 to 430 MB more.
    let mut lengths = shape.iter().zip(&symbols);
    if lengths.any(|(length, symbol)| *length < 0 && symbol.is_empty()) {
        return Ok(());
    }
    let result = ValueType::Tensor {
        ty: *ty,
        shape,
        dimension_symbols: SymbolicDimensions::new(symbols.into_iter().map(str::to_owned)),
    };
    context.set_output(0, &result)
}
